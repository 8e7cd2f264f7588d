"""Could a replay run the work twice? One input of the safety contract, which also weighs what the work does."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum

from .coverage import Coverage
from .handoffs import Handoff, Role
from .judgements import Judgement
from .times import in_utc
from .verdicts import Verdict

NEVER_MADE = frozenset({Verdict.MISSING_TICK, Verdict.MISSING_ENQUEUE})
MAY_STILL_RUN = frozenset(
    {
        Verdict.MISSING_READY,
        Verdict.MISSING_CLAIM,
        Verdict.EXPIRED_UNCLAIMED,
        Verdict.LOST_AFTER_CLAIM,
        Verdict.FAILED,
        Verdict.RECOVERY_UNVERIFIED,
    }
)
WORK_MAY_BE_THERE = {
    Verdict.MISSING_READY: "a task was made, and where it is now is not known",
    Verdict.MISSING_CLAIM: "the task is there and a worker may still take it",
    Verdict.EXPIRED_UNCLAIMED: "that the task was thrown away is not on record, so a copy may still lie in the queue",
    Verdict.LOST_AFTER_CLAIM: "a worker had the task and may have done part of the work",
    Verdict.FAILED: "the work was begun and part of it may be done",
    Verdict.RECOVERY_UNVERIFIED: "a replay was sent and what it worked on is not known",
}


class Replayable(StrEnum):
    """The three answers."""

    YES = "true"
    NO = "false"
    NEEDS_EVIDENCE = "needs-evidence"


@dataclass(frozen=True, slots=True, kw_only=True)
class Circumstances:
    """What is known around an occurrence when it is judged (handoff contract, 6).

    `worker_up`: a worker that serves it is up now with capacity. `another_succeeded`: another due occurrence of
    the window has a recorded success, late or not. `stray`: a run of the schedule whose own occurrence is not due
    has a record in this one's period. `blind`: the coverage has a gap from the due time to one tick allowance
    before now. `provable`: the source can send coverage at all.
    """

    worker_up: bool
    another_succeeded: bool
    stray: bool
    blind: bool
    provable: bool = True

    @property
    def missing(self) -> tuple[str, ...]:
        """What keeps a replay from being safe, in words; empty when nothing does."""
        said = (
            (self.worker_up, "no worker that serves it is up now"),
            (self.another_succeeded, "no other due time of the window has a recorded success"),
            (not self.stray, "a run beside the schedule has a record in this period and may have done the work"),
            (not self.blind, "the evidence since the due time has a gap in which a late run may hide"),
            (self.provable, "this source cannot prove that its evidence is complete"),
        )
        return tuple(words for holds, words in said if not holds)


# For a verdict whose answer does not hang on them.
UNASKED = Circumstances(worker_up=False, another_succeeded=False, stray=False, blind=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplaySafety:
    """The answer, with the reason in words."""

    answer: Replayable
    reason: str

    @property
    def value(self) -> bool | str:
        """The machine value: true, false or `needs-evidence`."""
        return self.answer.value if self.answer is Replayable.NEEDS_EVIDENCE else self.answer is Replayable.YES


def replay_safety(said: Judgement, around: Circumstances) -> ReplaySafety:
    """Return whether a replay could run the work twice, from the judgement and what is known around it."""
    if hangs_on_circumstances(said):
        return _of_lost(said, around)
    if said.verdict in MAY_STILL_RUN:
        return _answer(Replayable.NEEDS_EVIDENCE, f"Needs evidence: {WORK_MAY_BE_THERE[said.verdict]}.")
    return _answer(Replayable.NO, f"No: the verdict is “{said.verdict.words}”, so nothing is proven lost.")


def hangs_on_circumstances(said: Judgement) -> bool:
    """Return whether the answer can be yes, so that what is known around the occurrence matters at all."""
    return said.verdict in NEVER_MADE or _expired_on_record(said)


def period(due: datetime, following: datetime | None, tick: timedelta) -> tuple[datetime, datetime | None]:
    """Return the period of an occurrence: one tick allowance before it, to one before the `following` due time.

    The end is exclusive; it is None where nothing follows.
    """
    return in_utc(due) - tick, None if following is None else in_utc(following) - tick


def has_gap(coverage: Coverage, *, due: datetime, tick: timedelta, as_of: datetime) -> bool:
    """Return whether the evidence of either role has a gap from `due` to one tick allowance before `as_of`.

    A late tick can hide in the scheduler's gap, a run in the workers'.
    """
    end = as_of - tick
    known = coverage.at(as_of)
    return end > due and not all(known.unbroken(role, due, end) for role in (Role.SCHEDULER, Role.WORKERS))


def _of_lost(said: Judgement, around: Circumstances) -> ReplaySafety:
    if around.missing:
        return _answer(Replayable.NEEDS_EVIDENCE, f"Needs evidence: {'; '.join(around.missing)}.")
    gone = "no task was made" if said.verdict in NEVER_MADE else "the task was thrown away, which is on record"
    return _answer(
        Replayable.YES,
        f"Yes: {gone}, a worker is up, another due time succeeded, no run beside the schedule is in this period, "
        "and the evidence since the due time has no gap.",
    )


def _expired_on_record(said: Judgement) -> bool:
    if said.verdict is not Verdict.EXPIRED_UNCLAIMED:
        return False
    rails = (rail.stations for rail in said.recoveries if rail.number == said.of_recovery)
    return next(rails, said.stations)[Handoff.EXPIRATION].at is not None


def _answer(answer: Replayable, reason: str) -> ReplaySafety:
    return ReplaySafety(answer=answer, reason=reason)
