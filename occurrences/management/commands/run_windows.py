"""manage.py run_windows: judge kept windows and compare with what they expect. No database is opened."""

import json
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from occurrences.contract.errors import InvalidWindow
from occurrences.contract.window_comparing import Comparison, Difference, compared
from occurrences.contract.window_files import read_window
from occurrences.contract.windows import Window
from occurrences.queries.paths import instant

DIFFER, UNREADABLE = 1, 2
COLUMNS = ("case", "as_of", "identity", "field", "expected", "found")


class Command(BaseCommand):
    help = (
        "Judge window files, or every *.json below a folder, and compare the answers with what the files expect. "
        "Exit 1: something differs. Exit 2: a path is missing, or a file cannot be read."
    )
    requires_system_checks = ()

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("paths", nargs="+", metavar="PATH", help="a window file, or a folder of them")
        parser.add_argument("--format", choices=["text", "json"], default="text")

    def handle(self, *args: Any, **options: Any) -> None:
        windows = _read(list(dict.fromkeys(_files(options["paths"]))))
        found = list(self._compared(windows))
        counts = {
            "cases": len(windows),
            "expectations": sum(each.expectations for each in found),
            "agree": sum(each.agree for each in found),
        }
        differ = [_row(difference) for each in found for difference in each.differ]
        if options["format"] == "json":
            self.stdout.write(json.dumps(counts | {"differ": differ}, indent=2))
        else:
            self._write_text(counts, differ)
        if differ:
            sys.exit(DIFFER)

    def _compared(self, windows: Sequence[Window]) -> Iterator[Comparison]:
        """Judge one after the other; a terminal is told how far we are."""
        shown = self.stderr.isatty()
        for number, window in enumerate(windows, start=1):
            if shown:
                self._progress(f"judging {number} of {len(windows)}: {_cell(window.case)}")
            yield compared(window)
        if shown:
            self._progress("")

    def _progress(self, text: str) -> None:
        # Past the styled wrapper, which would end the line.
        sys.stderr.write(f"\r\x1b[K{text[:79]}")
        sys.stderr.flush()

    def _write_text(self, counts: dict[str, int], differ: Sequence[dict[str, object]]) -> None:
        if differ:
            self.stdout.write(_table([COLUMNS, *([_cell(row[name]) for name in COLUMNS] for row in differ)]))
        of = f"{counts['agree']} of {counts['expectations']} expected occurrences agree"
        self.stdout.write(f"{of}; cases: {counts['cases']}, differences: {len(differ)}")


def _files(paths: Sequence[str]) -> Iterator[Path]:
    for path in map(Path, paths):
        if path.is_dir():
            below = sorted(each for each in path.rglob("*.json") if each.is_file())
            if not below:
                raise CommandError(f"{path}: no window file (*.json) in this folder", returncode=UNREADABLE)
            yield from below
        elif path.exists():
            yield path
        else:
            raise CommandError(f"{path}: there is no such file or folder", returncode=UNREADABLE)


def _read(files: Sequence[Path]) -> list[Window]:
    """Read them all, or say of each that cannot be read where that is."""
    windows, wrong = [], []
    for file in files:
        try:
            windows.append(read_window(file.read_bytes()))
        except InvalidWindow as error:
            wrong.append(f"{file}:{error.line}: {error}")
        except OSError as error:
            wrong.append(f"{file}: {error.strerror}")
    if wrong:
        raise CommandError("\n".join(wrong), returncode=UNREADABLE)
    return windows


def _row(difference: Difference) -> dict[str, object]:
    return {
        "case": difference.case,
        "as_of": instant(difference.as_of),
        "identity": difference.identity,
        "field": difference.field,
        "expected": difference.expected,
        "found": difference.found,
    }


def _cell(value: object) -> str:
    # What a file says must not steer the terminal.
    return value if isinstance(value, str) and value.isprintable() else json.dumps(value)


def _table(rows: Sequence[Sequence[str]]) -> str:
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows
    )
