"""The native runs of one occurrence, and the deliveries of each."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from .handoffs import Capabilities, Handoff
from .records import Record
from .workers import WorkerRow, row_in_force


@dataclass(frozen=True, slots=True, kw_only=True)
class Delivery:
    """One handing-over of a run to a worker."""

    claim: Record | None
    start: Record | None
    terminal: Record | None

    @property
    def succeeded(self) -> bool:
        """Whether it ended well."""
        return self.terminal is not None and self.terminal.outcome == "succeeded"

    @property
    def taken(self) -> Record | None:
        """The record that tells whose it is: the claim, or the start where no claim is known."""
        return self.claim or self.start


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """All records of one native run: its first enqueue and ready, its expiration, its deliveries in order."""

    ref: str | None
    records: tuple[Record, ...]
    enqueue: Record | None
    ready: Record | None
    expiration: Record | None
    deliveries: tuple[Delivery, ...]

    @property
    def furthest(self) -> Handoff:
        """The highest handoff this run reached in any of its deliveries."""
        return max((record.handoff for record in self.records), default=Handoff.DUE)

    @property
    def judged(self) -> Delivery | None:
        """The delivery that counts: a succeeded one is final, else the latest."""
        final = next((delivery for delivery in self.deliveries if delivery.succeeded), None)
        return final or (self.deliveries[-1] if self.deliveries else None)

    @property
    def earlier(self) -> tuple[Delivery, ...]:
        """The deliveries before the judged one."""
        judged = self.judged
        return self.deliveries[: self.deliveries.index(judged)] if judged is not None else ()

    def became_ready(self, capabilities: Capabilities) -> bool:
        """Return whether this run could be taken: a ready record says so, or something later implies it."""
        stands_for_ready = capabilities.merged_with(Handoff.READY)
        bar = stands_for_ready if stands_for_ready is Handoff.ENQUEUE else Handoff.READY
        return self.furthest >= bar


def runs_of(records: Iterable[Record]) -> tuple[Run, ...]:
    """Return the runs of an occurrence's own records; records without a run id belong to every run."""
    own = [record for record in records if record.recovery == 0 and record.fills and record.handoff >= Handoff.ENQUEUE]
    loose = [record for record in own if record.run is None]
    refs = sorted({record.run for record in own if record.run is not None})
    if not refs:
        return (_run(None, loose),) if loose else ()
    return tuple(_run(ref, [record for record in own if record.run in (ref, None)]) for ref in refs)


def chosen(runs: Sequence[Run]) -> Run | None:
    """Return the run that is judged: of several the one that got furthest, then the earliest."""
    return min(runs, key=_precedence, default=None)


def overlaps(run: Run, workers: Sequence[WorkerRow], *, not_before: datetime) -> list[tuple[Record, Record]]:
    """Return the pairs of starts of one run by two live owners with no end recorded between them.

    `not_before` is the moment of the handoff ahead: a worker whose clock is behind did not start before it.
    """
    starts = sorted(
        (record for record in run.records if record.handoff is Handoff.START),
        key=lambda record: (record.event_time, record.record_id),
    )
    ends = [record.event_time for record in run.records if record.handoff is Handoff.TERMINAL]
    return [
        (first, second)
        for index, first in enumerate(starts)
        for second in starts[index + 1 :]
        if _another_owner(first, second)
        and _live_at(first, max(not_before, second.event_time), workers, not_before)
        and not any(first.event_time <= end <= second.event_time for end in ends)
    ]


def went_down(delivery: Delivery, workers: Sequence[WorkerRow], *, not_before: datetime) -> datetime | None:
    """Return when the claimant of a delivery went down; None while it is up, or where nothing is known of it.

    The row in force at the claim counts, even when the same worker came back later in another one. `not_before`
    is the moment of the handoff ahead: a worker whose clock is behind did not claim before it.
    """
    taken = delivery.taken
    if taken is None:
        return None
    claimed = max(not_before, taken.event_time)
    row = row_in_force(workers, worker=taken.owner, pid=taken.owner_pid, at=claimed)
    return row.up_to if row is not None else None


