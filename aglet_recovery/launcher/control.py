"""Asking a running `up` to end or start one of its children: one JSON line there, one back."""

import contextlib
import json
import selectors
import signal
import socket
from pathlib import Path
from typing import Any

from aglet_recovery.launcher.errors import LaunchError
from aglet_recovery.launcher.found import found
from aglet_recovery.launcher.processes import Child, Children

SIGNALS = {"TERM": signal.SIGTERM, "KILL": signal.SIGKILL}
LONGEST_REQUEST = 4096


def send(data_dir: Path, request: dict[str, Any]) -> dict[str, Any]:
    """Send one request to the `up` of this data folder and return its answer.

    Requests: {"do": "list"}, {"do": "start", "name": N},
    {"do": "stop", "name": N, "signal": "TERM" or "KILL"}.
    Raises LaunchError when no `up` runs there or it refuses.
    """
    running = found(data_dir)
    if running is None:
        raise LaunchError(f"No `up` runs on {data_dir}: start one, or name its data folder in AGLET_DATA_DIR.")
    try:
        answer = json.loads(_exchange(running.sockets / "control.sock", json.dumps(request)))
    except (OSError, ValueError) as error:
        raise LaunchError(f"The `up` on {data_dir} does not answer: {error}") from error
    if "error" in answer:
        raise LaunchError(str(answer["error"]))
    return dict(answer)


def _exchange(path: Path, line: str) -> str:
    with socket.socket(socket.AF_UNIX) as connection:
        connection.settimeout(30)
        connection.connect(str(path))
        connection.sendall(line.encode() + b"\n")
        with connection.makefile("r") as answer:
            return answer.readline()


class Door:
    """The listening end inside `up`, served by the children's own loop."""

    def __init__(self, path: Path, children: Children) -> None:
        self.children = children
        path.unlink(missing_ok=True)
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(str(path))
        path.chmod(0o600)
        self.listener.listen(8)
        self.listener.setblocking(False)
        children.selector.register(self.listener, selectors.EVENT_READ, self._accept)

    def close(self) -> None:
        self.children.selector.unregister(self.listener)
        self.listener.close()

    def _accept(self) -> None:
        with contextlib.suppress(OSError):
            connection, _ = self.listener.accept()
            # The asker is one of our own commands and sends its line at once; a mute one is dropped.
            connection.settimeout(1)
            with connection:
                line = connection.recv(LONGEST_REQUEST)
                connection.sendall(json.dumps(self._answer(line)).encode() + b"\n")

    def _answer(self, line: bytes) -> dict[str, Any]:
        try:
            request = json.loads(line)
            return self._carry_out(request["do"], request.get("name", ""), request.get("signal", "TERM"))
        except LaunchError as error:
            return {"error": str(error)}
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            return {"error": f"The request was not understood: {error!r}"}

    def _carry_out(self, verb: str, name: str, number: str) -> dict[str, Any]:
        if verb == "start":
            self.children.start_again(name)
            self.children.printer.line("up", f"{name} started on request.")
        elif verb == "stop":
            self.children.send(name, SIGNALS[number])
            self.children.printer.line("up", f"{name} sent {number} on request.")
        elif verb != "list":
            return {"error": f"There is no request {verb!r}."}
        return {"children": [_row(name, child) for name, child in self.children.by_name.items()]}


def _row(name: str, child: Child) -> dict[str, Any]:
    code = child.process.poll()
    return {
        "name": name,
        "pid": child.process.pid,
        "state": "running" if code is None else "ended",
        "exit": code,
    }
