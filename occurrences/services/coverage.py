"""Advance how far the evidence of a role is known to be complete (handoff contract, section 5)."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db import connection
from django.db.models import Count, Max, Min, Q

from occurrences.models import Coverage, CoverageStretch, Process, Source

# Coverage comes about once a second; a jump of more than this closes a gap that judgements waited for.
A_GAP = timedelta(seconds=15)


@dataclass(frozen=True, slots=True, kw_only=True)
class Hole:
    """Numbers of a spool that will never come: nothing is proven between the two times."""

    role: str
    since: datetime
    until: datetime


def advance(*, source: Source, roles: Collection[str], holes: Sequence[Hole], now: datetime) -> None:
    """Move each role up to its least advanced open spool, or to now when all its spools are closed."""
    if not roles:
        return
    open_spool = Q(ended_at__isnull=True)
    spools = Process.objects.filter(source=source, role__in=roles).values("role")
    found = {
        row["role"]: row
        for row in spools.annotate(
            still_open=Count("id", filter=open_spool),
            least=Min("up_to", filter=open_spool),
            ended=Max("ended_at"),
        )
    }
    rows = Coverage.objects.select_for_update(no_key=True).filter(source=source, role__in=found).order_by("role")
    closes_a_gap = False
    for row in rows:
        state = found[row.role]
        closed = state["still_open"] == 0
        reached = now if closed else max(state["least"], row.up_to or state["least"])
        of_role = [h for h in holes if h.role == row.role]
        closes_a_gap |= row.up_to is not None and not row.to_now and reached - row.up_to > A_GAP
        _grow(source, row, reached, of_role, now)
        row.up_to, row.to_now = reached, closed
        row.save(update_fields=["up_to", "to_now"])
    if closes_a_gap or holes:
        _arm_unknown(source, now)


def _grow(source: Source, row: Coverage, reached: datetime, holes: Sequence[Hole], now: datetime) -> None:
    if holes:
        start = min(reached, max(h.until for h in holes))
        stretch = CoverageStretch(source=source, role=row.role, start=start, end=reached, known_at=now)
        CoverageStretch.objects.bulk_create([stretch], ignore_conflicts=True)
        return
    last = CoverageStretch.objects.filter(source=source, role=row.role).order_by("-start").first()
    if last is None:
        CoverageStretch.objects.create(source=source, role=row.role, start=reached, end=reached, known_at=now)
    elif last.end < reached:
        CoverageStretch.objects.filter(pk=last.pk).update(end=reached)


def _arm_unknown(source: Source, now: datetime) -> None:
    """Let the next sweep look again at what could not be told, or waits for the time to give up."""
    with connection.cursor() as cursor:
        cursor.execute(
            "UPDATE occurrences_occurrence SET next_deadline = %s, next_role = 'clock' WHERE key IN ("
            "SELECT key FROM occurrences_occurrence WHERE source_id = %s AND verdict = 'unknown' "
            "ORDER BY key FOR NO KEY UPDATE)",
            [now, source.pk],
        )
