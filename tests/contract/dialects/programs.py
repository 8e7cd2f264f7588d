"""The real schedulers and libraries in Python, each asked what it makes due."""

from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import time_machine
from apscheduler.triggers.cron import CronTrigger
from celery import Celery
from celery.beat import Scheduler
from celery.schedules import ParseException, crontab
from croniter import croniter
from croniter.croniter import CroniterError
from cronsim import CronSim, CronSimError

from tests.contract.dialects.cases import Case

SECOND = timedelta(seconds=1)
LONG = timedelta(days=20)


def _until(found: Iterator[datetime], end: datetime) -> list[datetime]:
    """Each instant once, in order: some programs say one twice where two local times fall together."""
    due = []
    for moment in found:
        instant = moment.astimezone(UTC)
        if instant >= end:
            break
        due.append(instant)
    return sorted(set(due))


class Beat(Scheduler):
    """Celery's own scheduler, which notes what it would have sent."""

    producer = None  # no broker is asked

    def setup_schedule(self) -> None:
        self.sent: list[datetime] = []

    def apply_async(self, entry, producer=None, advance=True, **options) -> None:
        self.sent.append(self.app.now().astimezone(UTC).replace(microsecond=0))


def ask_beat(case: Case) -> list[datetime] | None:
    """Celery's own scheduler, its tick called whenever it asked to be woken; long stretches in steps of a day."""
    app = Celery(set_as_current=False)
    app.conf.timezone = case.zone
    try:
        plan = crontab.from_string(case.text)
    except (ValueError, ParseException):
        return None
    plan.app = app
    with time_machine.travel(case.start - SECOND, tick=False) as clock:
        beat = Beat(app, lazy=True, max_interval=86_400 if case.end - case.start > LONG else 7_200)
        beat.setup_schedule()
        beat.add(name="case", task="case", schedule=plan, last_run_at=app.now())
        while (now := datetime.now(UTC)) < case.end:
            clock.move_to(now + timedelta(seconds=max(beat.tick(), 0.005)))
    return [instant for instant in beat.sent if instant < case.end]


def ask_cronsim(case: Case) -> list[datetime] | None:
    try:
        walk = CronSim(case.text, (case.start - SECOND).astimezone(ZoneInfo(case.zone)))
    except CronSimError:
        return None
    return _until(walk, case.end)


def ask_croniter(case: Case) -> list[datetime] | None:
    try:
        walk = croniter(case.text, (case.start - SECOND).astimezone(ZoneInfo(case.zone)))
    except CroniterError:
        return None
    return _until(iter(lambda: walk.get_next(datetime), None), case.end)


def ask_apscheduler(case: Case) -> list[datetime] | None:
    try:
        trigger = CronTrigger.from_crontab(case.text, timezone=case.zone)
    except ValueError:
        return None
    return _until(_fired(trigger, case.start), case.end)


def _fired(trigger: CronTrigger, start: datetime) -> Iterator[datetime]:
    last, now = None, start
    while (last := trigger.get_next_fire_time(last, now)) is not None:
        yield last
        now = last


# Each with the dialect it speaks; cronsim has no preset, it is the plain grammar with the knobs of Debian's cron.
PROGRAMS: dict[str, tuple[Callable[[Case], list[datetime] | None], str | dict[str, str]]] = {
    "celery": (ask_beat, "celery-beat"),
    "cronsim": (
        ask_cronsim,
        {"gap": "after", "fold_fixed": "first", "fold_wildcard": "both", "day_rule": "star_and"},
    ),
    "croniter": (ask_croniter, "croniter"),
    "apscheduler": (ask_apscheduler, "apscheduler"),
}
