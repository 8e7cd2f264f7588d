"""Take schedule snapshots: what a source says it will run, and by which rule, from an instant on."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from django.db import connection

from occurrences.contract.errors import RefusedRule
from occurrences.contract.schedules import FloatingRule, Rule, parse_rule
from occurrences.contract.wire import ScheduleIn
from occurrences.models import Schedule, ScheduleRevision, Source


def take_snapshots(*, source: Source, snapshots: Sequence[ScheduleIn], now: datetime) -> set[int]:
    """Make schedules and revisions for what is new or changed; return the schedules that changed.

    A snapshot older than the revision in force changes nothing, so that order of arrival does not matter
    for what is in force now. Due times planned by the old rule and not reached yet go with it.
    """
    newest = {s.schedule_key: s for s in sorted(snapshots, key=lambda s: s.observed_at)}
    if not newest:
        return set()
    schedules = known_schedules(source=source, keys=list(newest), now=now)
    current = _current({s.pk for s in schedules.values()})
    changed = {
        schedules[key].pk: (schedules[key], snapshot)
        for key, snapshot in newest.items()
        if _is_news(current.get(schedules[key].pk), snapshot)
    }
    revisions = [_revision(schedule, snapshot, now) for schedule, snapshot in changed.values()]
    ScheduleRevision.objects.bulk_create(revisions, ignore_conflicts=True)
    _forget_planned(revisions, now)
    return set(changed)


def known_schedules(*, source: Source, keys: Sequence[str], now: datetime) -> dict[str, Schedule]:
    """The schedules of these keys, made where they are new, by key."""
    Schedule.objects.bulk_create(
        [Schedule(source=source, key=key, first_seen_at=now) for key in sorted(set(keys))],
        ignore_conflicts=True,
    )
    return {s.key: s for s in Schedule.objects.filter(source=source, key__in=keys)}


def _current(schedules: set[int]) -> dict[int, ScheduleRevision]:
    rows = ScheduleRevision.objects.filter(schedule_id__in=schedules).order_by("schedule_id", "-valid_from")
    return {r.schedule_id: r for r in rows.distinct("schedule_id")}


def _is_news(current: ScheduleRevision | None, snapshot: ScheduleIn) -> bool:
    if current is None:
        return True
    return current.definition_hash != snapshot.definition_hash and current.valid_from < snapshot.observed_at


def _revision(schedule: Schedule, snapshot: ScheduleIn, now: datetime) -> ScheduleRevision:
    return ScheduleRevision(
        schedule=schedule,
        valid_from=min(snapshot.observed_at, now),
        rule=snapshot.rule,
        dialect=snapshot.dialect,
        zone=snapshot.tz,
        anchor=snapshot.anchor,
        expires_after_seconds=snapshot.expires_after or None,
        catch_up=snapshot.catch_up,
        enabled=snapshot.enabled,
        target=target_of(snapshot),
        definition_hash=snapshot.definition_hash,
        refused_because=refusal_of(snapshot),
        received_at=now,
    )


def target_of(snapshot: ScheduleIn) -> dict[str, object]:
    """What a run of the schedule is sent to. Arguments are there only where the sender was told to give them."""
    target: dict[str, object] = {
        "task": snapshot.task,
        "queue": snapshot.queue,
        "options": dict(snapshot.options),
        "has_arguments": snapshot.has_arguments,
    }
    if snapshot.args is not None:
        target["args"] = list(snapshot.args)
    if snapshot.kwargs is not None:
        target["kwargs"] = dict(snapshot.kwargs)
    return target


def refusal_of(snapshot: ScheduleIn) -> str:
    """The parser's words where the rule is refused or not one we can watch, else an empty text."""
    try:
        rule = parse_rule(snapshot.rule, snapshot.dialect, snapshot.tz, snapshot.anchor)
    except RefusedRule as refused:
        return str(refused)
    return "" if _watched(rule) else "periods under one second are not watched"


def _watched(rule: Rule) -> bool:
    return not isinstance(rule, FloatingRule) or rule.watched


# An occurrence without evidence revision has never had a record nor a verdict of its own.
FORGET = """
DELETE FROM occurrences_occurrence o USING unnest(%s::bigint[], %s::timestamptz[]) AS t(schedule_id, since)
 WHERE o.schedule_id = t.schedule_id AND o.due_at >= t.since AND o.evidence_revision = 0
"""
PLAN_AGAIN = """
UPDATE occurrences_schedule s SET planned_to = t.since
  FROM unnest(%s::bigint[], %s::timestamptz[]) AS t(schedule_id, since)
 WHERE s.id = t.schedule_id AND s.planned_to > t.since
"""


def _forget_planned(revisions: Sequence[ScheduleRevision], now: datetime) -> None:
    """Drop the due times ahead that the rule before had planned, and plan again from the change on."""
    if not revisions:
        return
    pairs: list[Any] = [[r.schedule_id for r in revisions], [max(r.valid_from, now) for r in revisions]]
    with connection.cursor() as cursor:
        cursor.execute(FORGET, pairs)
        cursor.execute(PLAN_AGAIN, pairs)
