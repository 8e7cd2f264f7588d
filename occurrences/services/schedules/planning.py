"""Write the due times ahead, from the rules in force and nothing else.

The watched scheduler is not asked: an occurrence exists because the rule made it due.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from itertools import islice

from django.db import connection, transaction

from occurrences.contract.occurrences import Identity
from occurrences.models import Schedule
from occurrences.queries.schedules import InForce, in_force, schedules_to_plan
from occurrences.services.occurrences.inserting import NewOccurrence, insert
from occurrences.services.partitions import ensure_partitions

PAGE = 500  # due times in one transaction: a crash loses one page, never the place


@dataclass(slots=True)
class Page:
    """Due times of one or more schedules, and how far each of these is planned once they are written."""

    rows: list[NewOccurrence] = field(default_factory=list)
    reached: dict[int, datetime] = field(default_factory=dict)


def plan(*, now: datetime, ahead: timedelta, only: Collection[int] | None = None, pages: int | None = None) -> int:
    """Plan each schedule up to `now + ahead`, from where it was planned to; return rows made.

    A gap of any length is made up in pages; nothing is left out because it is late. With `pages` no more than so
    many are written now, and the next round goes on from there.
    """
    until = now + ahead
    schedules = {s.pk: s for s in schedules_to_plan(until, only)}
    revisions = in_force(schedules)
    return sum(_write(page, schedules, revisions, now) for page in islice(_pages(schedules, revisions, until), pages))


def _pages(
    schedules: Mapping[int, Schedule], revisions: Mapping[int, list[InForce]], until: datetime
) -> Iterator[Page]:
    page = Page()
    for pk, ruled in revisions.items():
        schedule = schedules[pk]
        rows = new_occurrences(schedule, ruled, schedule.planned_to or ruled[0].start, until)
        while taken := list(islice(rows, PAGE - len(page.rows))):
            page.rows += taken
            page.reached[pk] = taken[-1].identity.due_at + timedelta(seconds=1)
            if len(page.rows) == PAGE:
                yield page
                page = Page()
        page.reached[pk] = until
    if page.reached:
        yield page


def _write(page: Page, schedules: Mapping[int, Schedule], revisions: Mapping[int, list[InForce]], now: datetime) -> int:
    if page.rows:
        dues = [row.identity.due_at for row in page.rows]
        ensure_partitions(min(dues), max(dues))
    with transaction.atomic():
        current = _unchanged(page, schedules, revisions)
        rows = [row for row in page.rows if row.schedule_id in current]
        made = insert(rows=sorted(rows, key=lambda row: row.identity.key), now=now)
        _note_reached({pk: page.reached[pk] for pk in current})
    for pk in current:
        schedules[pk].planned_to = page.reached[pk]
    return made


def _unchanged(page: Page, schedules: Mapping[int, Schedule], revisions: Mapping[int, list[InForce]]) -> list[int]:
    """Lock the schedules of the page and return those that are as they were read: a snapshot may have come since.

    The others are left to the next round, which reads their new rule.
    """
    locked = Schedule.objects.select_for_update(no_key=True).filter(pk__in=page.reached).order_by("pk")
    found = dict(locked.values_list("pk", "planned_to"))
    newest = {pk: [r.revision.pk for r in ruled] for pk, ruled in in_force(found).items()}
    return [
        pk
        for pk, planned_to in found.items()
        if planned_to == schedules[pk].planned_to and newest[pk] == [r.revision.pk for r in revisions[pk]]
    ]


def _note_reached(reached: Mapping[int, datetime]) -> None:
    if reached:
        with connection.cursor() as cursor:
            cursor.execute(
                "UPDATE occurrences_schedule s SET planned_to = t.reached "
                "FROM unnest(%s::bigint[], %s::timestamptz[]) AS t(id, reached) WHERE s.id = t.id",
                [list(reached), list(reached.values())],
            )


def new_occurrences(
    schedule: Schedule, revisions: Sequence[InForce], start: datetime, end: datetime
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
