"""The sentence of each verdict, for a person at three in the morning. Each says what it is not."""

from datetime import datetime

from .facts import Facts
from .handoffs import Handoff
from .stations import refusals
from .times import clock_text, span_text

NOUNS = {
    Handoff.TICK: "scheduler tick",
    Handoff.ENQUEUE: "enqueue",
    Handoff.READY: "ready record",
    Handoff.CLAIM: "claim",
    Handoff.START: "start",
    Handoff.EXPIRATION: "expiration",
    Handoff.TERMINAL: "end",
}


def clock(facts: Facts, moment: datetime | None) -> str:
    """Return a moment as it stands in a sentence."""
    return clock_text(moment, facts.due.date()) if moment is not None else "an unknown moment"


def expected(facts: Facts, handoff: Handoff) -> str:
    """Return the deadline of a step as it stands in a sentence."""
    limit = facts.limit_of(handoff)
    return clock(facts, limit.at if limit is not None else facts.step(handoff).limit)


def future(facts: Facts) -> str:
    """Not due yet."""
    return f"Due at {clock(facts, facts.due)}. Nothing is expected before that."


def unplanned(facts: Facts) -> str:
    """A run, or a name, that the rule does not contain."""
    return (
        f"The rule in force does not contain {clock(facts, facts.due)}. This is a run beside the schedule, "
        "not one of its due times."
    )


def paused(facts: Facts) -> str:
    """Suppressed by a pause."""
    return f"A pause of the schedule covers {clock(facts, facts.due)}, and nothing ran. This is not a missing run."


def ran_while_paused(facts: Facts) -> str:
    """Suppressed by a pause, and ran all the same."""
    return (
        f"A pause of the schedule covers {clock(facts, facts.due)}, and yet something ran. "
        "This is not a due run: ask who started it."
    )


def gap_overtaken(facts: Facts) -> str:
    """An expected gap that a tick ended in time."""
    return "The scheduler ticked again before the longest gap was over. This time was never due by itself."


def gap_ended(facts: Facts) -> str:
    """An expected gap that a late tick ended."""
    tick = facts.step(Handoff.TICK)
    return (
        f"The scheduler was silent until {clock(facts, tick.at)}, longer than the longest gap, which "
        f"ended at {clock(facts, tick.limit)}. It ticks again, so nothing is missing now."
    )


def duplicate_runs(facts: Facts) -> str:
    """Two runs of one occurrence."""
    refs = " and ".join(run.ref or "one without an id" for run in facts.ready_runs[:2])
    return f"{len(facts.ready_runs)} runs of this one due time became ready: {refs}. This is not a retry of one run."


def duplicate_owners(facts: Facts) -> str:
    """One run with two live owners."""
    return (
        "Two live workers started the same run with no end between them. This is not a redelivery after "
        "a loss: the first worker was still up."
    )


def failed(facts: Facts) -> str:
    """Ended, but not well."""
    end = facts.step(Handoff.TERMINAL)
    return (
        f"The run ended at {clock(facts, end.at)} with the result {facts.ended}. This is not a missing "
        "run: it was made and taken, and part of the work may be done."
    )


def recovered(facts: Facts) -> str:
    """A later delivery made it."""
    end = facts.step(Handoff.TERMINAL)
    return (
        f"An earlier delivery failed or lost its worker; a later one of the same run succeeded at "
        f"{clock(facts, end.at)}. Nothing is missing."
    )


def ran_after_expiry(facts: Facts) -> str:
    """Started too late to be wanted."""
    mark = facts.path.expiry or facts.expiration_at
    did = "started" if facts.step(Handoff.START).at is not None else "was claimed"
    return (
        f"The run {did} at {clock(facts, facts.started_from)}, after its time had run out at "
        f"{clock(facts, mark)}. This is not an expired task: it ran."
    )


def lost(facts: Facts) -> str:
    """The claimant went down."""
    delivery = facts.path.delivery
    taken = delivery.taken if delivery is not None else None
    who = (taken.owner if taken is not None else None) or "The worker"
    did = "started" if facts.step(Handoff.START).at is not None else "claimed"
    what = "the end" if facts.open is Handoff.TERMINAL else "the start"
    return (
        f"{who} {did} the task and went down at {clock(facts, facts.claimant_down)} before {what}. This "
        "is not a slow run: nobody is working on it."
    )


def expired_on_record(facts: Facts) -> str:
    """An expiration is recorded."""
    return (
        f"The task was thrown away at {clock(facts, facts.expiration_at)} because its time had run out "
        "before it started. This is not a failed run: that copy can never run."
    )


def expired_by_clock(facts: Facts) -> str:
    """Past the expiry, nobody said so."""
    return (
        f"The task's time ran out at {clock(facts, facts.path.expiry)} and no start is recorded by then. "
        "This is not a recorded expiration: a copy may still lie in the queue."
    )


def missing_tick(facts: Facts) -> str:
    """Nobody acted on the due time."""
    if facts.question.expected_gap:
        return (
            f"The scheduler has not ticked since the last known tick, and the longest gap was over at "
            f"{expected(facts, Handoff.TICK)}. This is not a missing enqueue: no tick, no task."
        )
    return (
        f"No scheduler tick arrived by {expected(facts, Handoff.TICK)}{_why(facts, Handoff.TICK)}. This "
        "is not a missing enqueue: the scheduler did not act on this due time."
    )


