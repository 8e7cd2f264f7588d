"""Take schedule snapshots: what a source says it will run, and by which rule, from an instant on."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

from django.db import connection

from occurrences.contract.errors import RefusedRule
from occurrences.contract.schedules import Rule, parse_rule
from occurrences.contract.wire import ScheduleIn
from occurrences.models import Schedule, ScheduleRevision, Source

OLDEST = timedelta(days=400)  # no partition is made for due times further back


def take_snapshots(*, source: Source, snapshots: Sequence[ScheduleIn], now: datetime) -> set[int]:
    """Make schedules and revisions for what is new or changed; return the schedules that changed.

    Each snapshot rules from its own moment on, in whatever order they arrive. What another rule had planned from there
    on is taken back where nothing is known of it, and is no longer due where something is.
    """
    if not snapshots:
        return set()
    schedules = known_schedules(source=source, keys=[s.schedule_key for s in snapshots], now=now)
    locked = Schedule.objects.select_for_update(no_key=True).filter(pk__in=[s.pk for s in schedules.values()])
    list(locked.order_by("pk").values_list("pk"))  # the planner waits, or sees what we do
    known = _known(schedules.values())
    new: list[ScheduleRevision] = []
    for snapshot in sorted(snapshots, key=lambda s: s.observed_at):
        schedule = schedules[snapshot.schedule_key]
        since = max(min(snapshot.observed_at, now), now - OLDEST)
        if _is_news(known[schedule.pk], snapshot, since):
            revision = _revision(schedule, snapshot, since, now)
            known[schedule.pk] = sorted([*known[schedule.pk], revision], key=lambda r: r.valid_from)
            new.append(revision)
    ScheduleRevision.objects.bulk_create(new, ignore_conflicts=True)
    _forget_planned(new, known, now)
    return {r.schedule_id for r in new}


def known_schedules(*, source: Source, keys: Sequence[str], now: datetime) -> dict[str, Schedule]:
    """The schedules of these keys, made where they are new, by key."""
    wanted = set(keys)
    known = Schedule.objects.filter(source=source, key__in=wanted)
    found = {s.key: s for s in known}
    if missing := sorted(wanted - found.keys()):
        rows = [Schedule(source=source, key=key, first_seen_at=now) for key in missing]
        Schedule.objects.bulk_create(rows, ignore_conflicts=True)
        found = {s.key: s for s in known.all()}
    return found


def _known(schedules: Iterable[Schedule]) -> dict[int, list[ScheduleRevision]]:
    found: dict[int, list[ScheduleRevision]] = {s.pk: [] for s in schedules}
    for row in ScheduleRevision.objects.filter(schedule_id__in=found).order_by("valid_from"):
        found[row.schedule_id].append(row)
    return found


def _is_news(revisions: Sequence[ScheduleRevision], snapshot: ScheduleIn, since: datetime) -> bool:
    """Whether the snapshot says something else than the revision in force at its moment."""
    before = [r for r in revisions if r.valid_from <= since]
    if not before:
        return not revisions or revisions[0].definition_hash != snapshot.definition_hash
    return before[-1].definition_hash != snapshot.definition_hash and before[-1].valid_from < since


def _revision(schedule: Schedule, snapshot: ScheduleIn, since: datetime, now: datetime) -> ScheduleRevision:
    return ScheduleRevision(
        schedule=schedule,
        valid_from=since,
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
    return rule.watched


# Without evidence revision an occurrence has never had a record nor a verdict of its own.
FORGET = """
DELETE FROM occurrences_occurrence WHERE key IN (
    SELECT o.key FROM occurrences_occurrence o
      JOIN unnest(%s::bigint[], %s::timestamptz[], %s::timestamptz[]) AS t(schedule_id, since, until)
        ON o.schedule_id = t.schedule_id AND o.due_at >= t.since AND (t.until IS NULL OR o.due_at < t.until)
     WHERE o.evidence_revision = 0 ORDER BY o.key FOR UPDATE OF o)
"""
# What is known of stays, but the rule that made it due does not; the plan puts back what the new rule makes due.
TAKE_BACK = """
UPDATE occurrences_occurrence SET planned = false, next_deadline = %s, next_role = 'clock' WHERE key IN (
    SELECT o.key FROM occurrences_occurrence o
      JOIN unnest(%s::bigint[], %s::timestamptz[], %s::timestamptz[]) AS t(schedule_id, since, until)
        ON o.schedule_id = t.schedule_id AND o.due_at >= t.since AND (t.until IS NULL OR o.due_at < t.until)
     WHERE o.planned AND NOT o.expected_gap ORDER BY o.key FOR NO KEY UPDATE OF o)
"""
PLAN_AGAIN = """
UPDATE occurrences_schedule s SET planned_to = t.since
  FROM unnest(%s::bigint[], %s::timestamptz[]) AS t(schedule_id, since)
 WHERE s.id = t.schedule_id AND s.planned_to > t.since
"""


def _forget_planned(
    new: Sequence[ScheduleRevision], known: Mapping[int, Sequence[ScheduleRevision]], now: datetime
) -> None:
    """Take back what other rules had planned while these rule, and plan again from the change on."""
    if not new:
        return
    spans: list[Any] = [
        [r.schedule_id for r in new],
        [r.valid_from for r in new],
        [next((k.valid_from for k in known[r.schedule_id] if k.valid_from > r.valid_from), None) for r in new],
    ]
    with connection.cursor() as cursor:
        cursor.execute(FORGET, spans)
        cursor.execute(TAKE_BACK, [now, *spans])
        cursor.execute(PLAN_AGAIN, spans[:2])
