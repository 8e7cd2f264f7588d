"""What the target's own evidence says of a replay, and of the original since it was decided.

A replay is verified only when the target read its identity back (RB1), the original stayed where it was (RB2), it
succeeded once, and all of that inside its allowances. What the sender, dispatcher or scheduler writes never counts.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Literal

from .decisions import TOLD_BY_TARGET, as_one_run
from .occurrences import Identity
from .records import Record
from .runs import Delivery, Run, runs_of
from .times import clock_text, span_text

WORKER = "worker"
IdentityReadback = Literal["equal", "mismatch"]
OriginalReadback = Literal["clean", "double-run"]


class ReplayState(StrEnum):
    """How far a replay came; the last five are side exits but for `verified`."""

    DECIDED = "decided"
    DISPATCHED = "dispatched"
    ACCEPTED = "accepted"
    RUNNING = "running"
    ENDED = "ended"
    VERIFIED = "verified"
    FAILED = "failed"
    MISMATCH = "mismatch"
    DOUBLE_RUN = "double-run"
    UNVERIFIED = "unverified"

    @property
    def words(self) -> str:
        """The words on screen."""
        return self.value.replace("-", " ").capitalize()


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplayFacts:
    """What is known of one replay as of `as_of`.

    `readback` counts from the decision, `run` from the start. `records` are those of the recovery id. `original_then`
    is the original's state when it was decided; `original_started_after` says that it started since, and
    `original_succeeded` that a success of its own is on record. `seen_in_queue` says that the target's queue was
    read and held it.
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


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplayReading:
    """The state of a replay, its sentence, both readbacks (None = not read yet) and what did not agree."""

    state: ReplayState
    sentence: str
    rb1: IdentityReadback | None
    rb2: OriginalReadback | None
    mismatching: tuple[str, ...] = ()

    @property
    def over(self) -> bool:
        """Whether the replay is at one of its ends; an unverified one may still be read back late."""
        return self.state in ENDS


ENDS = frozenset(
    {
        ReplayState.VERIFIED,
        ReplayState.FAILED,
        ReplayState.MISMATCH,
        ReplayState.DOUBLE_RUN,
        ReplayState.UNVERIFIED,
    }
)


def state_of(facts: ReplayFacts) -> ReplayReading:
    """Return how far the replay came and what was read back (safety contract, original readback)."""
    seen = _Seen(facts)
    state = _exit(seen) or _progress(seen)
    return ReplayReading(
        state=state,
        sentence=_sentence(seen, state),
        rb1=seen.rb1,
        rb2=seen.rb2,
        mismatching=seen.mismatching,
    )


class _Seen:
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


def _exit(seen: _Seen) -> ReplayState | None:
    """Return the end the replay came to, the worst first; None while it is under way."""
    if seen.mismatching:
        return ReplayState.MISMATCH
    if seen.rb2 == "double-run":
        return ReplayState.DOUBLE_RUN
    if seen.thrown_away is not None or (seen.end is not None and seen.end.outcome != "succeeded"):
        return ReplayState.FAILED
    if seen.too_late:
        return ReplayState.UNVERIFIED
    if seen.end is not None and seen.rb1 == "equal" and seen.rb2 == "clean":
        return ReplayState.VERIFIED
    return None


def _progress(seen: _Seen) -> ReplayState:
    if seen.end is not None:
        return ReplayState.ENDED
    if seen.started_at is not None:
        return ReplayState.RUNNING
    if seen.claimed or seen.facts.seen_in_queue:
        return ReplayState.ACCEPTED
    sent = seen.facts.published_at is not None or seen.any
    return ReplayState.DISPATCHED if sent else ReplayState.DECIDED


def _sentence(seen: _Seen, state: ReplayState) -> str:
    facts = seen.facts
    limit = clock_text(seen.limit, facts.identity.due_at.date())
    end = clock_text(seen.end.event_time, facts.identity.due_at.date()) if seen.end is not None else ""
    texts = {
        ReplayState.DECIDED: "Decided and not sent yet. This is not a lost replay: it is sent from here.",
        ReplayState.DISPATCHED: f"Sent; no worker has shown it yet. It must be read back by {limit}.",
        ReplayState.ACCEPTED: f"The target has it, and no start is recorded yet. It must be read back by {limit}.",
        ReplayState.RUNNING: f"Running. {_read(seen, limit)}",
        ReplayState.ENDED: f"It succeeded at {end}. {_read(seen, limit)}",
        ReplayState.VERIFIED: f"It succeeded at {end}, its worker named the original, and the original did not run.",
        ReplayState.FAILED: "It was thrown away unstarted: its not-after time was over. Nothing ran."
        if seen.thrown_away is not None
        else f"It ended at {end} and did not succeed. Part of the work may be done.",
        ReplayState.MISMATCH: f"Its worker reports another {_listed(seen.mismatching)}. This is not a recovery "
        "of this due time: look at what it worked on.",
        ReplayState.DOUBLE_RUN: _twice(seen),
        ReplayState.UNVERIFIED: _unverified(seen, limit),
    }
    return texts[state]


def _read(seen: _Seen, limit: str) -> str:
    if seen.rb1 == "equal":
        return "Its worker named the original."
    return f"Its worker has not named the original yet; it must by {limit}."


def _twice(seen: _Seen) -> str:
    if seen.successes > 1:
        return "It succeeded twice under one recovery id. The work was done more than once."
    return "The original ran as well since this was decided. The work may have been done twice."


def _unverified(seen: _Seen, limit: str) -> str:
    if seen.rb1 != "equal":
        return f"No worker named the original by {limit}. Whether it ran, and on what, is not proven."
    if seen.read_back_at is not None and seen.read_back_at > seen.limit:
        return f"Its worker named the original after {limit} only. Look at it before closing."
    return f"It did not end within its {span_text(seen.facts.run)}. Look at it before closing."


def _listed(names: tuple[str, ...]) -> str:
    return " and ".join(names) if len(names) < 3 else f"{', '.join(names[:-1])} and {names[-1]}"
