"""A simulated installation: schedules that tick, runs that are missed, and outages of the feed and of the detector."""

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from random import Random

from occurrences.contract.coverage import Coverage, Stretch
from occurrences.contract.handoffs import CELERY_TAP, Capabilities, Handoff, Role
from occurrences.contract.judging import find
from occurrences.contract.occurrences import Identity
from occurrences.contract.policies import DEFAULT_ALLOWANCES, DEFAULT_GIVE_UP
from occurrences.contract.questions import Question
from occurrences.contract.records import Record
from occurrences.contract.verdicts import Verdict

BEGIN = datetime(2025, 3, 1, tzinfo=UTC)
MINUTES = (5, 5, 5, 5, 10, 10, 10, 15, 15, 15, 15, 15, 20, 20, 20, 30, 30, 30, 60, 60)
TAP = Capabilities.from_mapping(CELERY_TAP)
MISSING = {Verdict.MISSING_TICK, Verdict.MISSING_ENQUEUE, Verdict.MISSING_READY, Verdict.MISSING_CLAIM}
SWEEP = timedelta(minutes=1)
INSTANT = timedelta(microseconds=1)
BOTH = (Role.SCHEDULER, Role.WORKERS)
# How long after the handoff ahead each one comes, in seconds; one claim in fifty waits past its claim age.
PACE = {Handoff.TICK: 3, Handoff.ENQUEUE: 1, Handoff.CLAIM: 20, Handoff.START: 2, Handoff.TERMINAL: 300}


@dataclass(frozen=True)
class Outage:
    """A stretch in which a feed delivers nothing, or the detector does not look."""

    start: datetime
    end: datetime
    roles: tuple[Role, ...] = BOTH


