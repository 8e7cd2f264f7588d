"""A running `up` for tests: started as a shell would, its output collected, always stopped."""

import http.client
import os
import shlex
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

from aglet_recovery.launcher import registry

ROOT = Path(__file__).resolve().parents[2]
START_SECONDS = 60
OURS = ("DATABASE_URL", "REDIS_URL", "AGLET_", "DJANGO_")


def environment(**more: str) -> dict[str, str]:
    """The environment of this run without the servers of the test run in it."""
    return {key: value for key, value in os.environ.items() if not key.startswith(OURS)} | more


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


class Up:
    """One `manage.py up` on `data_dir`; `before` is shell text, such as a trap."""

    def __init__(self, data_dir: Path, *argv: str, before: str = "", port: int = 0, **env: str) -> None:
        self.data_dir = data_dir
        self.port = port or free_port()
        self.address = f"http://127.0.0.1:{self.port}"
        command = [sys.executable, "manage.py", "up", "--data-dir", str(data_dir), "--port", str(self.port), *argv]
        data_dir.mkdir(parents=True, exist_ok=True)
        self.output = data_dir / "output.txt"
        with self.output.open("wb") as output:
            self.process = subprocess.Popen(
                ["sh", "-c", f"{before}exec {shlex.join(command)}"],
                cwd=ROOT,
                env=environment(**env),
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
            )

    def text(self) -> str:
        return self.output.read_text(errors="replace")

    def wait_for(self, text: str, *, seconds: float = START_SECONDS) -> None:
        deadline = time.monotonic() + seconds
        while text not in self.text():
            ended = self.process.poll()
            if time.monotonic() > deadline or ended is not None:
                self.stop()
                raise AssertionError(f"no {text!r} (exit code {ended}) in:\n{self.text()[-4000:]}")
            time.sleep(0.05)

    def wait_until_started(self) -> None:
        self.wait_for("Ctrl-C stops it.")

    def answers(self) -> bool:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=10)
        try:
            connection.request("GET", "/healthz")
            return connection.getresponse().status == 200
        finally:
            connection.close()

    def environment_of(self, name: str) -> dict[str, str]:
        pid = registry.read_children(self.data_dir)[name].pid
        pairs = Path(f"/proc/{pid}/environ").read_bytes().decode().split("\0")
        return dict(pair.split("=", 1) for pair in pairs if "=" in pair)

    def stop(self) -> None:
        """Stop in order, by force when that takes too long."""
        for number in (signal.SIGTERM, signal.SIGTERM, signal.SIGKILL):
            if self.process.poll() is not None:
                break
            self.process.send_signal(number)
            try:
                self.process.wait(timeout=60 if number == signal.SIGTERM else 5)
            except subprocess.TimeoutExpired:
                continue
        self.process.wait()
