"""What a scenario does to the running practice application: end, start, and take away a right.

The control socket belongs to `up`; the few lines that speak to it are repeated here because the
app does not import the project that runs it.
"""

import json
import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from redis import Redis

from occurrences.lab.plan import USER


class LabError(Exception):
    """The practice application cannot be reached, or does not do what was asked; the text says what to do."""


class Control:
    """The running `up --lab` of one data folder."""

    def __init__(self, data_dir: Path) -> None:
        self._data_dir = data_dir
        try:
            self._servers = json.loads((data_dir / "run" / "servers.json").read_text(encoding="utf-8"))
        except (OSError, ValueError) as error:
            raise LabError(f"No lab runs on {data_dir}: start it with `manage.py up --lab`.") from error

    def ask(self, **request: str) -> list[dict[str, Any]]:
        """Send one request and return the children as they are then. Raises LabError."""
        path = Path(self._servers["sockets"]) / "control.sock"
        try:
            with socket.socket(socket.AF_UNIX) as connection:
                connection.settimeout(30)
                connection.connect(str(path))
                connection.sendall(json.dumps(request).encode() + b"\n")
                with connection.makefile("r") as reply:
                    answer = json.loads(reply.readline())
        except (OSError, ValueError) as error:
            raise LabError(f"The `up` on {self._data_dir} does not answer: {error}") from error
        if "error" in answer:
            raise LabError(str(answer["error"]))
        return list(answer["children"])

    def is_running(self, name: str) -> bool:
        """Whether a child of that name exists and lives."""
        return any(c["name"] == name and c["state"] == "running" for c in self.ask(do="list"))

    def end(self, name: str, signal: str = "TERM", within: float = 30) -> None:
        """End a child and wait until it is gone."""
        self.ask(do="stop", name=name, signal=signal)
        deadline = time.monotonic() + within
        while self.is_running(name):
            if time.monotonic() > deadline:
                raise LabError(f"{name} did not end within {within:g} s.")
            time.sleep(0.05)

    def start(self, name: str) -> None:
        """Start a child that has ended; does nothing when it lives."""
        if not self.is_running(name):
            self.ask(do="start", name=name)

    @contextmanager
    def away(self, name: str, signal: str = "TERM") -> Iterator[None]:
        """The child is gone for the length of the block, and started again whatever happens in it."""
        try:
            self.end(name, signal)
            yield
        finally:
            self.start(name)

    @contextmanager
    def refusing_to_enqueue(self) -> Iterator[None]:
        """The broker refuses `lpush` to the lab's user for the length of the block."""
        with Redis(unix_socket_path=self._broker_socket()) as broker:
            try:
                broker.execute_command("ACL", "SETUSER", USER, "-lpush")
                yield
            finally:
                broker.execute_command("ACL", "SETUSER", USER, "+lpush")

    def _broker_socket(self) -> str:
        address = self._servers.get("redis_url")
        if not isinstance(address, str):
            raise LabError("This `up` does not run the broker itself, so the lab cannot take a right away.")
        return unquote(urlsplit(address).path)
