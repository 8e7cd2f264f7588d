"""A question with its answers: what the decisions, and the replays they caused, make of the path."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import cached_property

from .decisions import REDELIVERY, TOLD_BY_TARGET, Choice, DecisionFact, as_one_run, of_original, of_replay
from .facts import Facts
from .handoffs import Capabilities, Capability, Handoff
from .questions import Question
from .readbacks import WORKER, ReplayFacts
from .records import Record
from .runs import Delivery

# These ends say that the work was begun, even where the record of the start was lost; a task that was taken back
# or lost may have ended without ever having begun.
IMPLY_A_START = frozenset({"succeeded", "failed"})


@dataclass(frozen=True, kw_only=True)
class Replayed:
    """One replay: its decision, and the path of its own run, which begins at the decision."""

    decision: DecisionFact
    path: Facts
    readback_by: datetime

    @cached_property
    def read_back(self) -> bool:
        """Whether the target named the original; what the sender wrote is none."""
        path = self.path
        return any(
            record.handoff in TOLD_BY_TARGET
            and record.fills
            and record.owner_role in (None, WORKER)
            and record.named == path.question.identity
            for record in path.question.records
        )

    @cached_property
    def started(self) -> bool:
        """Whether the replay itself began."""
        return any(True for _ in starts_of(self.path))

    @property
    def ended(self) -> bool:
        """Whether its latest delivery ended."""
        return self.path.ended is not None

    @property
    def readback_over(self) -> bool:
        """Whether the time to read it back is over."""
        return self.path.as_of > self.readback_by


@dataclass(frozen=True, kw_only=True)
class Answered(Facts):
    """The facts of the original, whose records no replay fills, with the decisions beside them."""

    replays: tuple[Replayed, ...] = ()

    @property
    def decision(self) -> DecisionFact | None:
        """The decision that counts: the latest."""
        return self.question.decisions[-1] if self.question.decisions else None

    @property
    def skip(self) -> DecisionFact | None:
        """The skip that counts, else None."""
        return self.decision if self.decision is not None and self.decision.choice is Choice.SKIP else None

    @property
    def replay(self) -> Replayed | None:
        """The replay that counts, else None."""
        replayed = self.decision is not None and self.decision.choice is Choice.REPLAY
        return self.replays[-1] if replayed else None

    @cached_property
    def starts(self) -> tuple[datetime, ...]:
        """When deliveries of the original began, earliest first."""
        return tuple(sorted(starts_of(self)))

    @property
    def first_start(self) -> datetime | None:
        """When the original began, else None."""
        return self.starts[0] if self.starts else None

    @property
    def succeeded(self) -> bool:
        """Whether any run of the original ended well."""
        return any(delivery.succeeded for run in self.runs for delivery in run.deliveries)

    def started_since(self, instant: datetime) -> bool:
        """Return whether a delivery of the original began at `instant` or later."""
        return any(start >= instant for start in self.starts)

    @property
    def binding(self) -> Replayed | None:
        """The replay that counts, unless the original succeeded or started since it was decided."""
        replay = self.replay
        if replay is None or self.succeeded or self.started_since(replay.decision.at):
            return None
        return replay

    @property
    def watched_until(self) -> datetime | None:
        """Until when a skipped original can still start: its expiry, and the broker's redelivery after it."""
        if self.skip is None:
            return None
        return max(self.path.expiry or self.skip.at + self._lasts, self.skip.at) + REDELIVERY

    @property
    def _lasts(self) -> timedelta:
        """How long a message would last that nobody has seen yet."""
        allowances = self.question.allowances
        known = (self.question.expires_after, allowances.expires) if self.run is None else ()
        return next((span for span in known if span is not None), allowances.run)

    @property
    def gap_ended(self) -> bool:
        """Whether the expected gap of a floating schedule ended with a tick that came late."""
        return self.question.expected_gap and self.step(Handoff.TICK).late_by is not None


def answered(question: Question) -> Answered:
    """Return the facts of `question`, cut to what is known, with the records of each replay set apart."""
    own = of_original(question.records, question.decisions)
    return Answered(
        question=replace(question, records=own),
        replays=tuple(_replayed(question, each) for each in question.decisions if each.choice is Choice.REPLAY),
    )


def starts_of(facts: Facts) -> Iterator[datetime]:
    """Yield when each delivery of each run began; no handoff lies before the one ahead of it."""
    merged = facts.question.capabilities.merged_with(Handoff.START) is Handoff.CLAIM
    for run in facts.runs:
        for delivery in run.deliveries:
            began = delivery.start or (delivery.claim if merged else None) or _implied(delivery)
            if began is not None:
                yield max(facts.taken_from(run), *(r.event_time for r in (delivery.claim, began) if r is not None))


def reading_of(facts: Answered, replay: Replayed, records: tuple[Record, ...]) -> ReplayFacts:
    """Return what the readback of `replay` looks at; `records` are all that are known of the occurrence."""
    decision, question = replay.decision, facts.question
    return ReplayFacts(
        recovery_id=decision.recovery_id or "",
        number=decision.recovery_number,
        identity=question.identity,
        decided_at=decision.at,
        readback=question.allowances.readback,
        run=question.allowances.run,
        as_of=question.as_of,
        published_at=decision.published_at,
        not_after=decision.not_after,
        uncertain_at=decision.uncertain_at,
        records=of_replay(records, decision),
        original_started_after=facts.started_since(decision.at),
        original_succeeded=facts.succeeded,
    )


def _implied(delivery: Delivery) -> Record | None:
    end = delivery.terminal
    return end if end is not None and end.outcome in IMPLY_A_START else None


def _replayed(question: Question, decision: DecisionFact) -> Replayed:
    asked = replace(
        question,
        capabilities=_without_tick(question.capabilities),
        allowances=replace(question.allowances, tick=timedelta(0)),
        records=_with_publishing(question, decision),
        paused=False,
        in_rule=True,
        floating=False,
        expected_gap=False,
        decisions=(),
    )
    return Replayed(
        decision=decision,
        path=Facts(question=asked, begun=decision.at),
        readback_by=decision.at + question.allowances.readback,
    )


def _without_tick(capabilities: Capabilities) -> Capabilities:
    """A replay has no tick: it fills no handoff, and no record of it stands for another one."""
    follows = {handoff for handoff, host in capabilities.hosts.items() if host is Handoff.TICK}
    gone = {Handoff.TICK, *follows}
    return Capabilities(
        states={**capabilities.states, **dict.fromkeys(gone, Capability.NONE)},
        hosts={handoff: host for handoff, host in capabilities.hosts.items() if handoff not in gone},
    )


def _with_publishing(question: Question, decision: DecisionFact) -> tuple[Record, ...]:
    """Return the replay's records; that it was published is its enqueue where nobody else recorded one."""
    records = as_one_run(of_replay(question.records, decision), decision.recovery_id)
    at = decision.published_at
    if at is None or at > question.as_of or any(record.handoff is Handoff.ENQUEUE for record in records):
        return records
    published = Record(
        handoff=Handoff.ENQUEUE,
        record_id=f"{decision.recovery_id}/enqueue/1",
        outcome="ok",
        observed_at=at,
        received_at=at,
        run=decision.recovery_id,
        owner="console",
        owner_role="operator",
    )
    return (published, *records)