def _precedence(run: Run) -> tuple[int, datetime, str]:
    return (-run.furthest, min(record.event_time for record in run.records), run.ref or "")


def _another_owner(first: Record, second: Record) -> bool:
    # One worker can hold two copies of a message in two of its processes.
    pids = {first.owner_pid, second.owner_pid}
    return first.owner != second.owner or (len(pids) == 2 and None not in pids)


def _live_at(start: Record, instant: datetime, workers: Sequence[WorkerRow], not_before: datetime) -> bool:
    began = max(not_before, start.event_time)
    row = row_in_force(workers, worker=start.owner, pid=start.owner_pid, at=began)
    return row is not None and row.up_at(instant)


def _run(ref: str | None, records: Sequence[Record]) -> Run:
    records = sorted(records, key=lambda record: (record.handoff, record.delivery, record.event_time, record.record_id))
    expired = [record for record in records if _is_expiry(record, records)]
    return Run(
        ref=ref,
        records=tuple(records),
        enqueue=_first(records, Handoff.ENQUEUE),
        ready=_first(records, Handoff.READY),
        expiration=min(expired, key=lambda record: (record.event_time, record.record_id), default=None),
        deliveries=_deliveries([record for record in records if record not in expired]),
    )


def _is_expiry(record: Record, records: Sequence[Record]) -> bool:
    # An end called `expired` without a start says that the message was thrown away: that is an expiration.
    if record.handoff is Handoff.EXPIRATION:
        return True
    started = any(other.handoff is Handoff.START and other.delivery == record.delivery for other in records)
    return record.handoff is Handoff.TERMINAL and record.outcome == "expired" and not started


def _first(records: Iterable[Record], handoff: Handoff) -> Record | None:
    return next((record for record in records if record.handoff is handoff), None)


def _deliveries(records: Sequence[Record]) -> tuple[Delivery, ...]:
    numbers = sorted({record.delivery for record in records if record.handoff >= Handoff.CLAIM})
    return tuple(
        delivery
        for number in numbers
        for delivery in _split([record for record in records if record.delivery == number])
    )


def _split(records: Sequence[Record]) -> list[Delivery]:
    """Return the deliveries that carry one number: a sender that does not count them uses 1 for all."""
    claims = [record for record in records if record.handoff is Handoff.CLAIM]
    starts = [record for record in records if record.handoff is Handoff.START]
    ends = [record for record in records if record.handoff is Handoff.TERMINAL]
    openers = claims or starts or ends
    parts: list[dict[Handoff, Record]] = [{opener.handoff: opener} for opener in openers]
    for record in [*starts, *ends]:
        if record not in openers:
            _place(record, openers, parts)
    return [
        Delivery(claim=part.get(Handoff.CLAIM), start=part.get(Handoff.START), terminal=part.get(Handoff.TERMINAL))
        for part in parts
    ]


def _place(record: Record, openers: Sequence[Record], parts: Sequence[dict[Handoff, Record]]) -> None:
    before = [index for index, opener in enumerate(openers) if opener.event_time <= record.event_time] or [0]
    part = parts[max(before, key=lambda index: (*_likeness(record, openers[index], parts[index]), index))]
    held = part.setdefault(record.handoff, record)
    if record.outcome == "succeeded" and held.outcome != "succeeded":
        # A supervisor may have given the run up too early; a recorded success is final.
        part[record.handoff] = record


def _likeness(record: Record, opener: Record, part: dict[Handoff, Record]) -> tuple[bool, bool]:
    """How well a start or an end fits a delivery: the same process began it, or the same worker took it."""
    start = part.get(Handoff.START)
    same_process = start is not None and record.owner_pid is not None and start.owner_pid == record.owner_pid
    return (same_process, opener.owner == record.owner)
