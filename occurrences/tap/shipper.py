"""The one thread of a main process that ships for its host: lines first, then the proof of them.

Coverage leaves only after the lines it speaks of are acknowledged, with every flush (about once a
second), so that a beat that sleeps for minutes is still known to have nothing to tell.
"""

import threading
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from time import monotonic, sleep
from typing import Any

from .clock import instant_text, utc_now
from .neighbours import Neighbours
from .quiet import quietly, say_once
from .reading import CHUNK, Line, Reader
from .sending import Sender
from .wire import coverage_record

INTERVAL = 1.0
LONGEST_PAUSE = 5.0
BATCH = 500  # lines in one request; the console takes 1,000
MARGIN = timedelta(seconds=0.5)  # a line in the making is stamped before it is written


@dataclass(frozen=True, slots=True)
class Taken:
    """What one flush takes from one spool: its lines, and whether they are all there was."""

    reader: Reader
    lines: list[Line]
    to_end: bool


class Shipper(threading.Thread):
    """Ships the spools of this host until told to stop. A daemon: it never holds up an exit."""

    def __init__(
        self,
        sender: Sender,
        neighbours: Neighbours,
        *,
        beat: Callable[[datetime], None],
        interval: float = INTERVAL,
    ) -> None:
        super().__init__(name="aglet-tap", daemon=True)
        self._sender, self._neighbours = sender, neighbours
        self._beat, self._interval = beat, interval
        self._stopping = threading.Event()
        self.first_done = threading.Event()  # set once a flush has gone through to its end
        self._failures = 0
        self._more = False

    def run(self) -> None:
        """Flush about once a second; wait longer, up to five seconds, while the console does not answer."""
        while not self._stopping.is_set():
            self._beat(utc_now())
            done = self.flush(utc_now())
            self._failures = 0 if done else self._failures + 1
            if done:
                self.first_done.set()
            if not (done and self._more):
                self._stopping.wait(min(self._interval * 2 ** min(self._failures, 8), LONGEST_PAUSE))

    def stop(self) -> None:
        """Ask the thread to end after the flush under way."""
        self._stopping.set()

    def drain(self, seconds: float) -> bool:
        """The last flushes of an orderly stop, in the calling thread; True when everything went out."""
        end = monotonic() + seconds
        done = False
        while monotonic() < end and not (done and not self._more):
            done = bool(self.flush(utc_now(), stopping=True))
            if not done:
                sleep(max(0.0, min(0.2, end - monotonic())))
        self._sender.close()
        return done and not self._more

    @quietly
    def flush(self, now: datetime, *, stopping: bool = False) -> bool:
        """Send what waits, then its coverage. False when the console could not take all of it now."""
        # `now` is read before the folder is: a process that starts later has told nothing before it.
        taken = self._take(self._neighbours.survey(now=now, stopping=stopping))
        self._more = any(not each.to_end for each in taken)
        return self._send_lines(taken) and self._send_coverage(taken, now)

    def _take(self, readers: list[Reader]) -> list[Taken]:
        share = max(BATCH // max(len(readers), 1), 1)
        return [Taken(reader, *reader.waiting(share, CHUNK)) for reader in readers]

    def _send_lines(self, taken: list[Taken]) -> bool:
        pairs = [(each.reader, line) for each in taken for line in each.lines]
        return all(self._send_batch(pairs[start : start + BATCH]) for start in range(0, len(pairs), BATCH))

    def _send_batch(self, pairs: list[tuple[Reader, Line]]) -> bool:
        answer = self._sender.deliver([line.record for _, line in pairs])
        for index, (reader, line) in enumerate(pairs[: answer.settled]):
            reader.settle(line, answer.refused.get(index))
        for reader in {id(reader): reader for reader, _ in pairs[: answer.settled]}.values():
            reader.save()
            reader.drop_shipped_segments()
        self._tell(answer.refused, answer.later)
        return answer.later is None

    def _tell(self, refused: dict[int, str], later: str | None) -> None:
        for reason in refused.values():
            say_once(f"refused:{reason.partition(':')[0]}", f"the console refused a record ({reason}); it is set aside")
        if later is not None:
            kind = later.partition(":")[0]
            say_once(f"later:{kind}", f"the console takes no records now, they wait in the spool ({later})")

    def _send_coverage(self, taken: list[Taken], now: datetime) -> bool:
        records = [record for each in taken for record in _coverage(each, now)]
        answer = self._sender.deliver(records) if records else None
        if answer is not None:
            self._tell(answer.refused, answer.later)
            if answer.later is not None:
                return False
        for each in taken:
            if each.reader.ranges:
                each.reader.ranges = []
                each.reader.save()
            if each.reader.closed and each.to_end:
                self._neighbours.finish(each.reader)
        return True


def _coverage(taken: Taken, now: datetime) -> list[dict[str, Any]]:
    """The coverage of one spool: one record for each unbroken run of lines, the last one up to the present.

    Up to the present only when the spool was read to its end and its newest number is no hole. Nothing
    is said of the last half second, in which a line may be stamped but not yet written.
    """
    reader = taken.reader
    started = str(reader.header["started_at"])
    margin = max(instant_text(now - MARGIN), started)
    records = [
        coverage_record(reader.header, first=first, last=last, up_to=max(min(at, margin), started))
        for first, last, at in reader.ranges
    ]
    if not taken.to_end or reader.has_hole_at_end() or not reader.number:
        return records
    if reader.closed:
        for record in records[-1:]:
            record["up_to"] = reader.last_at
    elif records:
        records[-1]["up_to"] = margin
    else:
        records.append(coverage_record(reader.header, first=None, last=None, up_to=margin))
    return records
