"""The eight stations of the rail, complete, so that a page computes nothing."""

from datetime import timedelta

from .facts import Facts
from .handoffs import STEPS, Handoff, usual_owner
from .judgements import Station, StationState
from .limits import Limit
from .paths import Step
from .records import Record


def stations_of(facts: Facts, *, not_due: bool, paused: bool) -> tuple[Station, ...]:
    """Return the stations from due to terminal as they stand at the observing moment.

    `not_due` marks an occurrence that the rule, or a pause, does not contain; `paused` one that a pause kept.
    """
    quiet = not_due or paused
    steps = {step: _station(facts, facts.step(step), quiet=quiet) for step in STEPS}
    return tuple(
        _due(facts, not_due=not_due, paused=paused)
        if handoff is Handoff.DUE
        else _expiration(facts, quiet=quiet)
        if handoff is Handoff.EXPIRATION
        else steps[handoff]
        for handoff in Handoff
    )


def _due(facts: Facts, *, not_due: bool, paused: bool) -> Station:
    state, note = StationState.ON_TIME, None
    if facts.future:
        state = StationState.NOT_YET
    elif not_due:
        state, note = StationState.ABSENT, "the rule in force does not contain this time"
    elif paused:
        state, note = StationState.NOT_EXPECTED, "paused"
    return Station(
        handoff=Handoff.DUE,
        state=state,
        at=facts.due,
        expected_by=facts.due,
        owner=usual_owner(Handoff.DUE),
        note=note,
    )


def _station(facts: Facts, step: Step, *, quiet: bool) -> Station:
    limit = facts.limit_of(step.handoff)
    state = _state(facts, step, limit, quiet=quiet)
    record = step.record
    awaited = state in (
        StationState.ABSENT,
        StationState.NOT_YET,
        StationState.NOT_OBSERVED,
        StationState.IMPLIED,
    )
    expected_by = limit.at if limit is not None and awaited else None
    return Station(
        handoff=step.handoff,
        state=state,
        at=step.at,
        expected_by=expected_by or (None if quiet else step.limit if step.at is not None else None),
        late_by=_late_by(facts, step, state, limit),
        owner=_owner(step.handoff, record),
        run=_run(facts, step.handoff, record),
        record_id=record.record_id if record is not None else None,
        note=_note(facts, step, state),
        stands_with=step.host,
    )


def _state(facts: Facts, step: Step, limit: Limit | None, *, quiet: bool) -> StationState:
    if step.at is not None:
        return StationState.LATE if step.late_by is not None and not quiet else StationState.ON_TIME
    if not step.reported:
        return StationState.NOT_REPORTED
    if step.handoff <= facts.furthest:
        return StationState.IMPLIED
    if quiet or _stopped(facts, step.handoff) or _ended_with_the_tick(facts, step.handoff):
        return StationState.NOT_EXPECTED
    return _outstanding(facts, step.handoff, limit)


def _outstanding(facts: Facts, handoff: Handoff, limit: Limit | None) -> StationState:
    if handoff in facts.absent:
        return StationState.ABSENT
    waiting = handoff is facts.open and limit is not None and limit.passed
    return StationState.NOT_OBSERVED if waiting else StationState.NOT_YET


def _ended_with_the_tick(facts: Facts, handoff: Handoff) -> bool:
    """Whether the path ends before `handoff`: the tick that ends an expected gap enqueues for its own second."""
    gap_ended = facts.question.expected_gap and facts.step(Handoff.TICK).at is not None
    return gap_ended and handoff > Handoff.TICK


def _stopped(facts: Facts, handoff: Handoff) -> bool:
    """Whether nothing is expected of `handoff`, because one before it is absent for good."""
    if facts.future or handoff is facts.open:
        return False
    over = facts.expired_on_record or facts.expired_by_clock or (facts.loss is not None and facts.loss.proven)
    # A task that waits for a worker, or is slow, may still go on: what comes after it is not yet, not never.
    return any(absent < handoff for absent in facts.absent if over or absent <= Handoff.READY)


def _expiration(facts: Facts, *, quiet: bool) -> Station:
    expiry, at = facts.path.expiry, facts.expiration_at
    record = facts.run.expiration if facts.run is not None else None
    state, note = _expiration_state(facts, quiet=quiet)
    return Station(
        handoff=Handoff.EXPIRATION,
        state=state,
        at=at,
        expected_by=expiry,
        owner=_owner(Handoff.EXPIRATION, record),
        run=_run(facts, Handoff.EXPIRATION, record),
        record_id=record.record_id if record is not None else None,
        note=note,
    )


def _expiration_state(facts: Facts, *, quiet: bool) -> tuple[StationState, str | None]:
    expiry = facts.path.expiry
    if facts.expiration_at is not None:
        return StationState.ON_TIME, None
    if Handoff.EXPIRATION in facts.absent and not quiet:
        return StationState.ABSENT, "the run started after its expiry"
    if expiry is None or quiet:
        return (
            StationState.NOT_EXPECTED,
            None if quiet or facts.run is None else "the message does not expire",
        )
    if facts.started is not None:
        return StationState.NOT_EXPECTED, "not reached before the start"
    if facts.as_of <= expiry:
        return StationState.NOT_YET, None
    return StationState.NOT_OBSERVED, "past by the clock, not recorded"


def _late_by(facts: Facts, step: Step, state: StationState, limit: Limit | None) -> timedelta | None:
    if state is StationState.LATE:
        return step.late_by
    if state is not StationState.ABSENT or limit is None or facts.as_of <= limit.at:
        return None
    return facts.as_of - limit.at


def _owner(handoff: Handoff, record: Record | None) -> str:
    return record.owner if record is not None and record.owner else usual_owner(handoff)


def _run(facts: Facts, handoff: Handoff, record: Record | None) -> str | None:
    if record is not None and record.run is not None:
        return record.run
    known = facts.run is not None and Handoff.ENQUEUE <= handoff <= facts.furthest
    return facts.run.ref if known and facts.run is not None else None


def _note(facts: Facts, step: Step, state: StationState) -> str | None:
    if state is StationState.IMPLIED:
        return "no record, but a later handoff shows that it happened"
    if step.at is not None and step.host is not None:
        return f"stands in the {step.host.word} record"
    if step.handoff is Handoff.TERMINAL and step.record is not None:
        return step.record.outcome
    return _refusal(facts, step.handoff) if step.at is None else None


def refusals(facts: Facts, handoff: Handoff) -> list[Record]:
    """Return the records that say why `handoff` did not happen: failed, skipped, duplicate, collapsed."""
    return [
        record
        for record in facts.question.records
        if record.handoff is handoff and record.recovery == 0 and not record.fills
    ]


def _refusal(facts: Facts, handoff: Handoff) -> str | None:
    found = refusals(facts, handoff)
    if not found:
        return None
    last = found[-1]
    return f"{last.outcome}: {last.reason}" if last.reason else last.outcome
