"""What the target's own evidence says of a replay, and of the original since it was decided.

A replay is verified only when the target read its identity back (RB1), the original stayed where it was (RB2), it
succeeded once, and all of that inside its allowances. What the sender, dispatcher or scheduler writes never counts.
"""

from dataclasses import dataclass
from enum import StrEnum

from .readback_conditions import Condition, conditions_of
from .replay_facts import WORKER, IdentityReadback, OriginalReadback, ReplayFacts, Seen
from .times import clock_text, span_text

__all__ = [
    "WORKER",
    "Condition",
    "IdentityReadback",
    "OriginalReadback",
    "ReplayFacts",
    "ReplayReading",
    "ReplayState",
    "state_of",
]


class ReplayState(StrEnum):
    """How far a replay came; the last five are side exits but for `verified`.

    `dispatch-uncertain`: it was sent and the target never answered, so nobody sends it again before a person looked.
    """

    DECIDED = "decided"
    UNCERTAIN = "dispatch-uncertain"
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
class ReplayReading:
    """The state of a replay, its sentence, both readbacks (None = not read yet) and what did not agree.

    `conditions` are V1 to V7: all of them hold exactly where it is verified.
    """

    state: ReplayState
    sentence: str
    rb1: IdentityReadback | None
    rb2: OriginalReadback | None
    mismatching: tuple[str, ...] = ()
    conditions: tuple[Condition, ...] = ()

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
    seen = Seen(facts)
    state = _exit(seen) or _progress(seen)
    return ReplayReading(
        state=state,
        sentence=_sentence(seen, state),
        rb1=seen.rb1,
        rb2=seen.rb2,
        mismatching=seen.mismatching,
        conditions=conditions_of(seen),
    )


def _exit(seen: Seen) -> ReplayState | None:
    """Return the end the replay came to, the worst first; None while it is under way."""
    if seen.mismatching:
        return ReplayState.MISMATCH
    if seen.rb2 == "double-run":
        return ReplayState.DOUBLE_RUN
    if seen.thrown_away is not None or (seen.end is not None and seen.end.outcome != "succeeded"):
        return ReplayState.FAILED
    if seen.too_late and not seen.may_still_come:
        return ReplayState.UNVERIFIED
    if seen.end is not None and seen.rb1 == "equal" and seen.rb2 == "clean":
        return ReplayState.VERIFIED
    return None


def _progress(seen: Seen) -> ReplayState:
    if seen.end is not None:
        return ReplayState.ENDED
    if seen.started_at is not None:
        return ReplayState.RUNNING
    if seen.claimed or seen.facts.seen_in_queue:
        return ReplayState.ACCEPTED
    if seen.uncertain:
        return ReplayState.UNCERTAIN
    sent = seen.facts.published_at is not None or seen.any
    return ReplayState.DISPATCHED if sent else ReplayState.DECIDED


def _sentence(seen: Seen, state: ReplayState) -> str:
    facts = seen.facts
    limit = clock_text(seen.limit, facts.identity.due_at.date())
    end = clock_text(seen.end.event_time, facts.identity.due_at.date()) if seen.end is not None else ""
    texts = {
        ReplayState.DECIDED: "Decided and not sent yet. This is not a lost replay: it is sent from here.",
        ReplayState.UNCERTAIN: "Sent, and the target never answered: nobody can tell whether it has it. It is not sent "
        "again before a person looked there.",
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


def _read(seen: Seen, limit: str) -> str:
    if seen.rb1 == "equal":
        return "Its worker named the original."
    return f"Its worker has not named the original yet; it must by {limit}."


def _twice(seen: Seen) -> str:
    if seen.successes > 1:
        return "It succeeded twice under one recovery id. The work was done more than once."
    return "The original ran as well since this was decided. The work may have been done twice."


def _unverified(seen: Seen, limit: str) -> str:
    if seen.rb1 != "equal":
        return f"No worker named the original by {limit}. Whether it ran, and on what, is not proven."
    if seen.read_back_at is not None and seen.read_back_at > seen.limit:
        return f"Its worker named the original after {limit} only. Look at it before closing."
    return f"It did not end within its {span_text(seen.facts.run)}. Look at it before closing."


def _listed(names: tuple[str, ...]) -> str:
    return " and ".join(names) if len(names) < 3 else f"{', '.join(names[:-1])} and {names[-1]}"
