"""The verdict and the first absent handoff: the first line of rule 5 that fits."""

from dataclasses import dataclass, replace
from datetime import datetime

from occurrences.contract.decisions import Choice, DecisionFact
from occurrences.contract.handoffs import Handoff, Role
from occurrences.contract.records import Record
from occurrences.contract.verdicts import Verdict
from occurrences.contract.workers import WorkerRow

from .known import World
from .steps import PATH, Step, Steps, steps_of
from .trails import Delivery, Trail, trails_of

LATE = {
    Handoff.TICK: Verdict.LATE_ENQUEUE,
    Handoff.ENQUEUE: Verdict.LATE_ENQUEUE,
    Handoff.READY: Verdict.LATE_ENQUEUE,
    Handoff.CLAIM: Verdict.DELAYED_CLAIM,
    Handoff.START: Verdict.DELAYED_START,
    Handoff.TERMINAL: Verdict.OVERRAN,
}
MISSING = {
    Handoff.TICK: Verdict.MISSING_TICK,
    Handoff.ENQUEUE: Verdict.MISSING_ENQUEUE,
    Handoff.READY: Verdict.MISSING_READY,
    Handoff.START: Verdict.DELAYED_START,
    Handoff.TERMINAL: Verdict.OVERRAN,
}


@dataclass(frozen=True)
class Absence:
    """A handoff that is past its limit at `limit`, if the coverage of `role` from `ahead` to it proves so."""

    handoff: Handoff
    ahead: datetime
    limit: datetime
    role: Role
    at_once: bool = False

    def past(self, world: World) -> bool:
        return self.at_once or world.as_of > self.limit

    @property
    def until(self) -> datetime:
        """How far the coverage must come: a handoff ahead can have come after the limit."""
        return max(self.ahead, self.limit)

    def proven(self, world: World) -> bool:
        return self.past(world) and world.proven(self.role, self.ahead, self.until)

    def given_up(self, world: World) -> bool:
        return world.as_of > self.limit + world.question.give_up and not self.proven(world)


@dataclass(frozen=True)
class Watched:
    """What the answer is read from: the runs of the original, and the one that is judged."""

    world: World
    trails: list[Trail]
    steps: Steps


def watched(world: World) -> Watched:
    """Keep the records of the original; of several runs the one that got furthest is judged."""
    own = [r for r in world.question.records if original(r, world.question.decisions)]
    trails = trails_of(own)
    ready = [t for t in trails if became_ready(world, t)]
    chosen = min(ready or trails, key=lambda t: (-t.furthest, t.begun))
    return Watched(world, trails, steps_of(world, chosen, world.question.identity.due_at))


def original(record: Record, decisions: tuple[DecisionFact, ...]) -> bool:
    ids = {d.recovery_id for d in decisions if d.choice is Choice.REPLAY}
    return record.recovery == 0 and record.recovery_id is None and record.run not in ids - {None}


def became_ready(world: World, trail: Trail) -> bool:
    merged = world.question.capabilities.merged_with(Handoff.READY)
    return trail.run is not None and (trail.furthest >= Handoff.READY or trail.furthest is merged)


def answer_of(world: World) -> tuple[Verdict, set[Handoff]]:
    """The verdict and the absent handoffs of what is known; the lowest is the first absent one."""
    question = world.question
    seen = watched(world)
    if question.identity.due_at > world.as_of:
        return Verdict.NOT_DUE, set()
    if not question.in_rule:
        return Verdict.NOT_DUE, {Handoff.DUE}
    if question.paused:
        ran = any(t.run is not None for t in seen.trails)
        return (Verdict.NOT_DUE, {Handoff.DUE}) if ran else (Verdict.PAUSED, set())
    gap = ended_gap(seen)
    if gap is Verdict.NOT_DUE:
        return Verdict.NOT_DUE, set()
    return verdict_of(seen) or gap or own_verdict(seen), absent(world, seen.steps) if gap is None else set()


def ended_gap(seen: Watched) -> Verdict | None:
    """How a tick ends the expected gap of a floating schedule: as its own, late, or as of another second."""
    question, first = seen.world.question, seen.steps.trail.first
    tick = first.get(Handoff.TICK) or first.get(question.capabilities.merged_with(Handoff.TICK))
    if not question.expected_gap or tick is None:
        return None
    if seen.steps.step(Handoff.TICK).late:
        return Verdict.LATE_ENQUEUE
    return Verdict.NOT_DUE if tick.named not in (None, question.identity) else None


def verdict_of(seen: Watched) -> Verdict | None:
    """What the latest decision makes of it; None where it does not bind."""
    decisions = seen.world.question.decisions
    if not decisions:
        return None
    if decisions[-1].choice is Choice.SKIP:
        return skipped(seen, decisions[-1])
    return replayed(seen, decisions[-1])


def first_start(seen: Watched) -> datetime | None:
    """When the original first started, as far as a record says so."""
    return min((m for t in seen.trails for m in starts_of(seen.world, t)), default=None)


