"""The sentence of each verdict of an occurrence that was decided. Each says what it is not."""

from collections.abc import Callable

from .answers import Answered
from .facts import Facts
from .handoffs import Handoff
from .sentences import NOUNS, clock


def skipped(facts: Answered) -> str:
    """Decided to leave it, and nothing ran."""
    until = facts.watched_until
    at = clock(facts, facts.skip.at if facts.skip is not None else None)
    if until is not None and facts.as_of <= until:
        return (
            f"Skipped by a decision of {at}, and nothing has started. It is watched until {clock(facts, until)}: "
            "a start before that is shown here."
        )
    return f"Skipped by a decision of {at}, and nothing started while it was watched. The skip held."


def ran_after_skip(facts: Answered) -> str:
    """Decided to leave it, and it ran."""
    at = clock(facts, facts.skip.at if facts.skip is not None else None)
    return (
        f"The original started at {clock(facts, facts.first_start)}, although it was skipped at {at}. This is not "
        "a replay: the scheduler's own run came after all."
    )


def both_ran(facts: Answered) -> str:
    """The original came after all, and the replay ran as well."""
    number = facts.replay.decision.recovery_number if facts.replay is not None else 1
    what = "The original succeeded" if facts.succeeded else "The original started after the decision"
    return f"{what}, and recovery {number} ran as well. This is not one run handed over twice: the work ran twice."


def unverified(facts: Answered) -> str:
    """Nobody read the original back."""
    replay = facts.replay
    if replay is None:
        return ""
    number, until = replay.decision.recovery_number, clock(facts, replay.readback_by)
    if replay.ended:
        end = clock(facts, replay.path.step(Handoff.TERMINAL).at)
        return (
            f"Recovery {number} ended at {end}, but no worker named the original. This is not a recovery yet: "
            "it may have worked for another due time."
        )
    unread = f"No worker named the original under recovery {number} by {until}."
    return f"{unread} This is not a recovery yet, nor proof that nothing ran."


def waiting(facts: Answered) -> str:
    """The replay has not been read back yet."""
    replay = facts.replay
    if replay is None:
        return ""
    return (
        f"Recovery {replay.decision.recovery_number} was decided at {clock(facts, replay.decision.at)} and must be "
        f"read back by {clock(facts, replay.readback_by)}. This is not a verified recovery yet."
    )


def recovered(facts: Answered) -> str:
    """The replay made it."""
    replay = facts.replay
    if replay is None:
        return ""
    end = clock(facts, replay.path.step(Handoff.TERMINAL).at)
    lost = f" The original's {NOUNS[facts.absent[0]]} stays absent." if facts.absent else ""
    return f"Recovery {replay.decision.recovery_number} succeeded at {end}, and its worker named the original.{lost}"


def of_path(facts: Answered, sentence: Callable[[Facts], str]) -> str:
    """Say of the replay's path what is said of an original's."""
    replay = facts.replay
    if replay is None:
        return ""
    return f"Of recovery {replay.decision.recovery_number}: {sentence(replay.path)}"
