"""Telling a process apart from a later one that got the same number."""

import contextlib
import os
import signal
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path

PROC = Path("/proc")


@dataclass(frozen=True, slots=True, kw_only=True)
class Stat:
    """What the kernel says of one process: state letter, parent, session, start in ticks since boot."""

    state: str
    parent: int
    session: int
    started: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Mark:
    """A process named by number, start and boot: the number alone is given out again."""

    pid: int
    started: int
    boot: str

    def to_json(self) -> dict[str, object]:
        return asdict(self)


def read_stat(pid: int) -> Stat | None:
    """Return the kernel's line on `pid`, or None when there is no such process (or no /proc)."""
    try:
        text = (PROC / str(pid) / "stat").read_text()
    except OSError:
        return None
    # The command name stands in brackets and may hold spaces and brackets itself.
    fields = text.rpartition(")")[2].split()
    return Stat(state=fields[0], parent=int(fields[1]), session=int(fields[3]), started=int(fields[19]))


@cache
def boot_id() -> str:
    try:
        return (PROC / "sys/kernel/random/boot_id").read_text().strip()
    except OSError:
        return ""


def mark(pid: int) -> Mark:
    """Return the mark of a process that runs now; its start is 0 where the kernel does not tell."""
    stat = read_stat(pid)
    return Mark(pid=pid, started=stat.started if stat else 0, boot=boot_id())


def mark_from_json(value: object) -> Mark | None:
    """Return the mark that was written down, or None when it is damaged."""
    if not isinstance(value, dict):
        return None
    try:
        return Mark(pid=int(value["pid"]), started=int(value["started"]), boot=str(value["boot"]))
    except (KeyError, TypeError, ValueError):
        return None


def is_alive(known: Mark) -> bool:
    """Whether this very process still runs; one that only waits to be reaped does not."""
    stat = read_stat(known.pid)
    return stat is not None and stat.state != "Z" and stat.started == known.started and known.boot == boot_id()


def session_members(leader: Mark) -> list[int]:
    """Return the live processes of the session that `leader` opened, itself included.

    Empty when the number of the leader went to a younger process: that session is another one.
    """
    stat = read_stat(leader.pid)
    if leader.boot != boot_id() or (stat is not None and stat.started != leader.started):
        return []
    return [pid for pid in _pids() if _belongs(pid, leader)]


def _belongs(pid: int, leader: Mark) -> bool:
    stat = read_stat(pid)
    return stat is not None and stat.state != "Z" and stat.session == leader.pid and stat.started >= leader.started


def _pids() -> list[int]:
    try:
        return [int(entry.name) for entry in PROC.iterdir() if entry.name.isdigit()]
    except OSError:
        return []


def kill(pid: int) -> None:
    """Kill a process that may have ended meanwhile."""
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, signal.SIGKILL)
