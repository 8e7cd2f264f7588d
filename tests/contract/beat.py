"""A real Celery crontab, asked as beat asks it, under a clock of our own."""

from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

from celery import Celery
from celery.schedules import crontab


def ticks(text: str, zone: str, start: datetime, end: datetime, *, nap: float = 7200.0) -> list[datetime]:
    """The instants at which beat would run an entry last run at `start`, in whole seconds, before `end`."""
    app = Celery(set_as_current=False)
    app.conf.timezone = zone
    place, now = ZoneInfo(zone), start
    plan = crontab.from_string(text)
    plan.app, plan.nowfun = app, lambda: now.astimezone(place)
    last, found = now.astimezone(place), []
    while now < end:
        due, wait = plan.is_due(last)
        if due:
            found.append(now.replace(microsecond=0))
            last = now.astimezone(place)
            now += timedelta(milliseconds=1)
        else:
            now += timedelta(seconds=max(min(wait, nap), 0.001))
    return found
