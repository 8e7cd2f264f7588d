"""A bad night, built from wire records: one occurrence for each thing the screens must tell apart."""

from collections import defaultdict
from datetime import datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from occurrences.contract.occurrences import Identity
from occurrences.models import Occurrence, Replay, Source, WorkItem
from occurrences.services.absences import sweep
from occurrences.services.schedules import plan
from tests import wire
from tests.wire import Body, handoff

SECOND, MINUTE, DAY = timedelta(seconds=1), timedelta(minutes=1), timedelta(days=1)
BERLIN = "Europe/Berlin"
BILLING, SEARCH, PARTNER, MAIL = "celery:billing", "celery:search", "celery:partner", "celery:mail"


class Night:
    """What happened up to `now`; everything is due 42 minutes before it, and daily before that."""

    def __init__(self, now: datetime) -> None:
        self.now = now
        self.due = now.replace(second=0, microsecond=0) - 42 * MINUTE
        self.began = self.due - 2 * DAY - 12 * 60 * MINUTE
        self.sweeps = 0
        self.over = False
        self.held: dict[tuple[datetime, str], list[Body]] = defaultdict(list)

    def identity(self, key: str, *, source: str = BILLING, days_ago: int = 0) -> Identity:
        return Identity(source=source, schedule_key=key, due_at=self.due - days_ago * DAY)

    def watch(self, name: str, *, workers_until: datetime | None = None, covered: bool = True) -> None:
        """Announce beat and worker of a source; the evidence of both is complete up to now, or was never sent."""
        wire.source(name, now=self.began - MINUTE, give_up=5 * MINUTE)
        self.record(name, wire.watched(self.began), at=self.began)
        if workers_until is not None:
            gone = wire.process(
                "workers", self.began, spool="worker", state="offline", last_seen=wire.text(workers_until)
            )
            self.record(name, [gone], at=workers_until)
        spools = {"scheduler": "beat"} if workers_until else {"scheduler": "beat", "workers": "worker"}
        until = self.now if covered else self.due - 3 * MINUTE
        self.record(name, [wire.coverage(role, until, spool=spool) for role, spool in spools.items()], at=self.now)

    def plan(self, name: str, key: str, *, tz: str = BERLIN, **more: Any) -> None:
        """A daily schedule whose due time is that of the night."""
        local = self.due.astimezone(ZoneInfo(tz))
        rule = {"rule": f"{local.minute} {local.hour} * * *", "dialect": "celery-beat", "tz": tz, "anchor": None}
        self.record(name, [wire.schedule(key, at=self.began, **(rule | more))], at=self.began)

    def past(self, name: str, key: str, days: int = 2) -> None:
        """The same schedule ran on time the days before."""
        bodies: list[Body] = []
        for ago in range(1, days + 1):
            bodies += wire.full_path(self.due - ago * DAY, key=key, run=f"{key}-{ago}")
        self.record(name, bodies, at=self.now)

    def path(self, name: str, key: str, *words: str, late: timedelta = SECOND, **more: Any) -> None:
        """Record these handoffs, a second apart."""
        bodies = [
            handoff(w, self.due + late * (n + 1), key=key, due=self.due, run=f"{key}-0", **more)
            for n, w in enumerate(words)
        ]
        self.record(name, bodies, at=self.now)

    def record(self, name: str, bodies: list[Body], *, at: datetime) -> None:
        """Hold the records back until the next sweep, so that a night is a few batches; later ones go in at once."""
        self.held[at, name] += bodies
        if self.over:
            self.send()

    def send(self) -> None:
        for at, name in sorted(self.held):
            of = Source.objects.get(name=name)
            counts = wire.record([b | {"source": name} for b in self.held[at, name]], now=at, of=of)
            assert not counts.refused, counts.refused
        self.held.clear()

    def sweep(self) -> None:
        """Plan and sweep as beat would; each sweep is a second after the one before."""
        self.send()
        self.sweeps += 1
        plan(now=self.now, ahead=10 * MINUTE)
        sweep(by="detector", now=self.now + self.sweeps * SECOND)


