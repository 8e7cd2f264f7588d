"""The records of one run, put in the order of the path (case format, rules 1, 2 and 7)."""

from dataclasses import dataclass, field
from datetime import UTC, datetime

from occurrences.contract.handoffs import Handoff
from occurrences.contract.records import Record

BEFORE_CLAIM = (Handoff.TICK, Handoff.ENQUEUE, Handoff.READY)


@dataclass
class Delivery:
    """One handing-over to a worker: its claim, its starts and its ends.

    `counted_start` says that a start carries its number: then nothing of it expires any more.
    """

    claim: Record | None = None
    starts: list[Record] = field(default_factory=list)
    ends: list[Record] = field(default_factory=list)
    counted_start: bool = False

    @property
    def start(self) -> Record | None:
        return min(self.starts, key=lambda r: r.event_time, default=None)

    @property
    def succeeded(self) -> bool:
        return any(end.outcome == "succeeded" for end in self.ends)

    @property
    def end(self) -> Record | None:
        """The success, else the first other end; `expired` before a start is an expiration and no end."""
        ends = sorted(self.ends, key=lambda r: (r.outcome != "succeeded", r.event_time))
        return next((end for end in ends if not self.expired(end)), None)

    def expired(self, end: Record) -> bool:
        return end.outcome == "expired" and not self.counted_start

    @property
    def owner(self) -> Record | None:
        """The record of who holds it: the claim, else the start."""
        return self.claim or self.start


@dataclass
class Trail:
    """What is recorded of one run, its tick included."""

    run: str | None
    first: dict[Handoff, Record]
    deliveries: list[Delivery]
    enqueues: list[Record]
    expirations: list[Record]
    starts: list[Record]
    ends: list[Record]
    own: list[Record]
    furthest: Handoff

    @property
    def started(self) -> bool:
        """Whether anything shows that it started, in whatever delivery."""
        return bool(self.starts) or any(d.end is not None for d in self.deliveries)

    @property
    def begun(self) -> datetime:
        """Its first record but the tick, for a choice between runs that got equally far."""
        return min((r.event_time for r in self.own), default=datetime.max.replace(tzinfo=UTC))

    @property
    def judged(self) -> Delivery | None:
        """The delivery that start and end are judged on: a succeeded one is final, else the latest."""
        return next((d for d in self.deliveries if d.succeeded), self.deliveries[-1] if self.deliveries else None)


def trails_of(records: list[Record]) -> list[Trail]:
    """One trail for each run identity; without any, one that holds the tick alone."""
    filling = [r for r in records if r.handoff >= Handoff.EXPIRATION or r.outcome in (None, "", "ok")]
    common = [r for r in filling if r.run is None]
    runs = sorted({r.run for r in filling if r.run is not None})
    return [trail(run, common + [r for r in filling if r.run == run]) for run in runs] or [trail(None, common)]


def trail(run: str | None, records: list[Record]) -> Trail:
    """Sort the records of one run into their places."""
    by_time = sorted(records, key=lambda r: (r.event_time, r.record_id))
    first = {
        h: next(r for r in by_time if r.handoff is h) for h in BEFORE_CLAIM if any(r.handoff is h for r in by_time)
    }
    deliveries = deliveries_of(by_time)
    ended_as_expired = [e for d in deliveries for e in d.ends if d.expired(e)]
    return Trail(
        run=run,
        first=first,
        deliveries=deliveries,
        enqueues=[r for r in by_time if r.handoff is Handoff.ENQUEUE],
        expirations=[r for r in by_time if r.handoff is Handoff.EXPIRATION] + ended_as_expired,
        starts=[r for r in by_time if r.handoff is Handoff.START],
        ends=[r for r in by_time if r.handoff is Handoff.TERMINAL],
        own=[r for r in by_time if r.run is not None],
        furthest=max((r.handoff for r in records), default=Handoff.DUE),
    )


def deliveries_of(records: list[Record]) -> list[Delivery]:
    """Each claim opens a delivery, in the order of number and then time; a start or an end joins one."""
    found: list[Delivery] = []
    of_workers = [r for r in records if r.handoff in (Handoff.CLAIM, Handoff.START, Handoff.TERMINAL)]
    for number in sorted({r.delivery for r in of_workers}):
        found += numbered([r for r in of_workers if r.delivery == number])
    return found


def numbered(records: list[Record]) -> list[Delivery]:
    """The deliveries that carry one number: several where the sender does not count them.

    Where no claim is known, the first thing that implies one opens the delivery.
    """
    kinds = (Handoff.CLAIM, Handoff.START, Handoff.TERMINAL)
    claims, starts, ends = ([r for r in records if r.handoff is kind] for kind in kinds)
    if claims:
        openers, found, rest = claims, [Delivery(claim=claim) for claim in claims], [*starts, *ends]
    elif starts:
        openers, found, rest = starts, [Delivery(starts=[start]) for start in starts], ends
    else:
        return [Delivery(ends=[end]) for end in ends]
    for each in found:
        each.counted_start = bool(starts)
    for record in rest:
        place = nearest(record, openers)
        (found[place].starts if record.handoff is Handoff.START else found[place].ends).append(record)
    return found


def nearest(record: Record, openers: list[Record]) -> int:
    """The latest opener before the record, one of the same owner first; else the first of all."""
    before = [i for i, opener in enumerate(openers) if opener.event_time <= record.event_time]
    own = [i for i in before if openers[i].owner == record.owner]
    return (own or before or [0])[-1]
