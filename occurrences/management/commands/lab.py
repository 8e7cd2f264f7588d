"""`manage.py lab SCENARIO`: lose a run for real in the practice application of `up --lab`."""

import os
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from django.utils.module_loading import import_string

NAMES = (
    "available-worker",
    "delayed-worker",
    "missed-enqueue",
    "missed-tick",
    "expired-before-claim",
    "killed-mid-run",
)


def _seconds(text: str) -> float:
    seconds = float(text)
    if not 0 < seconds <= 3600:
        raise ValueError("between 0 and 3600 seconds")
    return seconds


class Command(BaseCommand):
    help = "Produce one kind of trouble in the running lab and say what the console should show."
    requires_system_checks: list[str] = []  # noqa: RUF012

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("scenario", choices=NAMES)
        parser.add_argument("--data-dir", type=Path, help="of the running `up --lab` (default .aglet-lab)")
        parser.add_argument("--away", type=_seconds, help="seconds for which the missing part is away")
        parser.add_argument("--signal", choices=("TERM", "KILL"), default="TERM", help="that ends it")

    def handle(self, *, scenario: str, data_dir: Path | None, **options: Any) -> None:
        # By name: the lab stands above everything else in the layers, and nothing may depend on it.
        lab_error = import_string("occurrences.lab.control.LabError")
        control = import_string("occurrences.lab.control.Control")
        play = import_string("occurrences.lab.scenarios.play")
        try:
            produced = play(
                scenario,
                control=control(data_dir or _default_data_dir()),
                say=lambda text: self.stdout.write(f"lab: {text}"),
                away=options["away"],
                signal=options["signal"],
            )
        except lab_error as error:
            raise CommandError(str(error)) from error
        except KeyboardInterrupt:
            raise CommandError("stopped; what was taken away is back") from None
        until = f" (until {produced.until})" if produced.until else ""
        absent = f", first absent handoff: {produced.first_absent}{until}" if produced.first_absent else ""
        self.stdout.write(f"The console should show: {produced.verdict}{absent}")
        for identity in produced.identities:
            self.stdout.write(identity)


def _default_data_dir() -> Path:
    given = os.environ.get("AGLET_DATA_DIR")
    return Path(given).expanduser() if given else Path(settings.BASE_DIR) / ".aglet-lab"
