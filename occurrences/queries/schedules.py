"""Schedules with the rules in force, as contract values."""

from collections import defaultdict
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache

from occurrences.contract.errors import RefusedRule
from occurrences.contract.handoffs import Handoff
from occurrences.contract.occurrences import key_floor
from occurrences.contract.schedules import Due, Rule, parse_rule
from occurrences.contract.timetables import Revision, Timetable
from occurrences.models import Occurrence, Schedule, ScheduleRevision


@dataclass(frozen=True, slots=True)
class InForce:
    """A revision with the stretch of time it rules; `end` is that of the next revision, or None."""

    revision: ScheduleRevision
    start: datetime
    end: datetime | None
    rule: Rule | None

    def due_times(self, start: datetime, end: datetime) -> Iterator[Due]:
        """The due times in [start, end) while this revision rules; none for a floating rule."""
        ruling = Revision(rule=self.rule if self.revision.enabled else None, since=self.start)
        return Timetable(revisions=(ruling,), end=self.end).due_times(start, end)


def rule_of(revision: ScheduleRevision) -> Rule | None:
    """The parsed rule; None when the parser refused it or the dialect is not one we know."""
    if revision.refused_because:
        return None
    return _parsed(revision.rule, revision.dialect, revision.zone, revision.anchor)


@lru_cache(maxsize=4096)
def _parsed(rule: str, dialect: str, zone: str, anchor: datetime | None) -> Rule | None:
    try:
        return parse_rule(rule, dialect, zone, anchor)
    except RefusedRule:
        return None


def in_force(schedules: Collection[int]) -> dict[int, list[InForce]]:
    """The revisions of each schedule in order of time, each with the stretch it rules."""
    rows: dict[int, list[ScheduleRevision]] = defaultdict(list)
    for row in ScheduleRevision.objects.filter(schedule_id__in=list(schedules)).order_by("valid_from"):
        rows[row.schedule_id].append(row)
    return {key: _stretches(revisions) for key, revisions in rows.items()}


def _stretches(revisions: list[ScheduleRevision]) -> list[InForce]:
    ends = [r.valid_from for r in revisions[1:]] + [None]
    return [InForce(r, r.valid_from, end, rule_of(r)) for r, end in zip(revisions, ends, strict=True)]


def at(revisions: list[InForce], instant: datetime) -> InForce | None:
    """The revision in force at the instant."""
    return next((r for r in reversed(revisions) if r.start <= instant), None)


def waits_for_a_tick(source: str, *, since: datetime, before: datetime) -> bool:
    """Whether a planned due time in [since, before) has no tick yet."""
    due = Occurrence.objects.filter(
        source__name=source, planned=True, expected_gap=False, key__gte=key_floor(since), key__lt=key_floor(before)
    )
    return due.exclude(records__handoff=int(Handoff.TICK)).exists()


def schedules_to_plan(until: datetime, only: Collection[int] | None = None) -> list[Schedule]:
    """Schedules whose due times are not planned up to `until`."""
    rows = Schedule.objects.select_related("source").filter(source__enabled=True)
    if only is not None:
        rows = rows.filter(pk__in=list(only))
    return [s for s in rows.order_by("pk") if s.planned_to is None or s.planned_to < until]