def bad_night(now: datetime) -> Night:
    """Five open work items, one that closed by itself, and schedules of every state."""
    night = Night(now)
    night.watch(BILLING)
    night.watch(MAIL)
    night.watch(SEARCH, workers_until=night.due - 2 * MINUTE)
    night.watch(PARTNER, covered=False)
    _billing(night)
    for name, key, more in ((SEARCH, "search/re-index ü", {"tz": "UTC", "expires_after": 7200}),
                            (PARTNER, "partner-sync", {}), (MAIL, "late-arrival", {})):  # fmt: skip
        night.plan(name, key, **more)
        night.past(name, key)
    night.path(SEARCH, "search/re-index ü", "tick", "enqueue")
    night.sweep()
    night.path(MAIL, "late-arrival", "tick", "enqueue", "claim", "start", "terminal", late=20 * MINUTE / 5)
    night.sweep()
    _odd_schedules(night)
    night.send()
    night.over = True
    WorkItem.objects.filter(verdict="missing-enqueue").update(priority=1)
    return night


def _billing(night: Night) -> None:
    for key in ("invoice-rollup", "nightly-backup", "healthy", "broken"):
        night.plan(BILLING, key)
        night.past(BILLING, key)
    for n in range(4):
        night.plan(BILLING, f"ledger-{n}", tz="America/New_York")
        night.past(BILLING, f"ledger-{n}", days=2)
    night.path(BILLING, "invoice-rollup", "tick")
    night.path(BILLING, "nightly-backup", "tick", "enqueue", "claim", "start")
    night.path(BILLING, "healthy", "tick", "enqueue", "claim", "start", "terminal")
    night.path(BILLING, "broken", "tick", "enqueue", "claim", "start")
    night.path(BILLING, "broken", "terminal", outcome="failed", late=9 * SECOND)


def _odd_schedules(night: Night) -> None:
    night.plan(BILLING, "switched-off", enabled=False)
    night.plan(BILLING, "sun-rise", rule="solar('sunrise')", dialect="unknown")
    night.plan(BILLING, "every-minute-or-so", rule="every 60s", dialect="interval-floating")


def occurrence(identity: Identity) -> Occurrence:
    return Occurrence.objects.get(key=identity.key)


def replayed(night: Night, key: str, *words: str, at: datetime, **more: Any) -> None:
    """What the target's worker writes of the newest replay of this occurrence: `words`, each at `at`."""
    replay = Replay.objects.filter(occurrence_id=night.identity(key).key).latest("recovery_number")
    run = str(replay.recovery_id)
    values: dict[str, Any] = {"key": key, "due": night.due, "run": run, "recovery": run} | more
    night.record(BILLING, [handoff(word, at, **values) for word in words], at=at)


def odd_evidence(night: Night) -> None:
    """What cannot be taken as it comes: another body, a run that names two occurrences, a due time too long ago."""
    again = {"key": "healthy", "due": night.due, "run": "healthy-0", "detail": {"note": "<b>not bold</b>" * 20}}
    night.record(BILLING, [handoff("enqueue", night.due + 9 * SECOND, **again)], at=night.now)
    astray = handoff("terminal", night.now, key="nightly-backup", due=night.due, run="healthy-0")
    old = handoff("enqueue", night.due, key="healthy", due=night.due - 500 * DAY, run="x" * 300)
    night.record(BILLING, [astray, old], at=night.now)


def few_signals(night: Night) -> None:
    """A source that shows only some handoffs, and rules whose days the clock changes."""
    shown = {"ready": "none", "claim": "none", "start": "observed"}
    Source.objects.filter(name=MAIL).update(capabilities=shown)
    night.plan(MAIL, "few-signals")
    night.path(MAIL, "few-signals", "tick", "enqueue", "terminal")
    night.plan(MAIL, "spring-and-autumn", rule="30 2 * 3,10 0", dialect="kubernetes")
