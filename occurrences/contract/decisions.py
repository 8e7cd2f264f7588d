"""What a person answers to an absence, as the judge reads it: replay or skip."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from enum import StrEnum

from .handoffs import Handoff
from .records import Record

# A broker hands out again what a worker took and never acknowledged: this is the usual time-out of a
# Redis-protocol broker, so a task that seemed gone can come back as late as this after its expiry.
REDELIVERY = timedelta(hours=1)

# What only the target can know. An enqueue is written by whoever sends, so it proves nothing about the target.
TOLD_BY_TARGET = frozenset({Handoff.CLAIM, Handoff.START, Handoff.TERMINAL})


class Choice(StrEnum):
    """What was decided."""

    REPLAY = "replay"
    SKIP = "skip"


@dataclass(frozen=True, slots=True, kw_only=True)
class DecisionFact:
    """One decision about an occurrence, made `at`.

    A replay has a `recovery_number` from 1 on and a `recovery_id`; a skip has 0 and None. `published_at` (when
    it was handed to the target), `not_after` (when the target must refuse it) and `uncertain_at` (when it was sent
    without an answer) change no verdict: the rail of the replay shows them.
    """

    choice: Choice
    at: datetime
    recovery_number: int = 0
    recovery_id: str | None = None
    published_at: datetime | None = None
    not_after: datetime | None = None
    uncertain_at: datetime | None = None


def caused(record: Record, decision: DecisionFact) -> bool:
    """Return whether `record` belongs to the replay of `decision`, whatever occurrence it names.

    Where the record says the number of its replay, that counts. A target that runs a task under the recovery id
    need not repeat it in each record, so the id of the run says it as well.
    """
    if decision.choice is not Choice.REPLAY:
        return False
    if record.recovery > 0:
        return record.recovery == decision.recovery_number
    return decision.recovery_id is not None and decision.recovery_id in (record.recovery_id, record.run)


def of_original(records: Iterable[Record], decisions: Sequence[DecisionFact]) -> tuple[Record, ...]:
    """Return the records of the original occurrence: those that no replay caused, a decided one or another."""
    return tuple(
        record
        for record in records
        if record.recovery == 0
        and record.recovery_id is None
        and not any(caused(record, decision) for decision in decisions)
    )


def of_replay(records: Iterable[Record], decision: DecisionFact) -> tuple[Record, ...]:
    """Return the records of one replay, as they came."""
    return tuple(record for record in records if caused(record, decision))


def as_one_run(records: Iterable[Record], ref: str | None) -> tuple[Record, ...]:
    """Return the records of a replay as those of one run `ref`: what it was called natively does not matter."""
    return tuple(replace(record, recovery=0, run=ref) for record in records if record.handoff is not Handoff.TICK)
