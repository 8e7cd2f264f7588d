"""Write the due times ahead, from the rules in force and nothing else.

The watched scheduler is not asked: an occurrence exists because the rule made it due.
"""

from collections.abc import Collection, Iterator
from datetime import datetime, timedelta
from itertools import islice

from django.db import transaction

from occurrences.contract.occurrences import Identity
from occurrences.models import Schedule
from occurrences.queries.schedules import InForce, in_force, schedules_to_plan
from occurrences.services.occurrences.inserting import NewOccurrence, insert
from occurrences.services.partitions import ensure_partitions

PAGE = 500  # due times in one transaction: a crash loses one page, never the place


def plan(*, now: datetime, ahead: timedelta, only: Collection[int] | None = None) -> int:
    """Plan each schedule up to `now + ahead`, from where it was planned to; return rows made.

    A gap of any length is made up in pages; nothing is left out because it is late.
    """
    until = now + ahead
    schedules = schedules_to_plan(until, only)
    revisions = in_force([s.pk for s in schedules])
    return sum(_plan_one(s, revisions.get(s.pk, []), until, now) for s in schedules)


def _plan_one(schedule: Schedule, revisions: list[InForce], until: datetime, now: datetime) -> int:
    if not revisions:
        return 0
    start = schedule.planned_to or revisions[0].start
    rows = new_occurrences(schedule, revisions, start, until)
    made = 0
    while page := list(islice(rows, PAGE)):
        last = page[-1].identity.due_at + timedelta(seconds=1)
        made += _write(schedule, page, until if len(page) < PAGE else last, now)
        if len(page) < PAGE:
            return made
    _write(schedule, [], until, now)
    return made


def _write(schedule: Schedule, page: list[NewOccurrence], planned_to: datetime, now: datetime) -> int:
    if page:
        ensure_partitions(page[0].identity.due_at, page[-1].identity.due_at)
    with transaction.atomic():
        made = insert(rows=page, now=now)
        Schedule.objects.filter(pk=schedule.pk).update(planned_to=planned_to)
    return made


def new_occurrences(
    schedule: Schedule, revisions: list[InForce], start: datetime, end: datetime
) -> Iterator[NewOccurrence]:
    """The occurrences that the rules make due in [start, end)."""
    for ruling in revisions:
        for due in ruling.due_times(start, end):
            yield NewOccurrence(
                identity=Identity(source=schedule.source.name, schedule_key=schedule.key, due_at=due.due_at),
                source_id=schedule.source_id,
                schedule_id=schedule.pk,
                revision_id=ruling.revision.pk,
                due=due,
                dialect=ruling.revision.dialect,
                planned=True,
            )
