"""Everything the judge may know: a question is evidence plus time, and nothing else."""

from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from .coverage import Coverage
from .decisions import DecisionFact
from .handoffs import Capabilities
from .occurrences import Identity
from .policies import Allowances
from .records import Record
from .times import in_utc
from .workers import SlotUse, WorkerRow, known_at


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """What is to be judged, as of `as_of`.

    `expires_after` is the schedule's own expiry (None = the policy's). `in_rule` is False for an unplanned
    occurrence or one the rule in force does not contain. `expected_gap` marks the one expected gap of a
    floating schedule. `give_up` is how long after a deadline the judge waits for coverage. `decisions` come in
    order of time, the latest counts; `records` hold those of the replays as well. `queue` is
    the one that the schedule's target names; a message that names its own goes before it.
    """

    identity: Identity
    capabilities: Capabilities
    allowances: Allowances
    expires_after: timedelta | None
    records: tuple[Record, ...]
    coverage: Coverage
    give_up: timedelta
    as_of: datetime
    workers: tuple[WorkerRow, ...] = ()
    slots: tuple[SlotUse, ...] = ()
    paused: bool = False
    in_rule: bool = True
    floating: bool = False
    expected_gap: bool = False
    decisions: tuple[DecisionFact, ...] = ()
    queue: str | None = None


def as_known(question: Question) -> Question:
    """Return the question with only what was known at `as_of`: nothing received, decided or ended later.

    A record counts once, the first received; a naive `as_of` raises InvalidQuestion.
    """
    as_of = in_utc(question.as_of)
    return replace(
        question,
        as_of=as_of,
        records=_once(tuple(record for record in question.records if record.received_at <= as_of)),
        workers=known_at(question.workers, as_of),
        slots=tuple(
            use if use.end is None or use.end <= as_of else replace(use, end=None)
            for use in question.slots
            if use.start <= as_of
        ),
        coverage=question.coverage.at(as_of),
        decisions=_made(question.decisions, as_of),
    )


def _made(decisions: tuple[DecisionFact, ...], as_of: datetime) -> tuple[DecisionFact, ...]:
    """Return what was decided by `as_of`, in order of time; of two at one moment the order given counts."""
    made = [each for each in decisions if in_utc(each.at) <= as_of]
    return tuple(sorted(made, key=lambda each: each.at))


def _once(records: tuple[Record, ...]) -> tuple[Record, ...]:
    first: dict[tuple[int, str], Record] = {}
    for record in records:
        held = first.setdefault((record.handoff, record.record_id), record)
        if held is not record and _arrival(record) < _arrival(held):
            first[record.handoff, record.record_id] = record
    return tuple(sorted(first.values(), key=_position))


def _arrival(record: Record) -> tuple[datetime, datetime, str]:
    # The last part only makes the choice between two bodies received at the same moment a fixed one.
    return (record.received_at, record.observed_at, repr(record))


def _position(record: Record) -> tuple[int, int, int, datetime, str]:
    return (record.recovery, record.delivery, record.handoff, record.event_time, record.record_id)
