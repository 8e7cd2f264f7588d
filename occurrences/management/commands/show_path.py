"""manage.py show_path: one occurrence from due to terminal, in the terminal."""

import json
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from occurrences.contract.errors import InvalidIdentity
from occurrences.contract.occurrences import Identity
from occurrences.queries.clock import database_now
from occurrences.queries.paths import Path, as_document, instant, newest_ended, path_of


class Command(BaseCommand):
    help = "Show the eight handoffs of one occurrence, its verdict and the first absent handoff."

    def add_arguments(self, parser: CommandParser) -> None:
        wanted = parser.add_mutually_exclusive_group(required=True)
        wanted.add_argument("identity", nargs="?", help="source/schedule@2026-10-25T01:30:00Z")
        wanted.add_argument("--latest", metavar="SOURCE", help="the newest occurrence that has a terminal record")
        parser.add_argument("--format", choices=["text", "json"], default="text")

    def handle(self, *args: Any, **options: Any) -> None:
        path = path_of(self._wanted(options), as_of=database_now())
        if path is None:
            raise CommandError(f"no occurrence {options['identity'] or options['latest']}")
        if options["format"] == "json":
            self.stdout.write(json.dumps(as_document(path), indent=2))
        else:
            self._write_text(path)

    def _wanted(self, options: dict[str, Any]) -> Identity:
        if options["latest"] is not None:
            newest = newest_ended(options["latest"])
            if newest is None:
                raise CommandError(f"no occurrence of '{options['latest']}' has a terminal record")
            return newest
        try:
            return Identity.parse(options["identity"])
        except InvalidIdentity as invalid:
            raise CommandError(str(invalid)) from invalid

    def _write_text(self, path: Path) -> None:
        said = path.judgement
        self.stdout.write(f"{path.case.question.identity}\n{said.verdict.words}. {said.sentence}\n")
        for s in said.stations:
            when = instant(s.at) or (f"by {instant(s.expected_by)}" if s.expected_by else "")
            self.stdout.write(f"  {s.handoff.label:15} {s.state.words:13} {when:30} {s.owner or ''}")
        self.stdout.write(f"first absent: {said.first_absent.word if said.first_absent is not None else 'none'}")
        self.stdout.write(f"next deadline: {instant(said.next_deadline) or 'none'}")
        self.stdout.write(f"replay safe: {path.safety.reason}")
