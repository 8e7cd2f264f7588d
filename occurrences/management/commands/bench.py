"""manage.py bench: how fast this installation judges, takes in and plans."""

import json
import os
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import DatabaseError

from occurrences.management.bench import MEASURES, Figure
from occurrences.management.bench.scratch import scratch_database


class Command(BaseCommand):
    help = "Measure judging, ingest, sweep and planning in a scratch database of its own, which it drops afterwards."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--format", choices=["text", "json"], default="text")
        parser.add_argument("--rounds", type=int, default=5, help="both sides of a ratio are measured once in each")
        parser.add_argument("--only", choices=list(MEASURES), action="append", help="may be given more than once")

    def handle(self, *args: Any, **options: Any) -> None:
        if options["rounds"] < 1:
            raise CommandError("--rounds is at least 1")
        figures, loads = [], [os.getloadavg()[0]]
        for name in options["only"] or MEASURES:
            figures += self._measured(name, options)
            loads.append(os.getloadavg()[0])
        if options["format"] == "json":
            document = {"load_average": [round(load, 2) for load in loads], "figures": [f.as_dict() for f in figures]}
            self.stdout.write(json.dumps(document, indent=2))
        else:
            self.stdout.write(f"load average {', '.join(f'{load:.1f}' for load in loads)}, {os.cpu_count()} cores")

    def _measured(self, name: str, options: dict[str, Any]) -> list[Figure]:
        figures = []
        try:
            with scratch_database() as database:
                self.stderr.write(f"{name}: in the scratch database {database}; the live tables are not touched")
                for figure in MEASURES[name](options["rounds"]):
                    figures.append(figure)
                    if options["format"] == "text":
                        self.stdout.write(figure.as_line())
        except DatabaseError as error:
            raise CommandError(f"no scratch database could be used: {error}") from error
        return figures
