from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from aglet_recovery.launcher import up_options


class Command(BaseCommand):
    help = "Start the console with everything it needs, until Ctrl-C."
    requires_system_checks: list[str] = []  # noqa: RUF012

    def add_arguments(self, parser: ArgumentParser) -> None:
        up_options.add_arguments(parser)

    def handle(self, **options: Any) -> None:
        # Settings are loaded here already, with the addresses of servers that do not run yet.
        raise CommandError("`up` starts before Django does: run it as `manage.py up`.")