def starts_of(world: World, trail: Trail) -> list[datetime]:
    """When each delivery started: an end in success or failure says that it had; a claim may stand for it."""
    merged = world.question.capabilities.merged_with(Handoff.START) is Handoff.CLAIM
    ahead = [ahead_of(world, trail)]
    found = []
    for each in trail.deliveries:
        began = each.start or (each.claim if merged else None)
        if began is None and each.end is not None and each.end.outcome in ("succeeded", "failed"):
            began = each.end
        if began is not None:
            found.append(max([*ahead, began.event_time, *([each.claim.event_time] if each.claim else [])]))
    return found


def skipped(seen: Watched, decision: DecisionFact) -> Verdict | None:
    started = first_start(seen)
    if started is None:
        return Verdict.SKIPPED
    return Verdict.RAN_AFTER_SKIP if started >= decision.at else None


def replayed(seen: Watched, decision: DecisionFact) -> Verdict | None:
    """Rule 8, the replay."""
    world = seen.world
    trail = replay_trail(world, decision)
    since = any(m >= decision.at for t in seen.trails for m in starts_of(world, t))
    succeeded = any(d.succeeded for t in seen.trails for d in t.deliveries)
    if succeeded or since:
        return Verdict.DUPLICATE if starts_of(world, trail) else None
    told = (Handoff.CLAIM, Handoff.START, Handoff.TERMINAL)
    names = any(r.handoff in told and r.named == world.question.identity for r in trail.own)
    ended = trail.judged is not None and trail.judged.end is not None
    if not names:
        over = world.as_of > decision.at + world.question.allowances.readback
        return Verdict.RECOVERY_UNVERIFIED if ended or over else Verdict.PENDING
    if ended:
        return Verdict.RECOVERED if trail.judged.succeeded else Verdict.FAILED
    return waiting_for(world, steps_of(world, trail, decision.at, replay=True)) or Verdict.PENDING


def replay_trail(world: World, decision: DecisionFact) -> Trail:
    """The records of one replay as those of one run, whatever it was called natively."""
    own = [r for r in world.question.records if of_replay(r, decision) and r.handoff is not Handoff.TICK]
    return trails_of([replace(r, run=decision.recovery_id) for r in own])[0]


def of_replay(record: Record, decision: DecisionFact) -> bool:
    if record.recovery:
        return record.recovery == decision.recovery_number
    return decision.recovery_id in (record.recovery_id, record.run)


def own_verdict(seen: Watched) -> Verdict:
    """Rule 5 without pauses and decisions."""
    world, steps = seen.world, seen.steps
    if sum(became_ready(world, t) for t in seen.trails) > 1 or any(started_twice(world, t) for t in seen.trails):
        return Verdict.DUPLICATE
    judged = steps.judged
    if judged is not None and judged.end is not None:
        return ended(world, steps, judged)
    if after_expiry(steps):
        return Verdict.RAN_AFTER_EXPIRY
    return waiting_for(world, steps) or late(steps) or Verdict.PENDING


def ended(world: World, steps: Steps, judged: Delivery) -> Verdict:
    if not judged.succeeded:
        return Verdict.FAILED
    earlier = steps.trail.deliveries[: steps.trail.deliveries.index(judged)]
    if any(each.end is not None or lost_before(world, steps.trail, each, judged.end.event_time) for each in earlier):
        return Verdict.RECOVERED
    if after_expiry(steps):
        return Verdict.RAN_AFTER_EXPIRY
    return late(steps) or Verdict.ON_TIME


def waiting_for(world: World, steps: Steps) -> Verdict | None:
    """What is said of a run that has not ended: its claimant, its expiry, its open handoff."""
    gone = loss(world, steps)
    if gone is not None and gone.proven(world):
        return Verdict.LOST_AFTER_CLAIM
    over = expiry(steps)
    if steps.expired_on_record or (over is not None and over.proven(world)):
        return Verdict.EXPIRED_UNCLAIMED
    waiting = open_absence(steps)
    if waiting is not None and waiting.proven(world):
        return open_verdict(world, steps)
    doubts = [each for each in (gone, over, waiting) if each is not None and each.past(world)]
    return Verdict.UNKNOWN if any(each.given_up(world) for each in doubts) else None


def after_expiry(steps: Steps) -> bool:
    moments = [e for e in (steps.expiry, steps.expired_at) if e is not None]
    return steps.not_before is not None and any(steps.not_before > e for e in moments)


def expiry(steps: Steps) -> Absence | None:
    """The end of the time to start, where something was sent and nothing shows that it started."""
    owed = steps.owed
    if owed is None or steps.expiry is None or steps.implied_to < Handoff.ENQUEUE:
        return None
    return Absence(owed.handoff, owed.ahead, steps.expiry, Role.WORKERS)


def open_absence(steps: Steps) -> Absence | None:
    return absence(steps.open) if steps.open is not None else None


