"""The list of schedules: rule, last occurrences, what comes next, and whether we watch."""

from collections import defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db import connection
from django.db.models import Q, QuerySet

from occurrences.contract.occurrences import Identity
from occurrences.contract.schedules import FloatingRule, in_words
from occurrences.contract.verdicts import Verdict
from occurrences.models import Pause, Schedule
from occurrences.queries.pages.addresses import address_of
from occurrences.queries.pages.tones import LATE, OFF, PRESENT, tone_of
from occurrences.queries.schedules import InForce, at, in_force

LAST = 14
AHEAD = timedelta(days=400)  # past the next leap day's neighbours no rule in use is silent that long
STRIP = """
SELECT s.id, o.due_at, o.verdict
  FROM unnest(%s::bigint[]) AS s(id)
 CROSS JOIN LATERAL (
        SELECT o.due_at, o.verdict FROM occurrences_occurrence o
         WHERE o.schedule_id = s.id AND o.due_at <= %s ORDER BY o.due_at DESC LIMIT %s
       ) o
 ORDER BY s.id, o.due_at
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """One past occurrence on the strip."""

    due_at: datetime
    words: str
    tone: str
    address: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ScheduleRow:
    """One schedule as the list shows it."""

    schedule: Schedule
    rule: str
    zone: str
    cells: Sequence[Cell]
    next_due: datetime | None
    state: str
    reason: str
    tone: str


def all_schedules(source: str = "") -> QuerySet[Schedule]:
    """The schedules in order of source and key; the view cuts them into pages."""
    rows = Schedule.objects.select_related("source").order_by("source__name", "key")
    return rows.filter(source__name=source) if source else rows


def schedule_rows(schedules: Sequence[Schedule], *, now: datetime) -> list[ScheduleRow]:
    """The rows of these schedules, in a constant number of statements."""
    pks = [s.pk for s in schedules]
    revisions = in_force(pks)
    cells = _strips(schedules, now)
    paused = _paused({s.source_id for s in schedules}, now)
    return [
        _row(s, at(revisions.get(s.pk, []), now), revisions.get(s.pk, []), cells[s.pk], paused, now) for s in schedules
    ]


def _strips(schedules: Sequence[Schedule], now: datetime) -> dict[int, list[Cell]]:
    by_pk = {s.pk: s for s in schedules}
    cells: dict[int, list[Cell]] = defaultdict(list)
    with connection.cursor() as cursor:
        cursor.execute(STRIP, [list(by_pk), now, LAST])
        for pk, due_at, verdict in cursor.fetchall():
            identity = Identity(source=by_pk[pk].source.name, schedule_key=by_pk[pk].key, due_at=due_at)
            cells[pk].append(
                Cell(
                    due_at=due_at,
                    words=Verdict(verdict).words,
                    tone=tone_of(verdict),
                    address=address_of(identity),
                )
            )
    return cells


def _paused(sources: Collection[int], now: datetime) -> dict[int, str]:
    rows = Pause.objects.filter(Q(end__isnull=True) | Q(end__gt=now), source_id__in=sources, start__lte=now)
    return dict(rows.values_list("source_id", "reason"))


def _row(
    schedule: Schedule,
    ruling: InForce | None,
    revisions: list[InForce],
    cells: list[Cell],
    paused: dict[int, str],
    now: datetime,
) -> ScheduleRow:
    state, reason, tone = _state(schedule, ruling, paused)
    return ScheduleRow(
        schedule=schedule,
        rule=rule_in_words(ruling),
        zone="" if ruling is None else ruling.revision.zone,
        cells=cells,
        next_due=_next_due(revisions, now),
        state=state,
        reason=reason,
        tone=tone,
    )


def rule_in_words(ruling: InForce | None) -> str:
    """The rule as a person would say it; the text as it came where it was not understood."""
    if ruling is None:
        return ""
    return in_words(ruling.rule) if ruling.rule is not None else ruling.revision.rule


def _next_due(revisions: list[InForce], now: datetime) -> datetime | None:
    for ruling in revisions:
        due = next(ruling.due_times(now, now + AHEAD), None)
        if due is not None:
            return due.due_at
    return None


def _state(schedule: Schedule, ruling: InForce | None, paused: dict[int, str]) -> tuple[str, str, str]:
    if ruling is None:
        return "Not watched", "no definition of it has come yet", OFF
    if not schedule.source.enabled:
        return "Not watched", "its source is switched off", OFF
    if ruling.revision.refused_because:
        return "Not watched", ruling.revision.refused_because, LATE
    if not ruling.revision.enabled:
        return "Not watched", "switched off in its scheduler", OFF
    if schedule.source_id in paused:
        return "Paused", paused[schedule.source_id], OFF
    if isinstance(ruling.rule, FloatingRule):
        return "Watched", "by the longest gap between ticks", PRESENT
    return "Watched", "", PRESENT
