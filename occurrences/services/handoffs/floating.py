"""Follow the ticks of floating schedules: each tick ends one expected gap and begins the next.

A floating schedule has no nominal due times (handoff contract, section 1). What can be missing is a tick
within the longest allowed gap after the last one; that is the one occurrence it has ahead.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from uuid import UUID

from django.db.models import Max

from occurrences.contract.occurrences import Identity
from occurrences.contract.schedules import Due, FloatingRule
from occurrences.models import HandoffRecord, Occurrence, Schedule, Source
from occurrences.queries.schedules import InForce, in_force
from occurrences.services.handoffs.items import Filing
from occurrences.services.occurrences import NewOccurrence, insert


@dataclass(slots=True)
class Gaps:
    """The flagged gaps that a tick has ended."""

    touched: set[UUID] = field(default_factory=set)


def follow_ticks(*, source: Source, ticks: Sequence[Filing], now: datetime) -> Gaps:
    """End the gaps that the new ticks of floating schedules end, and expect the next."""
    named = [f for f in ticks if f.named is not None and f.said.due_basis == "floating"]
    gaps = Gaps()
    if not named:
        return gaps
    keys = {f.named.schedule_key for f in named if f.named is not None}
    schedules = {s.key: s for s in Schedule.objects.filter(source=source, key__in=keys).select_related("source")}
    rules = _floating({s.pk for s in schedules.values()})
    watched = {s.pk: s for s in schedules.values() if s.pk in rules}
    _ticked_in_time([f.key for f in named if f.key is not None])
    gaps.touched = _end_flagged(watched, named)
    expect_next(schedules=watched.values(), rules=rules, now=now)
    return gaps


def begin_floating(*, schedules: Collection[int], now: datetime) -> None:
    """Expect the first gap of floating schedules whose snapshot is new or changed."""
    rules = _floating(schedules)
    if rules:
        found = Schedule.objects.filter(pk__in=rules).select_related("source")
        expect_next(schedules=found, rules=rules, now=now)


def _floating(schedules: Iterable[int]) -> dict[int, InForce]:
    found = {pk: revisions[-1] for pk, revisions in in_force(list(schedules)).items()}
    return {pk: r for pk, r in found.items() if isinstance(r.rule, FloatingRule) and r.rule.watched}


def _ticked_in_time(keys: Sequence[UUID]) -> None:
    # A tick in the very second that was expected: the gap is that tick's own occurrence.
    Occurrence.objects.filter(key__in=keys, expected_gap=True, flagged_at__isnull=True).update(expected_gap=False)


def _end_flagged(schedules: dict[int, Schedule], ticks: Sequence[Filing]) -> set[UUID]:
    """Give each flagged gap the first tick after it as its own, late; its path ends there."""
    open_gaps = Occurrence.objects.filter(
        schedule_id__in=schedules,
        expected_gap=True,
        flagged_at__isnull=False,
        absences__closed_at__isnull=True,
    ).order_by("key")
    by_key: dict[str, list[Filing]] = defaultdict(list)
    for tick in sorted(ticks, key=lambda f: f.said.observed_at):
        if tick.named is not None:
            by_key[tick.named.schedule_key].append(tick)
    rows = []
    for gap in open_gaps.distinct():
        later = by_key[schedules[gap.schedule_id].key]
        ended_by = next((t for t in later if t.named is not None and t.named.due_at > gap.due_at), None)
        if ended_by is not None:
            rows.append(_copy(ended_by, gap))
    HandoffRecord.objects.bulk_create(rows, ignore_conflicts=True)
    return {row.occurrence_id for row in rows}


def _copy(tick: Filing, gap: Occurrence) -> HandoffRecord:
    return HandoffRecord(
        occurrence_id=gap.key,
        handoff=int(tick.said.handoff),
        record_key=tick.record_key,
        source_id=gap.source_id,
        record_id=tick.said.record_id,
        body_digest=tick.digest,
        outcome=tick.said.outcome,
        observed_at=tick.said.observed_at,
        received_at=tick.received_at,
        body=tick.body,
    )


def expect_next(*, schedules: Iterable[Schedule], rules: dict[int, InForce], now: datetime) -> None:
    """Plan the one gap each schedule has ahead, and delete the one before where it was never flagged."""
    schedules = list(schedules)
    last = dict(
        Occurrence.objects.filter(schedule__in=schedules, expected_gap=False)
        .values_list("schedule_id")
        .annotate(Max("due_at"))
    )
    rows = [_next_gap(s, rules[s.pk], last.get(s.pk)) for s in schedules]
    keep = [row.identity.key for row in rows]
    stale = Occurrence.objects.filter(schedule__in=schedules, expected_gap=True, flagged_at__isnull=True)
    stale = stale.filter(records__isnull=True, absences__isnull=True).exclude(key__in=keep)
    gone = list(stale.values_list("key", flat=True))
    Occurrence.objects.filter(key__in=gone)._raw_delete("default")  # no cascade to look for: see the filter
    insert(rows=sorted(rows, key=lambda r: r.identity.key), now=now)


def _next_gap(schedule: Schedule, ruling: InForce, last_tick: datetime | None) -> NewOccurrence:
    assert isinstance(ruling.rule, FloatingRule)  # noqa: S101  chosen so by the caller
    since = ruling.start if last_tick is None else max(last_tick, ruling.start)
    due_at = since + ruling.rule.longest_gap
    identity = Identity(source=schedule.source.name, schedule_key=schedule.key, due_at=due_at)
    local = identity.due_at.astimezone(UTC).replace(tzinfo=None)
    zero = due_at.utcoffset()
    assert zero is not None  # noqa: S101  stored times are aware
    return NewOccurrence(
        identity=identity,
        source_id=schedule.source_id,
        schedule_id=schedule.pk,
        revision_id=ruling.revision.pk,
        due=Due(due_at=identity.due_at, local=local, zone="UTC", offset=zero, fold=0, gap_note=None),
        dialect=ruling.revision.dialect,
        planned=True,
        expected_gap=True,
    )
