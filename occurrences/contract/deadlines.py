"""When time alone can change the answer next, and whose coverage that needs."""

from datetime import datetime, timedelta

from .answers import Answered
from .facts import Facts
from .handoffs import STEPS, Role
from .limits import Limit


def next_moment(facts: Answered, *, settled: bool) -> tuple[datetime, Role] | None:
    """Return the next moment at which time alone can change the answer, and whose coverage that needs.

    `settled` says that the verdict does not hang on the path (paused, unplanned, a gap that ended). A future
    due is reached at its instant; a limit is passed after it. None: only new evidence can change anything. Once
    the time to wait for coverage is over, a coverage record that closes the gap after all is new evidence.
    """
    if facts.future:
        return facts.due, Role.CLOCK
    if settled:
        return None
    own = [] if facts.gap_ended else _moments(facts)
    return _soonest([*own, *_answer_moments(facts)], as_of=facts.as_of)


def unproven_from(facts: Facts) -> datetime | None:
    """Return where the observer's view ended for what is past its limit, and is not waited for any more or broken.

    Nothing but a coverage record that closes the gap after all can prove it; of several gaps the last one is named,
    which any of them then reaches. None: nothing is left unproven.
    """
    unproven = [
        limit
        for limit in (*_gaps(facts), *_unproven_overlaps(facts), *facts.open_limits)
        if limit.passed and not limit.proven and (limit.reached or limit.given_up)
    ]
    coverage = facts.question.coverage
    ends = [coverage.blind_since(limit.role, limit.at) or facts.due for limit in unproven]
    return max(ends, default=None)


def _moments(facts: Facts) -> list[tuple[datetime, Role]]:
    moments = [_gap_moment(limit) for limit in (*_gaps(facts), *_unproven_overlaps(facts))]
    return [moment for moment in moments if moment is not None] + _open_moments(facts)


def _answer_moments(facts: Answered) -> list[tuple[datetime, Role]]:
    """Return the end of a skip's watch, a replay's readback time, and what can still change a replay's path."""
    until = facts.watched_until
    if until is not None and facts.first_start is None:
        return [(until, Role.CLOCK)] if facts.as_of <= until else []
    replay = facts.binding
    if replay is None or replay.ended:
        return []
    if not replay.read_back:
        return [] if replay.readback_over else [(replay.readback_by, Role.CLOCK)]
    return _open_moments(replay.path)


def _open_moments(facts: Facts) -> list[tuple[datetime, Role]]:
    # Once something is proven of the open handoff, no time to wait that is over makes it unknown any more.
    known = any(limit.proven for limit in facts.open_limits)
    give_up = facts.question.give_up
    moments = [_gap_moment(limit) if known else _open_moment(limit, give_up) for limit in _awaited(facts)]
    return [moment for moment in moments if moment is not None]


def _gaps(facts: Facts) -> list[Limit]:
    """Return the limits of handoffs that a later record implies: they can still be the first absent one."""
    limits = [facts.unrecorded_expiration]
    limits += [facts.limit_of(step) for step in STEPS if step <= facts.furthest and not facts.step(step).follows]
    return [limit for limit in limits if limit is not None and not limit.proven]


def _unproven_overlaps(facts: Facts) -> list[Limit]:
    return [] if facts.overlapping else list(facts.overlaps)


def _awaited(facts: Facts) -> list[Limit]:
    """Return what can still end the wait for the open handoff, or change what is said of its absence."""
    if facts.expired_on_record or (facts.loss is not None and facts.loss.proven):
        return []
    limits = [limit for limit in facts.open_limits if not limit.proven]
    if facts.expired_by_clock:
        # What lies before the claim can still become the first absent one.
        before = facts.limit_of(facts.open) if facts.open is not None and facts.open is not facts.owed else None
        return [limit for limit in limits if limit in (facts.loss, before)]
    if facts.open_absent:
        # Proven absent already: only an expiry, or a claimant that went down, can still change the word.
        return [limit for limit in limits if limit in (facts.expiry, facts.loss)]
    return limits


def _gap_moment(limit: Limit) -> tuple[datetime, Role] | None:
    if limit.given_up or (limit.passed and limit.reached):
        return None
    return limit.until, limit.role


def _open_moment(limit: Limit, give_up: timedelta) -> tuple[datetime, Role] | None:
    if limit.passed and limit.reached:
        # The coverage has come past it and is broken before it: only the time to give up is left to wait for.
        return (limit.at + give_up, Role.CLOCK) if not limit.given_up else None
    return (limit.until, limit.role) if not limit.given_up else None


def _soonest(moments: list[tuple[datetime, Role]], *, as_of: datetime) -> tuple[datetime, Role] | None:
    """Return the one moment to store: nothing can change before it.

    Where moments of several roles wait, no single role's coverage tells which comes first: the clock does.
    One that the clock has passed waits for its coverage alone, so then the next look is due at once.
    """
    if not moments:
        return None
    at = min(moment for moment, _ in moments)
    roles = {role for _, role in moments}
    if len(roles) == 1:
        return at, roles.pop()
    return max(at, as_of), Role.CLOCK