def absence(step: Step) -> Absence:
    return Absence(step.handoff, step.ahead, step.limit, step.role)


def open_verdict(world: World, steps: Steps) -> Verdict:
    waiting = steps.open
    if waiting.handoff is not Handoff.CLAIM:
        return MISSING[waiting.handoff]
    free = any(slot_free(world, row, waiting.base, waiting.limit) for row in world.question.workers)
    return Verdict.MISSING_CLAIM if free else Verdict.DELAYED_CLAIM


def slot_free(world: World, row: WorkerRow, start: datetime, end: datetime) -> bool:
    """Whether one slot of the row was free at every moment from `start` to `end`."""
    if row.up_from > start or (row.up_to is not None and row.up_to <= end):
        return False
    taken = [u for u in world.question.slots if u.worker == row.worker and row.up_at(u.start)]
    moments = [start, *(u.start for u in taken if start <= u.start <= end)]
    return all(sum(1 for u in taken if u.start <= m and (u.end is None or m < u.end)) < row.capacity for m in moments)


def late(steps: Steps) -> Verdict | None:
    return next((LATE[h] for h in PATH if steps.step(h).late), None)


def started_twice(world: World, trail: Trail) -> bool:
    """One identity, started by two live owners; that no end lies between needs proof like any absence."""
    starts = sorted(trail.starts, key=lambda r: r.event_time)
    pairs = [(first, second) for i, first in enumerate(starts) for second in starts[i + 1 :]]
    return any(overlap(world, trail, *pair) for pair in pairs)


def overlap(world: World, trail: Trail, first: Record, second: Record) -> bool:
    begun, again = first.event_time, second.event_time
    row = row_of(world, first, max(begun, ahead_of(world, trail)))
    if first.owner == second.owner or row is None or not row.up_at(max(again, ahead_of(world, trail))):
        return False
    return world.proven(Role.WORKERS, begun, again) and not any(begun <= e.event_time <= again for e in trail.ends)


def row_of(world: World, record: Record, at: datetime) -> WorkerRow | None:
    """The row of the record's owner that was in force at `at`."""
    rows = [row for row in world.question.workers if row.worker == record.owner and row.up_at(at)]
    rows.sort(key=lambda row: (row.pid is not None and row.pid == record.owner_pid, row.up_from))
    return rows[-1] if rows else None


def ahead_of(world: World, trail: Trail) -> datetime:
    """The moment before which no worker can have had the run, whatever its clock says."""
    return max([world.question.identity.due_at, *(r.event_time for r in trail.first.values())])


def down_at(world: World, trail: Trail, delivery: Delivery, begun: datetime | None = None) -> datetime | None:
    """When the claimant of a delivery went down, if it did."""
    if delivery.owner is None:
        return None
    moments = [delivery.owner.event_time, ahead_of(world, trail), *([begun] if begun else [])]
    row = row_of(world, delivery.owner, max(moments))
    return row.up_to if row is not None else None


def lost_before(world: World, trail: Trail, delivery: Delivery, end: datetime) -> bool:
    down = down_at(world, trail, delivery)
    return down is not None and down <= end


def loss(world: World, steps: Steps, begun: datetime | None = None) -> Absence | None:
    """The handoff that is absent at once because the claimant went down, unless it had thrown the message away."""
    judged, waiting = steps.judged, steps.open
    if judged is None or judged.end is not None or waiting is None or waiting.handoff < Handoff.START:
        return None
    down = down_at(world, steps.trail, judged, begun)
    if down is None or (steps.expired_on_record and steps.expired_at <= down):
        return None
    return Absence(waiting.handoff, waiting.ahead, down, Role.WORKERS, at_once=True)


def absences(world: World, steps: Steps) -> list[Absence]:
    """Everything of the path without a record, and what proves that it is absent."""
    waiting = steps.open.handoff if steps.open is not None else Handoff.TERMINAL
    if steps.expired_on_record:
        waiting = steps.implied_to  # nothing more is expected of what was thrown away
    found = [absence(s) for s in steps.by_handoff.values() if s.reported and s.at is None and s.handoff <= waiting]
    gone = loss(world, steps)
    reports = world.question.capabilities.reports(Handoff.EXPIRATION)
    if reports and steps.expired_at is None and after_expiry(steps):
        ahead = steps.step(Handoff.START).ahead
        found.append(Absence(Handoff.EXPIRATION, ahead, steps.expiry, Role.WORKERS))
    return [*found, *([gone] if gone else [])]


def absent(world: World, steps: Steps) -> set[Handoff]:
    """What has no record although its limit has passed within coverage; a recorded expiration needs none."""
    found = {a.handoff for a in absences(world, steps) if a.proven(world)}
    over = expiry(steps)
    if steps.owed is not None and (steps.expired_on_record or (over is not None and over.proven(world))):
        found.add(steps.owed.handoff)
    return found
