"""Writing: every process appends its lines, numbered from 1, to a spool of its own.

A spool is a folder: `header.json` says whose it is, `lock` is held while the process lives,
`00000001.jsonl` and so on hold the lines. Segments are what lets a spool stay small: the shipper
removes those it has sent, and nobody ever rewrites one.
"""

import json
import os
import secrets
import threading
from collections.abc import Mapping
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from typing import Any

from .clock import instant_text
from .locks import close_held, open_held, try_lock
from .quiet import say_once

LIMIT = 64 * 1024 * 1024
SEGMENT = 1024 * 1024
LONGEST = 512 * 1024  # of one line; the console takes far less, and a reader must hold a whole one
HEADER, LOCK, DROPPED = "header.json", "lock", "dropped"


def segment_path(folder: Path, number: int) -> Path:
    """Where the lines of one segment lie."""
    return folder / f"{number:08d}.jsonl"


class Spool:
    """The spool of this process. Appending never blocks on anything but the local disk."""

    def __init__(self, parent: Path, header: Mapping[str, Any], *, limit: int = LIMIT, segment: int = SEGMENT) -> None:
        self.header = dict(header)
        self.folder = parent / str(header["spool"])
        self._limit, self._segment_size = limit, segment
        self._guard = threading.RLock()  # a signal handler may append while this very thread does
        self._number, self._segment, self._size = 0, 0, 0
        self._torn = self._closed = False
        self._lock, self._file = _new_folder(parent, self.folder, self.header), -1
        self._dropped = open_held(self.folder / DROPPED, os.O_RDWR | os.O_CREAT)
        os.pwrite(self._dropped, b"%020d" % 0, 0)  # its room is taken now: a full disk cannot refuse it later

    def append(self, record: Mapping[str, Any], *, at: datetime) -> int | None:
        """Write one record as the next line and return its number; None when there was no room for it.

        A dropped line keeps its number, so that the hole shows in what is shipped.
        """
        with self._guard:
            if self._closed:
                return None
            self._number += 1
            with suppress(OSError):
                if self._store(_line(self._number, record, at)):
                    return self._number
            with suppress(OSError):
                os.pwrite(self._dropped, b"%020d" % self._number, 0)
            say_once("spool-full", f"no room in the spool {self.folder}: records are being dropped")
            return None

    def close(self) -> None:
        """Let go of the files and of the lock; whoever gets the lock ships what is left."""
        with self._guard:
            self._closed = True
            for descriptor in (self._file, self._dropped, self._lock):
                close_held(descriptor)

    def _store(self, line: bytes) -> bool:
        if self._file < 0 or (self._size and self._size + len(line) > self._segment_size):
            self._next_segment()
        if len(line) > LONGEST or self._waiting() + len(line) > self._limit:
            return False
        data = b"\n" + line if self._torn else line
        written = os.write(self._file, data)
        self._size += written
        self._torn = written < len(data)
        return not self._torn

    def _waiting(self) -> int:
        """Bytes on the disk; counted only once the process has written enough to reach the limit at all."""
        return self._size if self._segment * self._segment_size < self._limit else _bytes_in(self.folder)

    def _next_segment(self) -> None:
        old, self._file = self._file, -1
        close_held(old)
        flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT
        self._file = open_held(segment_path(self.folder, self._segment + 1), flags)
        self._segment, self._size, self._torn = self._segment + 1, 0, False


def append_as_heir(folder: Path, number: int, segment: int, record: Mapping[str, Any], *, at: datetime) -> None:
    """Add the last line to the spool of a dead process, behind line `number`; needs the lock of the spool.

    It goes to a segment of its own: the one before may end in half a line.
    """
    with segment_path(folder, segment + 1).open("ab") as file:
        file.write(_line(number + 1, record, at))


def _line(number: int, record: Mapping[str, Any], at: datetime) -> bytes:
    text = json.dumps({"n": number, "at": instant_text(at), "record": record}, separators=(",", ":"))
    return text.encode() + b"\n"


def _bytes_in(folder: Path) -> int:
    with os.scandir(folder) as entries:
        return sum(entry.stat().st_size for entry in entries if entry.name.endswith(".jsonl"))


def _new_folder(parent: Path, folder: Path, header: Mapping[str, Any]) -> int:
    """Make the folder under another name, lock it, then give it its name: no neighbour sees it unlocked."""
    parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    fresh = parent / f".new-{os.getpid()}-{secrets.token_hex(4)}"
    fresh.mkdir(mode=0o700)
    (fresh / HEADER).write_text(json.dumps(header), encoding="utf-8")
    (fresh / LOCK).touch(mode=0o600)
    lock = try_lock(fresh / LOCK)
    if lock is None:
        raise OSError("the file system of the spool refuses file locks")
    fresh.rename(folder)
    return lock
