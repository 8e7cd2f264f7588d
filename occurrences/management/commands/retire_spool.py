"""manage.py retire_spool: a host will not return."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from occurrences.queries.clock import database_now
from occurrences.queries.sources import source_named
from occurrences.queries.workers import open_spools
from occurrences.services.workers import NoSuchSpool, retire_spool


class Command(BaseCommand):
    help = "Close the spool of a host that will not return, so that its role is not blind for ever."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("source")
        parser.add_argument("spool", nargs="?", help="its name; without it the open spools of the source are listed")

    def handle(self, *args: Any, **options: Any) -> None:
        if options["spool"] is None:
            self._list(options["source"])
            return
        try:
            closed = retire_spool(
                source=options["source"], spool=options["spool"], by="command line", now=database_now()
            )
        except NoSuchSpool as none:
            raise CommandError(str(none)) from none
        self.stdout.write(f"closed {closed.spool} of {closed.name}; what it held back stays unproven")

    def _list(self, source: str) -> None:
        if source_named(source) is None:
            raise CommandError(f"there is no source '{source}'")
        for process in open_spools(source):
            seen = f"{process.last_seen:%Y-%m-%dT%H:%M:%SZ}"
            self.stdout.write(f"{process.spool}  {process.role}  {process.name}  last heard {seen}")
