"""What came of a skip: it is verified when its watch passes with no start, and somebody looked (safety contract, 4.9).

A skipped original can still start: until its expiry, and until the broker's redelivery time after it. That nothing
started is an absence, so it is proven only where the workers' evidence has no gap from the decision to the end of the
watch. Services close a skipped item on `verified` alone; `ran-after-skip` reopens it at top priority.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from types import MappingProxyType

from .answers import answered
from .handoffs import Role
from .questions import Question, as_known
from .times import clock_text


class SkipState(StrEnum):
    """How a skip stands; `watched` is the only one that time alone can end."""

    WATCHED = "watched"
    VERIFIED = "verified"
    UNVERIFIED = "unverified"
    RAN_AFTER_SKIP = "ran-after-skip"
    NOT_BOUND = "not-bound"

    @property
    def words(self) -> str:
        """The words on screen."""
        return WORDS[self]


WORDS: Mapping[SkipState, str] = MappingProxyType(
    {
        SkipState.WATCHED: "Watched",
        SkipState.VERIFIED: "Verified",
        SkipState.UNVERIFIED: "Unverified",
        SkipState.RAN_AFTER_SKIP: "Ran after skip",
        SkipState.NOT_BOUND: "Had started before",
    }
)


@dataclass(frozen=True, slots=True, kw_only=True)
class SkipReading:
    """The state of a skip with its sentence; `watched_until` is the end of its watch.

    An `unverified` one becomes `verified`, or `ran-after-skip`, once late evidence closes the gap.
    """

    state: SkipState
    sentence: str
    watched_until: datetime


def skip_watch_of(question: Question) -> SkipReading | None:
    """Return what came of the skip that counts, as of the question's moment; None where the latest decision is none."""
    known = as_known(question)
    facts = answered(known)
    skip, until = facts.skip, facts.watched_until
    if skip is None or until is None:
        return None
    day = known.identity.due_at.date()
    began, end = facts.first_start, clock_text(until, day)
    if began is not None:
        state = SkipState.NOT_BOUND if began < skip.at else SkipState.RAN_AFTER_SKIP
    elif known.as_of <= until:
        state = SkipState.WATCHED
    else:
        seen = known.coverage.unbroken(Role.WORKERS, skip.at, until)
        state = SkipState.VERIFIED if seen else SkipState.UNVERIFIED
    suspected = "" if known.coverage.provable else " This source cannot prove that its evidence is complete."
    texts = {
        SkipState.WATCHED: f"Nothing has started. It is watched until {end}, when the last redelivery is over.",
        SkipState.VERIFIED: f"Nothing started up to {end}: the skip held.{suspected}",
        SkipState.UNVERIFIED: f"No start is on record up to {end}, but the workers' evidence has a gap: it may have "
        "run unseen.",
        SkipState.RAN_AFTER_SKIP: f"It started at {clock_text(began, day) if began else ''}, after it was skipped.",
        SkipState.NOT_BOUND: f"It had started at {clock_text(began, day) if began else ''}: the skip changes nothing.",
    }
    return SkipReading(state=state, sentence=texts[state], watched_until=until)
