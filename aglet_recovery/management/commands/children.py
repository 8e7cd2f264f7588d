import time
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand

from aglet_recovery.launcher.control import SIGNALS, send
from aglet_recovery.launcher.errors import LaunchError
from aglet_recovery.launcher.found import default_data_dir

END_SECONDS = 30


class Command(BaseCommand):
    help = "List the processes of the running `up`, or end and start one of them, to see what the console says."
    requires_system_checks: list[str] = []  # noqa: RUF012

    def add_arguments(self, parser: ArgumentParser) -> None:
        verbs = parser.add_subparsers(dest="verb")
        stop = verbs.add_parser("stop", help="end a child and wait until it has ended")
        stop.add_argument("name")
        stop.add_argument("--signal", choices=sorted(SIGNALS), default="TERM")
        verbs.add_parser("start", help="start a child that ended").add_argument("name")

    def handle(self, *, verb: str | None, **options: Any) -> None:
        request = {"do": verb or "list"} | {key: options[key] for key in ("name", "signal") if key in options}
        children = send(default_data_dir(), request)["children"]
        if verb == "stop":
            children = self._wait_for_end(options["name"])
        for child in children:
            ending = "" if child["exit"] is None else f"  exit {child['exit']}"
            self.stdout.write(f"{child['name']:<12}{child['pid']:>8}  {child['state']}{ending}")

    def _wait_for_end(self, name: str) -> list[dict[str, Any]]:
        deadline = time.monotonic() + END_SECONDS
        while time.monotonic() < deadline:
            children: list[dict[str, Any]] = send(default_data_dir(), {"do": "list"})["children"]
            if all(child["state"] == "ended" for child in children if child["name"] == name):
                return children
            time.sleep(0.1)
        raise LaunchError(f"{name} did not end within {END_SECONDS} s.")
