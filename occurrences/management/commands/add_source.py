"""manage.py add_source: begin to watch a scheduler path."""

from datetime import timedelta
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from occurrences.contract.errors import InvalidIdentity
from occurrences.queries.clock import database_now
from occurrences.services import sources


class Command(BaseCommand):
    help = "Register a source and print a key for it. The key is shown once; run it again for another one."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("name", help="such as celery:billing")
        parser.add_argument("--give-up", type=int, metavar="SECONDS", help="how long to wait for missing evidence")

    def handle(self, *args: Any, **options: Any) -> None:
        now, name = database_now(), options["name"]
        give_up = None if options["give_up"] is None else timedelta(seconds=options["give_up"])
        try:
            sources.register(name=name, by="command line", now=now, give_up=give_up)
        except InvalidIdentity as invalid:
            raise CommandError(str(invalid)) from invalid
        self.stdout.write(sources.fresh_key(source=name, by="command line", now=now))