@dataclass(frozen=True)
class Ground:
    """What happened to the feed and to the detector; `spooled` says that what a feed held back comes later."""

    end: datetime
    feed: tuple[Outage, ...]
    detector: tuple[Outage, ...]
    spooled: bool

    def received(self, role: Role, at: datetime) -> datetime | None:
        """When a record made `at` arrives; None when it is lost."""
        for outage in self.feed:
            if role in outage.roles and outage.start < at <= outage.end:
                return outage.end if self.spooled else None
        return at

    def look(self, at: datetime) -> datetime:
        """The first sweep after `at`: none runs while the detector is down."""
        sweep = BEGIN + SWEEP * ((at - BEGIN) // SWEEP + 1)
        return next((outage.end for outage in self.detector if outage.start <= sweep < outage.end), sweep)


def drawn(rng: Random, end: datetime, *, count: int, longest: int) -> tuple[Outage, ...]:
    """Outages that do not overlap, of 5 to `longest` minutes, of either role or of both."""
    room = (end - BEGIN) / count
    starts = [BEGIN + room * n + timedelta(seconds=rng.uniform(0, room.total_seconds() / 2)) for n in range(count)]
    lasts = [timedelta(minutes=rng.uniform(5, longest)) for _ in starts]
    roles = rng.choices((BOTH, (Role.SCHEDULER,), (Role.WORKERS,)), k=count)
    ends = [min(start + last, start + room / 2) for start, last in zip(starts, lasts, strict=True)]
    return tuple(Outage(*each) for each in zip(starts, ends, roles, strict=True))


class Watch:
    """The source as the console sees it: unbroken numbers make coverage, a number that is lost makes a hole."""

    def __init__(self, ground: Ground) -> None:
        self.ground = ground
        self.stretches = {role: list(self._stretches(role)) for role in BOTH}
        self.starts = {role: [stretch.start for stretch in own] for role, own in self.stretches.items()}

    def _stretches(self, role: Role) -> Iterator[Stretch]:
        begin = BEGIN - timedelta(days=1)
        for outage in (each for each in self.ground.feed if role in each.roles):
            yield Stretch(start=begin, end=outage.start, role=role)
            begin = outage.end
            if self.ground.spooled:
                yield Stretch(start=outage.start, end=outage.end, role=role, known_at=outage.end)
        yield Stretch(start=begin, end=self.ground.end + timedelta(days=9), role=role)

    def coverage(self, since: datetime, until: datetime) -> Coverage:
        """What is proven between two moments, with the whole of the stretches that touch them."""
        found = []
        for role, own in self.stretches.items():
            first = max(bisect_right(self.starts[role], since) - 1, 0)
            found += own[first : bisect_right(self.starts[role], until)]
        return Coverage(provable=True, stretches=tuple(found))

    def covered_again(self, after: datetime) -> datetime | None:
        """The end of the outage that is under way or comes next: what was held back is proven then."""
        return next((outage.end for outage in self.ground.feed if outage.end > after), None)


@dataclass(frozen=True)
class Happening:
    """One due time and what really became of it."""

    identity: Identity
    missed: Handoff | None
    records: tuple[Record, ...]


def happenings(rng: Random, ground: Ground) -> Iterator[Happening]:
    """Every due time of every schedule until the end; one in a hundred is really missed."""
    for number, minutes in enumerate(MINUTES):
        for n in range(int((ground.end - BEGIN) / timedelta(minutes=minutes))):
            due_at = BEGIN + timedelta(minutes=minutes) * n
            identity = Identity(source="celery:blind", schedule_key=f"every-{minutes}-{number}", due_at=due_at)
            missed = rng.choice((Handoff.TICK, Handoff.ENQUEUE)) if rng.random() < 0.01 else None
            yield Happening(identity, missed, tuple(_records(rng, ground, identity, missed)))


def _records(rng: Random, ground: Ground, identity: Identity, missed: Handoff | None) -> Iterator[Record]:
    at = identity.due_at
    for handoff, pace in PACE.items():
        if missed is not None and handoff >= missed:
            return
        waits = handoff is Handoff.CLAIM and rng.random() < 0.02
        at += timedelta(seconds=rng.uniform(610, 1500) if waits else rng.uniform(0, pace))
        role = Role.SCHEDULER if handoff <= Handoff.READY else Role.WORKERS
        received = ground.received(role, at)
        if received is not None:
            run = None if handoff is Handoff.TICK else str(identity)
            outcome = "succeeded" if handoff is Handoff.TERMINAL else "ok"
            yield Record(
                handoff=handoff,
                record_id=handoff.word,
                outcome=outcome,
                observed_at=at,
                received_at=received,
                run=run,
                named=identity,
            )


def verdicts_of(happening: Happening, watch: Watch, *, provable: bool = True) -> list[Verdict]:
    """Everything that is ever said of one due time, in order: at each record, each deadline and each gap closed."""
    ground, due = watch.ground, happening.identity.due_at
    arrivals = sorted({record.received_at for record in happening.records})
    said, now = [], ground.look(due)
    while True:
        coverage = watch.coverage(due - timedelta(days=1), now) if provable else Coverage(provable=False)
        question = Question(
            identity=happening.identity,
            capabilities=TAP,
            allowances=DEFAULT_ALLOWANCES,
            expires_after=None,
            records=happening.records,
            coverage=coverage,
            give_up=DEFAULT_GIVE_UP,
            as_of=now,
        )
        found = find(question)
        said.append(found.verdict)
        looks = [moment for moment in arrivals if moment > now]
        if found.next_deadline is not None:
            looks.append(
                ground.look(found.next_deadline) if found.next_deadline >= now else datetime.max.replace(tzinfo=UTC)
            )
            looks.append(ground.look(found.next_deadline + DEFAULT_GIVE_UP))
        closed = watch.covered_again(now)
        if closed is not None and (found.next_deadline is not None or found.verdict is Verdict.UNKNOWN):
            looks.append(ground.look(closed))
        looks = [look for look in looks if now < look <= ground.end + timedelta(days=1)]
        if not looks:
            return said
        now = min(looks)


def simulated(*, days: int, spooled: bool, seed: int, provable: bool = True) -> Counter:
    """Count what became of the healthy and of the missed, over so many days."""
    rng = Random(seed)
    end = BEGIN + timedelta(days=days)
    feed = drawn(rng, end, count=4 * days, longest=45)
    detector = drawn(rng, end, count=days, longest=90)
    ground = Ground(end=end, feed=feed, detector=detector, spooled=spooled)
    watch, counts = Watch(ground), Counter()
    for happening in happenings(rng, ground):
        said = verdicts_of(happening, watch, provable=provable)
        kind = "healthy" if happening.missed is None else "real"
        counts[kind] += 1
        counts[f"{kind} ever missing"] += bool(MISSING.intersection(said))
        counts[f"{kind} {_word(said[-1])}"] += 1
    return counts


def _word(verdict: Verdict) -> str:
    return "missing" if verdict in MISSING else "unknown" if verdict is Verdict.UNKNOWN else "fine"