def missing_enqueue(facts: Facts) -> str:
    """Ticked, but no task."""
    return (
        f"{_ticked(facts)}no enqueue record arrived by {expected(facts, Handoff.ENQUEUE)}"
        f"{_why(facts, Handoff.ENQUEUE)}. This is not a delayed claim: there is no task to claim."
    )


def missing_ready(facts: Facts) -> str:
    """A task was made and never offered."""
    made = facts.step(Handoff.ENQUEUE).at
    begun = f"A task was made at {clock(facts, made)}, but it" if made is not None else "The task"
    return (
        f"{begun} was not ready by {expected(facts, Handoff.READY)}. This is not a delayed claim: no "
        "worker could have taken it. Look for the task before running it again."
    )


def missing_claim(facts: Facts) -> str:
    """Nobody took it although somebody could."""
    worker = facts.free_worker
    return (
        f"{_ready(facts)} and nobody claimed it by {expected(facts, Handoff.CLAIM)}, although "
        f"{worker.worker if worker is not None else 'a worker'} had a free slot all the time. This is "
        "not a missing enqueue, nor a want of workers."
    )


def delayed_claim(facts: Facts) -> str:
    """Waiting for a worker."""
    return (
        f"{_ready(facts)} and no worker claimed it by {expected(facts, Handoff.CLAIM)}. This is not a "
        "missing enqueue: the task is there and may still run by itself."
    )


def delayed_start(facts: Facts) -> str:
    """Claimed and not begun."""
    claim = facts.step(Handoff.CLAIM)
    if claim.at is None:
        return f"{_ready(facts)} and no start was recorded by {expected(facts, Handoff.START)}. {NO_CLAIMS}"
    owner = claim.record.owner if claim.record is not None else None
    return (
        f"{owner or 'A worker'} holds the task since {clock(facts, facts.step(Handoff.START).base)}, but "
        f"no start was recorded by {expected(facts, Handoff.START)}. This is not a delayed claim: a worker "
        "has it."
    )


NO_CLAIMS = "This is not a missing enqueue: the task is there; this source reports no claims."


def overran(facts: Facts) -> str:
    """Begun and not ended."""
    return (
        f"The run started at {clock(facts, facts.step(Handoff.START).at)} and no end was recorded by "
        f"{expected(facts, Handoff.TERMINAL)}. This is not a lost run: as far as is known its worker is up."
    )


def unknown(facts: Facts) -> str:
    """Blind when it mattered."""
    handoff = facts.open or Handoff.TICK
    role = facts.limit_of(handoff)
    whose = role.role.value if role is not None else "source"
    return (
        f"No {NOUNS[handoff]} is known by {expected(facts, handoff)}, but the evidence of the {whose} is "
        "not complete for that time. This is not a proven absence: the observer was blind."
    )


def late(facts: Facts) -> str:
    """Came, but late."""
    handoff = facts.late or Handoff.TICK
    step = facts.step(handoff)
    behind = span_text(step.late_by) if step.late_by is not None else "a little"
    return (
        f"The {NOUNS[handoff]} came at {clock(facts, step.at)}, {behind} after its limit "
        f"{clock(facts, step.limit)}. {_after_late(facts)}"
    )


def on_time(facts: Facts) -> str:
    """All well."""
    end = clock(facts, facts.step(Handoff.TERMINAL).at)
    if facts.absent:
        gap = NOUNS[facts.absent[0]]
        return f"The run succeeded at {end}. No record of the {gap} came: a gap in the evidence, no missing run."
    return f"The run succeeded at {end}, and every handoff came inside its limit."


def pending(facts: Facts) -> str:
    """Nothing to do yet."""
    if facts.open is None:
        return "Nothing is past its limit, and this source reports nothing further."
    limit = facts.limit_of(facts.open)
    if limit is not None and limit.passed:
        return (
            f"The limit of the {NOUNS[facts.open]}, {clock(facts, limit.at)}, is over, but the evidence "
            f"of the {limit.role.value} is not complete for that time. It is not judged yet."
        )
    return f"Nothing is past its limit. The {NOUNS[facts.open]} is expected by {expected(facts, facts.open)}."


def _ticked(facts: Facts) -> str:
    tick = facts.step(Handoff.TICK).at
    return f"The scheduler ticked at {clock(facts, tick)}, but " if tick is not None else "As far as is known, "


def _ready(facts: Facts) -> str:
    return f"The task is ready since {clock(facts, facts.step(Handoff.CLAIM).base)}"


def _why(facts: Facts, handoff: Handoff) -> str:
    found = refusals(facts, handoff)
    if not found:
        return ""
    last = found[-1]
    reason = f"{last.outcome}, {last.reason}" if last.reason else f"{last.outcome}"
    return f" (the sender says: {reason})"


def _after_late(facts: Facts) -> str:
    if facts.ended is not None:
        return f"The run ended at {clock(facts, facts.step(Handoff.TERMINAL).at)}; nothing is missing."
    if facts.open is None:
        return "Nothing is missing."
    return f"Nothing is missing now; the {NOUNS[facts.open]} is expected by {expected(facts, facts.open)}."
