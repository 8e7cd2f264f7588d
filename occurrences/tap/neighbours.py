"""Which spools a process ships: its own, those of its pool children, and those of the dead around it.

The file lock decides who is dead. It is taken before a dead neighbour's spool is touched, so two
living processes never ship the same one.
"""

from contextlib import suppress
from datetime import datetime
from pathlib import Path
from typing import Any

from .locks import close_held, is_locked, try_lock
from .reading import Reader, folders
from .spool import LOCK, append_as_heir
from .wire import Owner, process_record


class Neighbours:
    """The spools of one source on this host, seen from the process `own` (a spool's name)."""

    def __init__(self, parent: Path, own: str) -> None:
        self._parent, self._own = parent, own
        self._readers: dict[str, Reader] = {}
        self._locks: dict[str, int] = {}

    def survey(self, *, now: datetime, stopping: bool = False) -> list[Reader]:
        """The spools to ship now, the own one first. Spools found to be dead are closed on the way.

        While this process stops in an orderly way, a child that is gone was stopped with it: `offline`.
        """
        present = {folder.name: folder for folder in folders(self._parent)}
        for name in [name for name in self._readers if name not in present]:
            self._forget(name)
        for name, folder in present.items():
            with suppress(OSError, ValueError):  # removed while we looked: its shipper was done with it
                self._look_at(name, folder, "offline" if stopping else "lost", now)
        return sorted(self._readers.values(), key=lambda reader: reader.name != self._own)

    def _look_at(self, name: str, folder: Path, state: str, now: datetime) -> None:
        reader = self._readers.get(name) or Reader(folder)
        if name != self._own and name not in self._locks:
            child = reader.header.get("parent") == self._own
            if child or not self._has_living_parent(reader.header):
                self._take_over(reader, state if child else "lost", now)
            ships_itself = reader.header.get("ships_itself")
            if name not in self._locks and (not child or ships_itself):
                self._readers.pop(name, None)
                return
        self._readers[name] = reader

    def _has_living_parent(self, header: dict[str, Any]) -> bool:
        parent = header.get("parent")
        return bool(parent) and parent not in self._locks and is_locked(self._parent / str(parent) / LOCK)

    def _take_over(self, reader: Reader, state: str, now: datetime) -> None:
        lock = try_lock(reader.folder / LOCK)
        if lock is None:
            return
        self._locks[reader.name] = lock
        reader.load()
        end = reader.ending()
        if not end.closed:
            words = _last_words(reader, state, end.at, now)
            append_as_heir(reader.folder, end.number, end.segment, words, at=now)

    def finish(self, reader: Reader) -> None:
        """Remove a closed spool that is shipped and covered to its end, if it is ours to remove."""
        if reader.name in self._locks:
            reader.remove(self._parent / "refused")
            self._forget(reader.name)

    def finish_own(self) -> None:
        """Remove the own spool after an orderly stop, when all of it is shipped and covered."""
        reader = self._readers.get(self._own)
        if reader is not None and reader.closed and not reader.ranges:
            reader.remove(self._parent / "refused")

    def _forget(self, name: str) -> None:
        self._readers.pop(name, None)
        lock = self._locks.pop(name, None)
        if lock is not None:
            close_held(lock)

    def refused(self) -> int:
        """Records set aside in the spools shipped from here."""
        return sum(reader.refused for reader in self._readers.values())


def _last_words(reader: Reader, state: str, last_seen: str | None, now: datetime) -> dict[str, Any]:
    header = reader.header
    owner = Owner(**{name: header[name] for name in ("source", "role", "name", "host", "pid")})
    record = process_record(
        owner, state, spool=reader.name, started_at=header["started_at"], at=now, refused=reader.refused
    )
    record["queues"], record["capacity"] = header.get("queues", []), header.get("capacity", 0)
    record["last_seen"] = last_seen or header["started_at"]
    return record
