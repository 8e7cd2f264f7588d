"""The sum behind the one deadline that named a verdict: from which moment, how long, until when."""

from datetime import datetime

from .answers import Answered
from .facts import Facts
from .handoffs import STEPS, Handoff
from .judgements import Counted
from .paths import Step
from .verdicts import Verdict

# Said at once, whatever the clock shows: no deadline led to them.
AT_ONCE = frozenset({Verdict.FAILED, Verdict.NOT_DUE})


def counted_of(facts: Answered, spoken: Facts, named: Handoff | None, verdict: Verdict) -> Counted | None:
    """Return the sum for the verdict that speaks of `named`; None where no deadline led to it.

    `spoken` is the path that the verdict speaks of: the original's, or that of the replay that counts.
    """
    waits = verdict is Verdict.PENDING and named is None
    if facts.replay is not None and (waits or verdict is Verdict.RECOVERY_UNVERIFIED):
        return _readback(facts, facts.replay.decision.at, facts.replay.readback_by, waits=waits)
    if named in (None, Handoff.DUE) or verdict in AT_ONCE:
        return None
    if verdict is Verdict.LOST_AFTER_CLAIM and spoken.loss is not None:
        return Counted(label="Claimant down", at=spoken.loss.at, until=spoken.as_of)
    if verdict in (Verdict.EXPIRED_UNCLAIMED, Verdict.RAN_AFTER_EXPIRY):
        return _expiry(spoken)
    return _limit(spoken, named) if named in STEPS else None


def _readback(facts: Answered, decided: datetime, by: datetime, *, waits: bool) -> Counted | None:
    if not waits and facts.as_of <= by:  # it ended unread; no deadline said so
        return None
    return Counted(
        label="Readback limit",
        at=by,
        until=facts.as_of,
        since_label="Decided",
        since=decided,
        allowance_label="readback allowance",
    )


def _limit(spoken: Facts, named: Handoff) -> Counted | None:
    step, limit = spoken.step(named), spoken.limit_of(named)
    at = limit.at if limit is not None else step.limit
    if at is None:
        return None
    if at != step.limit:  # the message is void before its own limit
        return _expiry(spoken)
    return Counted(
        label=f"{named.label} limit",
        at=at,
        until=step.at or spoken.as_of,
        met=step.at is not None,
        since_label=_since_label(spoken, step),
        since=step.base,
        allowance_label=_allowance_label(spoken, step),
    )


def _expiry(spoken: Facts) -> Counted | None:
    expiry, enqueue = spoken.path.expiry, spoken.step(Handoff.ENQUEUE)
    if expiry is None:
        return None
    return Counted(
        label="Expiry",
        at=expiry,
        until=spoken.started or spoken.as_of,
        met=spoken.started is not None,
        since_label=enqueue.handoff.label if enqueue.at is not None else f"{enqueue.handoff.label} limit",
        since=enqueue.at or enqueue.limit,
        allowance_label="until it expires",
    )


def _since_label(spoken: Facts, step: Step) -> str:
    """Return what happened, or should have, at the moment that the limit of `step` is counted from."""
    for ahead in reversed(STEPS[: STEPS.index(step.handoff)]):
        before = spoken.step(ahead)
        if before.at == step.base:
            return before.handoff.label
        if before.at is None and before.limit == step.base:
            return f"{before.handoff.label} limit"
    return _begin_label(spoken, step.base)


def _begin_label(spoken: Facts, base: datetime) -> str:
    if base == (spoken.begun or spoken.due):
        return "Due" if spoken.begun is None else "Decided"
    return "Latest claim" if _is_retaken(spoken, base) else "Scheduled start"


def _is_retaken(spoken: Facts, base: datetime) -> bool:
    taken = spoken.path.delivery.taken if spoken.path.delivery is not None else None
    return taken is not None and taken.event_time == base


def _allowance_label(spoken: Facts, step: Step) -> str:
    """Return whose allowances were added: those of handoffs that this source cannot show count with the next."""
    own = spoken.question.allowances.of(step.handoff)
    word = {Handoff.CLAIM: "claim age", Handoff.TERMINAL: "run time"}.get(step.handoff, step.handoff.word)
    return f"{word} allowance" if step.allowance == own else f"{word} allowance and those it stands for"
