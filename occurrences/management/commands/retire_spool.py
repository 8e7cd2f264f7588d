"""manage.py retire_spool: a host will not return."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from occurrences.queries.clock import database_now
from occurrences.services.workers import NoSuchSpool, retire_spool


class Command(BaseCommand):
    help = "Close the spool of a host that will not return, so that its role is not blind for ever."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("source")
        parser.add_argument("spool", help="its name, as the list of processes shows it")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            closed = retire_spool(
                source=options["source"], spool=options["spool"], by="command line", now=database_now()
            )
        except NoSuchSpool as none:
            raise CommandError(str(none)) from none
        self.stdout.write(f"closed {closed.spool} of {closed.name}; what it held back stays unproven")
