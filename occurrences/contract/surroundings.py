"""What else there is of an original than its judged path, and what may hide: either keeps it from being called dead.

A judgement follows one delivery of one run, and proves an absence up to a deadline. That the original *cannot* run
any more (safety contract, 4.3) says more: of all its runs and deliveries, and up to now. A page reads this beside the
judgement; a service gathers for it only `stray` (as for `replay_safety.Circumstances`) and the workers heard from.
"""

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from datetime import datetime
from enum import IntEnum

from .decisions import of_original
from .handoffs import Handoff, Role
from .judgements import Judgement
from .questions import Question, as_known
from .runs import Delivery, Run, runs_of, went_down


class Others(IntEnum):
    """What the other runs and deliveries of an original do, from the safest to the riskiest."""

    NONE = 0
    UNHEARD = 1
    WAITING = 2
    RUNNING = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Surroundings:
    """What lies beside and behind the judged path.

    `gap`: the evidence since the due time has a gap in which a late tick or a start may hide. `stray`: a run of the
    schedule that was not due has a record in this period and may be this one, filed under another time. `others`: the
    riskiest of its other runs and deliveries. `succeeded_at`: when one of them ended well; services show it as the
    success of the occurrence (`CheckFacts.succeeded_at`).
    """

    gap: bool
    stray: bool
    others: Others
    succeeded_at: datetime | None = None


def surroundings_of(question: Question, said: Judgement, *, stray: bool, heard: Collection[str]) -> Surroundings:
    """Return what surrounds the judged path; `heard` are the names of the workers whose heartbeat is fresh."""
    known = as_known(question)
    beside = tuple(_beside(known, said))
    ends = [d.terminal.event_time for _, d in beside if d is not None and d.succeeded and d.terminal is not None]
    return Surroundings(
        gap=_has_gap(known, said),
        stray=stray,
        others=max((_does(known, run, delivery, heard) for run, delivery in beside), default=Others.NONE),
        succeeded_at=min(ends, default=None),
    )


def _has_gap(known: Question, said: Judgement) -> bool:
    """Whether something may hide: up to one tick allowance before now, and for workers up to a passed expiry, too."""
    due, recent = known.identity.due_at, known.as_of - known.allowances.tick
    expiry = said.stations[Handoff.EXPIRATION].expected_by
    last_start = recent if expiry is None else max(recent, min(expiry, known.as_of))
    ends = ((Role.SCHEDULER, recent), (Role.WORKERS, last_start))
    return any(end > due and not known.coverage.unbroken(role, due, end) for role, end in ends)


def _beside(known: Question, said: Judgement) -> Iterator[tuple[Run, Delivery | None]]:
    """Yield every delivery of the original but the judged one, and every other run that nobody took."""
    judged = next((s.run for s in said.stations[Handoff.ENQUEUE :] if s.run is not None), None)
    for run in runs_of(of_original(known.records, known.decisions)):
        followed = run.ref == judged
        if not run.deliveries and not followed:
            yield run, None
        for delivery in run.deliveries:
            if not (followed and delivery is run.judged):
                yield run, delivery


def _does(known: Question, run: Run, delivery: Delivery | None, heard: Collection[str]) -> Others:
    if delivery is None:
        return Others.NONE if run.expiration is not None else Others.WAITING
    if delivery.terminal is not None:
        return Others.WAITING if delivery.terminal.outcome == "retrying" else Others.NONE
    if went_down(delivery, known.workers, not_before=known.identity.due_at) is not None:
        return Others.NONE
    taken = delivery.taken
    if taken is None or taken.owner not in heard:
        return Others.UNHEARD
    if delivery.start is None:
        return Others.WAITING
    overdue = known.as_of - delivery.start.event_time > known.allowances.run
    return Others.UNHEARD if overdue else Others.RUNNING
