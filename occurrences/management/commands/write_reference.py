"""manage.py write_reference: write the generated pages of the handbook."""

import json
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser

from occurrences.api.urls import api
from occurrences.management.reference import pages


class Command(BaseCommand):
    help = "Write docs/reference/ from the code; with --check only say whether it is current."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--check", action="store_true", help="write nothing; exit 1 when a page is not current")

    def handle(self, *args: Any, **options: Any) -> None:
        folder = Path(settings.BASE_DIR) / "docs" / "reference"
        document = json.dumps(api.get_openapi_schema(), indent=2, sort_keys=True, default=str) + "\n"
        wanted = pages() | {"openapi.json": document}
        stale = [name for name, text in wanted.items() if _read(folder / name) != text]
        if options["check"]:
            if stale:
                raise CommandError(f"not current: {', '.join(stale)}; run manage.py write_reference")
            return
        folder.mkdir(parents=True, exist_ok=True)
        for name in stale:
            (folder / name).write_text(wanted[name])
            self.stdout.write(f"wrote {name}")


def _read(path: Path) -> str:
    return path.read_text() if path.is_file() else ""
