"""What is known of one replay, and its records read once: what readback and its conditions look at.

What the sender, dispatcher or scheduler writes is no readback: only what the worker's own records say counts.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Literal

from .decisions import TOLD_BY_TARGET, as_one_run
from .occurrences import Identity
from .records import Record
from .runs import Delivery, Run, runs_of

WORKER = "worker"
IdentityReadback = Literal["equal", "mismatch"]
OriginalReadback = Literal["clean", "double-run"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplayFacts:
    """What is known of one replay as of `as_of`.

    `readback` counts from the decision, `run` from the start. `records` are those of the recovery id. `original_then`
    is the original's state when it was decided; `original_started_after` says that it started since, and
    `original_succeeded` that a success of its own is on record. `seen_in_queue` says that the target's queue was
    read and held it. `uncertain_at` is when it was sent
    without an answer, so that nobody can tell whether the target has it (None = it is known).
    """

    recovery_id: str
    number: int
    identity: Identity
    decided_at: datetime
    readback: timedelta
    run: timedelta
    as_of: datetime
    published_at: datetime | None = None
    not_after: datetime | None = None
    records: tuple[Record, ...] = ()
    original_then: Mapping[str, object] = field(default_factory=dict)
    original_started_after: bool = False
    original_succeeded: bool = False
    seen_in_queue: bool = False
    uncertain_at: datetime | None = None


class Seen:
    """The records of one replay, read once."""

    def __init__(self, facts: ReplayFacts) -> None:
        self.facts = facts
        known = tuple(record for record in facts.records if record.received_at <= facts.as_of)
        self.told = [r for r in known if r.owner_role == WORKER and r.handoff in TOLD_BY_TARGET]
        runs = runs_of(as_one_run(known, facts.recovery_id))
        self.any = bool(runs)
        self.replayed: Run | None = runs[0] if runs else None
        self.delivery: Delivery | None = self.replayed.judged if self.replayed is not None else None
        self.mismatching = _mismatching(self.told, facts)
        self.read_back_at = min((r.event_time for r in self.told if _names_all(r, facts)), default=None)

    @property
    def claimed(self) -> bool:
        return bool(self.told)

    @property
    def started_at(self) -> datetime | None:
        first = self.delivery and (self.delivery.start or self.delivery.terminal)
        return first.event_time if first else None

    @property
    def end(self) -> Record | None:
        ended = self.delivery.terminal if self.delivery is not None else None
        # a retry waits under the same recovery id: that is no end yet
        return None if ended is not None and ended.outcome == "retrying" else ended

    @property
    def thrown_away(self) -> Record | None:
        """Its expiration, where it never started: the target refused it after its not-after time."""
        return self.replayed.expiration if self.replayed is not None and self.started_at is None else None

    @property
    def rb1(self) -> IdentityReadback | None:
        if self.mismatching:
            return "mismatch"
        return "equal" if self.read_back_at is not None else None

    @property
    def rb2(self) -> OriginalReadback | None:
        original = self.facts.original_started_after or self.facts.original_succeeded
        if self.successes > 1 or (original and self.started_at is not None):
            return "double-run"
        return "clean" if self.end is not None and not original else None

    @property
    def successes(self) -> int:
        deliveries = self.replayed.deliveries if self.replayed is not None else ()
        return sum(delivery.succeeded for delivery in deliveries)

    @property
    def limit(self) -> datetime:
        return self.facts.decided_at + self.facts.readback

    @property
    def uncertain(self) -> bool:
        """Whether it was sent without an answer and nothing has shown since that the target has it."""
        facts = self.facts
        answered = facts.published_at is not None or self.any or facts.seen_in_queue
        return facts.uncertain_at is not None and not answered

    @property
    def may_still_come(self) -> bool:
        """Whether an uncertain one can still run: until its not-after time and the longest run after it are over."""
        facts = self.facts
        latest = max(self.limit, (facts.not_after or self.limit) + facts.run)
        return self.uncertain and facts.as_of <= latest

    @property
    def too_late(self) -> bool:
        """V7: not read back inside the readback allowance, or not ended inside the run allowance."""
        read_back = self.read_back_at
        if (self.facts.as_of if read_back is None else read_back) > self.limit:
            return True
        if self.started_at is None:
            return False
        end = self.end.event_time if self.end is not None else self.facts.as_of
        return end - self.started_at > self.facts.run


def _said(record: Record) -> dict[str, object]:
    """What a record says of the identity it ran under; what it leaves out is left out."""
    said: dict[str, object] = {}
    if record.named is not None:
        said |= {
            "source": record.named.source,
            "schedule key": record.named.schedule_key,
            "due time": record.named.due_at,
        }
    if record.recovery_id is not None:
        said["recovery id"] = record.recovery_id
    if record.recovery > 0:
        said["recovery number"] = record.recovery
    return said


def _wanted(facts: ReplayFacts) -> dict[str, object]:
    return {
        "source": facts.identity.source,
        "schedule key": facts.identity.schedule_key,
        "due time": facts.identity.due_at,
        "recovery id": facts.recovery_id,
        "recovery number": facts.number,
    }


def _names_all(record: Record, facts: ReplayFacts) -> bool:
    return _said(record) == _wanted(facts)


def _mismatching(records: list[Record], facts: ReplayFacts) -> tuple[str, ...]:
    wanted = _wanted(facts)
    wrong = {name for record in records for name, value in _said(record).items() if wanted[name] != value}
    return tuple(name for name in wanted if name in wrong)
