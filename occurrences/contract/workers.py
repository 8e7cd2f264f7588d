"""Which workers were up when, and which of their slots were taken."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkerRow:
    """One life of a worker, up from `up_from` (inclusive) to `up_to` (exclusive; None = still up).

    `queues` are those it takes from; empty where that is not known.
    """

    worker: str
    up_from: datetime
    up_to: datetime | None
    capacity: int
    host: str | None = None
    pid: int | None = None
    queues: tuple[str, ...] = ()

    def serves(self, queue: str | None) -> bool:
        """Return whether it takes from `queue`, as far as is known of both (None = the queue is not known)."""
        return queue is None or not self.queues or queue in self.queues

    def up_at(self, instant: datetime) -> bool:
        """Return whether the worker was up at `instant`."""
        return self.up_from <= instant and (self.up_to is None or instant < self.up_to)


@dataclass(frozen=True, slots=True, kw_only=True)
class SlotUse:
    """One slot of a worker, taken from `start` to `end` (None = still taken) by a run of any schedule."""

    worker: str
    start: datetime
    end: datetime | None

    def at(self, instant: datetime) -> bool:
        """Return whether the slot was taken at `instant`."""
        return self.start <= instant and (self.end is None or instant < self.end)


def known_at(rows: Iterable[WorkerRow], as_of: datetime) -> tuple[WorkerRow, ...]:
    """Return the rows begun by `as_of`; an end that lies after it is not known yet."""
    return tuple(
        row if row.up_to is None or row.up_to <= as_of else replace(row, up_to=None)
        for row in rows
        if row.up_from <= as_of
    )


def row_in_force(rows: Iterable[WorkerRow], *, worker: str | None, pid: int | None, at: datetime) -> WorkerRow | None:
    """Return the row of `worker` that was up at `at`, preferring the one with the same pid, else None."""
    found = [row for row in rows if row.worker == worker and row.up_at(at)]
    found.sort(key=lambda row: (row.pid == pid and pid is not None, row.up_from), reverse=True)
    return found[0] if found else None


def had_free_slot(row: WorkerRow, slots: Iterable[SlotUse], *, start: datetime, end: datetime) -> bool:
    """Return whether `row` was up with a slot free from `start` all the way to `end`, both included."""
    if not (row.up_at(start) and row.up_at(end)):
        return False
    uses = [use for use in slots if use.worker == row.worker and row.up_at(use.start)]
    moments = {start} | {use.start for use in uses if start < use.start <= end}
    return all(sum(use.at(moment) for use in uses) < row.capacity for moment in moments)
