"""manage.py add_source: begin to watch a scheduler path."""

from datetime import timedelta
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser

from occurrences.contract.errors import InvalidIdentity
from occurrences.queries.clock import database_now
from occurrences.services import installation, sources


class Command(BaseCommand):
    help = "Register a source and print a key for it. The key is shown once; run it again for another one."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("name", help="such as celery:billing")
        parser.add_argument("--end-old", type=int, metavar="SECONDS", help="end the keys made before after that time")
        parser.add_argument("--give-up", type=int, metavar="SECONDS", help="how long to wait for missing evidence")

    def handle(self, *args: Any, **options: Any) -> None:
        now, name = database_now(), options["name"]
        give_up = None if options["give_up"] is None else timedelta(seconds=options["give_up"])
        if name in (installation.OWN_SOURCE, installation.LAB_SOURCE):
            raise CommandError(f"{name} is the console's own: it gets its keys from `up`")
        try:
            sources.register(name=name, by="command line", now=now, give_up=give_up)
        except InvalidIdentity as invalid:
            raise CommandError(str(invalid)) from invalid
        keep = None if options["end_old"] is None else timedelta(seconds=options["end_old"])
        key = sources.fresh_key(source=name, by="command line", now=now, keep_old_for=keep)
        self.stdout.write(key)
        until = now + sources.YEAR
        self.stderr.write(f"Shown once, valid until {until:%Y-%m-%d}. For beat and every worker of the source:")
        self.stderr.write(f"AGLET_TAP_URL={settings.BASE_URL} AGLET_TAP_SOURCE={name} AGLET_TAP_KEY=<the key above>")
