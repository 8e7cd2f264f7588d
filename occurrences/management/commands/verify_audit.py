"""Walk the audit chain and name the first row that does not hold."""

import re
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from occurrences.contract.audit import Walk
from occurrences.queries.audit import walk_audit


class Command(BaseCommand):
    """Print how many rows hold and the digest of the last; exit 1 when the chain is broken."""

    help = (
        "Walk the audit chain from its first row. Keep the head it prints somewhere else: given back by --head it "
        "also shows whether rows were cut off at the end. Exit 1 when the chain does not hold."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        """Add the options."""
        parser.add_argument("--head", metavar="DIGEST", help="a head printed before, which the chain must contain")

    def handle(self, *args: Any, **options: Any) -> None:
        """Walk and report."""
        head = options["head"]
        if head is not None and not re.fullmatch(r"[0-9a-f]{64}", head):
            raise CommandError("--head is a digest of 64 hexadecimal digits", returncode=2)
        found = walk_audit(expect=head)
        self._say_break(found)
        if not found.met:
            raise CommandError(f"{found.rows} rows hold, and none of them is the head {head}: rows were cut off.")
        self.stdout.write(f"{found.rows} rows hold. Head {found.head}")

    def _say_break(self, found: Walk) -> None:
        if found.broken is None:
            return
        link = found.broken.link
        raise CommandError(
            f"Row {link.id} ({link.at.isoformat()}, {link.act!r} by {link.by!r}) is broken: {found.broken.why}. "
            f"The {found.rows} rows before it hold."
        )
