"""Advance how far the evidence of a role is known to be complete (handoff contract, section 5)."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db import connection
from django.db.models import Count, Max, Min, Q

from occurrences.models import Coverage, CoverageStretch, Process, Source


@dataclass(frozen=True, slots=True, kw_only=True)
class Hole:
    """Numbers of a spool that did not come: nothing is proven between the two times. `mended`: they came after all."""

    role: str
    since: datetime
    until: datetime
    mended: bool = False


def advance(*, source: Source, roles: Collection[str], holes: Sequence[Hole], now: datetime) -> None:
    """Move each role up to its least advanced open spool, or to now when all its spools are closed."""
    if not roles:
        return
    spools = _spools(source, roles)
    for row in Coverage.objects.select_for_update(no_key=True).filter(source=source, role__in=spools).order_by("role"):
        still_open, least = spools[row.role]
        reached = max(least or now, row.up_to or datetime.min.replace(tzinfo=now.tzinfo)) if still_open else now
        before = row.up_to
        new = [h for h in holes if h.role == row.role and not h.mended]
        mended = [h for h in holes if h.role == row.role and h.mended]
        _grow(source, row, reached, new, now)
        _mend(source, row, mended, now)
        row.up_to, row.to_now = reached, not still_open
        row.save(update_fields=["up_to", "to_now", "blind_until"])
        _arm_blind(source, min([before, *(h.since for h in mended)]) if before else None, now)


def _spools(source: Source, roles: Collection[str]) -> dict[str, tuple[int, datetime | None]]:
    """Of each role how many spools are open, and how far the least advanced of them is."""
    is_open = Q(ended_at__isnull=True)
    rows = Process.objects.filter(source=source, role__in=roles).values("role")
    counted = rows.annotate(
        still_open=Count("id", filter=is_open), least=Min("up_to", filter=is_open), ended=Max("ended_at")
    )
    return {row["role"]: (row["still_open"], row["least"]) for row in counted}


def _grow(source: Source, row: Coverage, reached: datetime, holes: Sequence[Hole], now: datetime) -> None:
    """Extend the newest stretch, or begin another one behind a hole once every spool has passed it."""
    if holes:
        row.blind_until = max([h.until for h in holes] + [row.blind_until or holes[0].until])
    if row.blind_until is not None:
        if reached >= row.blind_until:
            start, row.blind_until = row.blind_until, None
            stretch = CoverageStretch(source=source, role=row.role, start=start, end=reached, known_at=now)
            CoverageStretch.objects.bulk_create([stretch], ignore_conflicts=True)
        return
    last = CoverageStretch.objects.filter(source=source, role=row.role).order_by("-start").first()
    if last is None:
        CoverageStretch.objects.create(source=source, role=row.role, start=reached, end=reached, known_at=now)
    elif last.end < reached:
        CoverageStretch.objects.filter(pk=last.pk).update(end=reached)


def _mend(source: Source, row: Coverage, holes: Sequence[Hole], now: datetime) -> None:
    """Join what a hole had parted, now that its numbers have come."""
    for hole in holes:
        stretch = CoverageStretch(source=source, role=row.role, start=hole.since, end=hole.until, known_at=now)
        CoverageStretch.objects.bulk_create([stretch], ignore_conflicts=True)
        CoverageStretch.objects.filter(source=source, role=row.role, start=hole.since, end__lt=hole.until).update(
            end=hole.until
        )


ARM = """
UPDATE occurrences_occurrence SET next_deadline = %(now)s, next_role = 'clock' WHERE key IN (
    SELECT key FROM occurrences_occurrence WHERE source_id = %(source)s AND {} ORDER BY key FOR NO KEY UPDATE)
"""
# What could not be told for want of coverage past the moment from which the role has moved on now; where it is heard
# of for the first time, whatever could not be told. The rest of a gap that is for ever is not looked at over and over.
ARM_SINCE = ARM.format("blind_from >= %(since)s")
ARM_FIRST = ARM.format("(verdict = 'unknown' OR blind_from IS NOT NULL)")


def _arm_blind(source: Source, since: datetime | None, now: datetime) -> None:
    """Let the next sweep look again at what could not be told, or not proven, for want of what has come now."""
    with connection.cursor() as cursor:
        statement = ARM_FIRST if since is None else ARM_SINCE
        cursor.execute(statement, {"now": now, "source": source.pk, "since": since})


def earliest_hole(*, source: Source, spools: Collection[str]) -> datetime | None:
    """Where the oldest hole begins that numbers of these spools may still mend; None where there is none."""
    rows = Process.objects.filter(source=source, spool__in=spools).exclude(missing=[])
    found = [datetime.fromisoformat(gap[2]) for missing in rows.values_list("missing", flat=True) for gap in missing]
    return min(found, default=None)
