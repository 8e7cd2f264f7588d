"""Reading a spool: where its shipper stands, what waits in it, and what has been proven of it.

The position is kept in `shipped.json` beside the lines and replaced as a whole, so that whoever takes
a spool over goes on exactly where the shipper before it was; at worst a few lines are sent twice.
"""

import json
import os
import shutil
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .spool import DROPPED, HEADER, segment_path

STATE, REFUSED = "shipped.json", "refused.jsonl"
REFUSED_LIMIT = 16 * 1024 * 1024
CLOSING = ("offline", "lost")
CHUNK = 1024 * 1024  # read at once; at least the longest line


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One line as read: its number, its time, its record, and where the next one begins."""

    number: int
    at: str
    record: dict[str, Any]
    segment: int
    offset: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Ending:
    """The newest number of a spool, the segment and time of its last line, and whether that closes it."""

    number: int
    segment: int
    at: str | None
    closed: bool


class Reader:
    """One spool as its shipper sees it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.header: dict[str, Any] = json.loads((folder / HEADER).read_text(encoding="utf-8"))
        self.segment, self.offset, self.number = 1, 0, 0
        self.last_at: str | None = None
        self.refused = 0
        self.closed = False
        self.ranges: list[list[Any]] = []  # [first, last, time of last]: sent, but not yet covered
        self.whole = True  # False while the newest number is a hole
        self.load()

    @property
    def name(self) -> str:
        """The spool's name on the wire."""
        return str(self.header["spool"])

    def load(self) -> None:
        """Take up the position kept beside the spool, if there is one."""
        with suppress(OSError, ValueError):
            kept = json.loads((self.folder / STATE).read_text(encoding="utf-8"))
            for field in ("segment", "offset", "number", "last_at", "refused", "closed", "ranges", "whole"):
                setattr(self, field, kept[field])

    def save(self) -> None:
        """Write the position; the old one stays when there is no room for a new one."""
        fields = ("segment", "offset", "number", "last_at", "refused", "closed", "ranges", "whole")
        fresh = self.folder / (STATE + ".new")
        with suppress(OSError):
            fresh.write_text(json.dumps({name: getattr(self, name) for name in fields}), encoding="utf-8")
            fresh.replace(self.folder / STATE)

    def waiting(self, most: int, most_bytes: int) -> tuple[list[Line], bool]:
        """Up to `most` lines from the position on, and whether that is all there is at this moment."""
        lines: list[Line] = []
        segment, offset = self.segment, self.offset
        while True:
            path = segment_path(self.folder, segment)
            data = _read(path, offset, most_bytes)
            for raw in data.splitlines(keepends=True):
                if not raw.endswith(b"\n"):
                    break
                if len(lines) == most:
                    return lines, False
                offset += len(raw)
                lines.extend(_parsed(raw, segment, offset))
            if len(data) >= most_bytes:
                return lines, False
            if not segment_path(self.folder, segment + 1).exists():
                return lines, True
            # The writer never returns to a segment once the next exists, but it may have
            # written between our reading and our looking.
            if b"\n" not in _read(path, offset, most_bytes):
                segment, offset = segment + 1, 0

    def settle(self, line: Line, refusal: str | None) -> None:
        """Move behind `line`: it is acknowledged, or refused for good and set aside with its reason."""
        unbroken = line.number == self.number + 1
        self.segment, self.offset, self.number, self.last_at = line.segment, line.offset, line.number, line.at
        if refusal is not None:
            self._set_aside(line, refusal)
        elif self.ranges and unbroken and self.whole:
            self.ranges[-1][1:] = [line.number, line.at]
        else:
            self.ranges.append([line.number, line.number, line.at])
        self.whole = refusal is None
        record = line.record
        self.closed = record.get("kind") == "process" and record.get("state") in CLOSING

    def _set_aside(self, line: Line, reason: str) -> None:
        self.refused += 1
        path = self.folder / REFUSED
        with suppress(OSError), path.open("ab") as file:
            if file.tell() < REFUSED_LIMIT:
                file.write(json.dumps({"reason": reason, "record": line.record}).encode() + b"\n")

    def has_hole_at_end(self) -> bool:
        """True when the newest number was refused or dropped: nothing can be proven up to the present."""
        return not self.whole or self._dropped() > self.number

    def _dropped(self) -> int:
        try:
            return int((self.folder / DROPPED).read_bytes() or b"0")
        except (OSError, ValueError):
            return 0

    def ending(self) -> Ending:
        """How the spool of a dead process ends; reads all that waits in it."""
        ahead = Reader(self.folder)
        at_end = False
        while not at_end:
            lines, at_end = ahead.waiting(10_000, CHUNK)
            for line in lines:
                ahead.settle(line, None)
        newest = max(ahead.number, self._dropped())
        # A line cut off by the death of its writer is a lost one: its number must show as a hole.
        torn = bool(_read(segment_path(self.folder, ahead.segment), ahead.offset, 1))
        return Ending(number=newest + torn, segment=ahead.segment, at=ahead.last_at, closed=ahead.closed)

    def drop_shipped_segments(self) -> None:
        """Remove the segments that lie wholly behind the position."""
        for number in range(self.segment - 1, 0, -1):
            try:
                segment_path(self.folder, number).unlink()
            except OSError:
                return

    def remove(self, aside: Path) -> None:
        """Remove the spool; lines set aside are kept, under its name, in the folder `aside`."""
        if (self.folder / REFUSED).exists():
            with suppress(OSError):
                aside.mkdir(exist_ok=True, mode=0o700)
                (self.folder / REFUSED).replace(aside / f"{self.name}.jsonl")
        # Out of sight first: half a folder must not look like a spool to anybody.
        gone = self.folder.with_name(f".gone-{self.name}")
        with suppress(OSError):
            self.folder.replace(gone)
        shutil.rmtree(gone, ignore_errors=True)


def folders(parent: Path) -> Sequence[Path]:
    """The spools of a source, oldest name first."""
    try:
        return sorted(path for path in parent.iterdir() if (path / HEADER).exists() and path.name[0] != ".")
    except OSError:
        return []


def _read(path: Path, offset: int, most: int) -> bytes:
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return b""
    try:
        return os.pread(descriptor, most, offset)
    finally:
        os.close(descriptor)


def _parsed(raw: bytes, segment: int, offset: int) -> list[Line]:
    """The line, or nothing when a full disk or a crash left only a part of it: a hole in the numbers."""
    try:
        fields = json.loads(raw)
        number, at, record = fields["n"], fields["at"], fields["record"]
    except (ValueError, KeyError, TypeError):
        return []
    return [Line(number=number, at=at, record=record, segment=segment, offset=offset)]
