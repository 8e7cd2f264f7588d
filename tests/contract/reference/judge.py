"""The three answers of the second judge."""

from collections.abc import Callable
from datetime import datetime

from occurrences.contract.decisions import Choice
from occurrences.contract.handoffs import Handoff, Role
from occurrences.contract.questions import Question
from occurrences.contract.verdicts import Verdict

from .known import INSTANT, World, world_of
from .steps import steps_of
from .verdicts import Absence, absences, answer_of, expiry, replay_trail, watched

View = Callable[[World], object]


def reference(question: Question) -> tuple[Verdict, Handoff | None, datetime | None, Role | None]:
    """The verdict, the first absent handoff, and the next deadline with its role."""
    world = world_of(question)
    verdict, absent = answer_of(world)
    return (verdict, min(absent, default=None), *next_deadline(world))


def next_deadline(world: World) -> tuple[datetime | None, Role | None]:
    """Try every limit: the first whose passing would change the answer is the next one.

    Where limits of several roles wait, the coverage of none of them says which comes first: the clock is asked.
    """
    found = [hit for each in candidates(world) if (hit := tried(world, answer_of, each)) is not None]
    found += [hit for each in of_replay(world) if (hit := tried(world, verdict_of, each)) is not None]
    if not found:
        return None, None
    first, roles = min(moment for moment, _ in found), {role for _, role in found}
    return (first, roles.pop()) if len(roles) == 1 else (max(first, world.as_of), Role.CLOCK)


def candidates(world: World) -> list[Absence | datetime]:
    """Every limit of the path, and the moments that need no coverage."""
    due = world.question.identity.due_at
    if due > world.as_of:
        return [due]
    seen = watched(world)
    found: list[Absence | datetime] = [*absences(world, seen.steps)]
    over = expiry(seen.steps)
    if over is not None:
        found.append(over)
    return found


def of_replay(world: World) -> list[Absence | datetime]:
    """The readback time of the replay that counts, and every limit of its path: of them the verdict alone hangs."""
    question = world.question
    last = question.decisions[-1] if question.decisions else None
    settled = (Verdict.NOT_DUE, Verdict.DUPLICATE, Verdict.RECOVERY_UNVERIFIED, Verdict.RECOVERED)
    if last is None or last.choice is not Choice.REPLAY or verdict_of(world) in settled:
        return []
    steps = steps_of(world, replay_trail(world, last), last.at, replay=True)
    limits = [each for each in (*absences(world, steps), expiry(steps)) if each is not None]
    return [last.at + question.allowances.readback, *limits]


def verdict_of(world: World) -> Verdict:
    """The verdict alone."""
    return answer_of(world)[0]


def tried(world: World, view: View, limit: Absence | datetime) -> tuple[datetime, Role] | None:
    """When and by whose coverage passing `limit` changes what `view` shows; None where it does not."""
    now = view(world)
    if isinstance(limit, datetime):
        moment = limit if limit == world.question.identity.due_at else limit + INSTANT
        changes = limit >= world.as_of and view(world.later(moment)) != now
        return (limit, Role.CLOCK) if changes else None
    if limit.proven(world) or world.as_of > limit.limit + world.question.give_up:
        return None  # a coverage record that comes after the time to wait is new evidence
    end = world.covered_to(limit.role)
    past = world.later(limit.limit + INSTANT)
    if limit.past(world) and end is not None and end >= limit.until:
        return given_up(world, view, limit)
    known = past.assured(limit.role, limit.ahead, limit.until)
    alone = limit.proven(past) or view(known) != view(past)
    return (limit.until, limit.role) if alone and view(known) != now else None


def given_up(world: World, view: View, limit: Absence) -> tuple[datetime, Role] | None:
    """The coverage has passed the limit but is broken before it: the clock alone decides."""
    moment = limit.limit + world.question.give_up
    changes = view(world.later(moment)) != view(world.later(moment + INSTANT))
    return (moment, Role.CLOCK) if changes else None
