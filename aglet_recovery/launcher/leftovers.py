"""Stopping what still lives of an `up` that was killed."""

import contextlib
import os
import signal
import time
from collections.abc import Callable
from pathlib import Path

from aglet_recovery.launcher import living, places, registry
from aglet_recovery.launcher.found import read_servers
from aglet_recovery.launcher.living import Mark

PATIENCE_SECONDS = 5
SERVERS = ("valkey", "postgres")


def stop(data_dir: Path, *, say: Callable[[str], None]) -> None:
    """Stop every live process of the last `up` on this data folder, servers last, and its socket folder.

    A process is known by number, start and boot, so a stranger that got the number later is left alone.
    """
    marks = registry.read_children(data_dir)
    for name in sorted(marks, key=_last_the_servers):
        members = living.session_members(marks[name])
        if members:
            say(f"stopping what the last `up` left running: {name} (process {marks[name].pid})")
            _stop(name, marks[name])
    sockets = read_servers(data_dir).get("sockets")
    if isinstance(sockets, str):
        places.remove_short_folder(Path(sockets))
    registry.forget(data_dir)


def _last_the_servers(name: str) -> int:
    return SERVERS.index(name) if name in SERVERS else -1


def _stop(name: str, mark: Mark) -> None:
    gentle = signal.SIGINT if name == "postgres" else signal.SIGTERM
    if living.is_alive(mark):
        _send(mark.pid, gentle)
        if _gone(lambda: not living.is_alive(mark)):
            # The children of its pool or its web workers may take a moment longer.
            _gone(lambda: not living.session_members(mark), seconds=1)
    for pid in living.session_members(mark):
        _send(pid, signal.SIGKILL)
    _gone(lambda: not living.session_members(mark))


def _send(pid: int, number: int) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, number)


def _gone(check: Callable[[], bool], *, seconds: float = PATIENCE_SECONDS) -> bool:
    deadline = time.monotonic() + seconds
    while not check():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.03)
    return True
