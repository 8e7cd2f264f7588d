"""Real Celery processes on the test run's broker, each with its tap."""

import os
import secrets
import signal
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path

from tests.tap.receiver import Receiver

ROOT = Path(__file__).resolve().parents[2]
BEAT = ["beat", "-S", "occurrences.tap.scheduler:TapScheduler"]
FOREIGN = ("AGLET_", "DJANGO_", "DATABASE_URL", "REDIS_URL")  # of the console; a tapped application has none of it
WORKER = ["worker", "-c", "2", "-I", "occurrences.tap.worker", "--without-gossip", "--without-mingle"]


class Application:
    """One tapped application with keys of its own in the broker."""

    def __init__(self, receiver: Receiver, folder: Path) -> None:
        self.folder, self.spool = folder, folder / "spool"
        self.environment = {
            **{k: v for k, v in os.environ.items() if not k.startswith(FOREIGN)},
            "PYTHONPATH": str(ROOT),
            "AGLET_TAP_URL": receiver.url,
            "AGLET_TAP_SOURCE": "celery:demo",
            "AGLET_TAP_KEY": "secret",
            "AGLET_TAP_SPOOL": str(self.spool),
            "DEMO_BROKER": os.environ["REDIS_URL"],
            "DEMO_PREFIX": f"demo-{secrets.token_hex(4)}:",
        }
        self.running: dict[str, subprocess.Popen[bytes]] = {}

    def start(self, name: str, arguments: list[str], *, env: Mapping[str, str] | None = None) -> int:
        """Start one process and return its pid."""
        with self.log(name).open("ab") as log:
            self.running[name] = subprocess.Popen(
                [sys.executable, "-m", "celery", "-A", "tests.tap.demo", *arguments, "-l", "INFO"],
                env={**self.environment, **(env or {})},
                cwd=self.folder,
                stdout=log,
                stderr=subprocess.STDOUT,
            )
        return self.running[name].pid

    def end(self, name: str, number: int = signal.SIGTERM) -> int:
        """Send a signal and wait for the end; returns the exit status."""
        process = self.running.pop(name)
        process.send_signal(number)
        try:
            return process.wait(timeout=20)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
            raise

    def stop_all(self) -> None:
        for name in list(self.running):
            self.end(name)
        for log in sorted(self.folder.glob("*.log")):  # shown when the test failed
            print(f"--- {log.name}\n{log.read_text()[-4000:]}")

    def log(self, name: str) -> Path:
        return self.folder / f"{name}.log"

    def text(self, name: str) -> str:
        return self.log(name).read_text()

    def wait_for_text(self, name: str, text: str, within: float = 15) -> None:
        end = time.monotonic() + within
        while text not in self.text(name):
            assert time.monotonic() < end, f"{text!r} not in the log of {name}:\n{self.text(name)[-2000:]}"
            time.sleep(0.02)

    def spools(self) -> list[str]:
        """The spools on disk."""
        folder = self.spool / "celery:demo"
        return sorted(path.parent.name for path in folder.glob("*/header.json"))
