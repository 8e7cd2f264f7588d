"""The four tasks of the console's own beat. Each reads the clock once and calls one service."""

from datetime import timedelta

from celery import shared_task
from django.conf import settings

from occurrences.queries.clock import database_now
from occurrences.services import absences, housekeeping, replays, schedules

BY = "sweep"


@shared_task(name="occurrences.plan")
def plan() -> None:
    """Write the due times ahead."""
    schedules.plan(now=database_now(), ahead=timedelta(seconds=settings.PLAN_AHEAD_SECONDS))


@shared_task(name="occurrences.sweep")
def sweep() -> None:
    """Judge what is past its deadline."""
    absences.sweep(by=BY, now=database_now(), every=timedelta(seconds=settings.SWEEP_SECONDS))
    replays.read_back(by=BY, now=database_now())


@shared_task(name="occurrences.dispatch")
def dispatch() -> None:
    """Send what has been decided and not sent yet."""
    replays.dispatch(targets=settings.TARGETS, by=BY, now=database_now())


@shared_task(name="occurrences.housekeeping")
def housekeeping_round() -> None:
    """Make partitions ahead and delete what nobody needs any more."""
    housekeeping.keep_house(by=BY, now=database_now())
