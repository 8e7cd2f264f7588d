"""Advance how far the evidence of a role is known to be complete (handoff contract, section 5)."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db import connection
from django.db.models import Count, Max, Min, Q

from occurrences.models import Coverage, CoverageStretch, Process, Source

Span = tuple[datetime, datetime]
MOST_HOLES = 50


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
        own = [h for h in holes if h.role == row.role]
        _grow(source, row, reached, own, now)
        row.up_to, row.to_now = reached, not still_open
        row.save(update_fields=["up_to", "to_now", "holes"])
        _arm_blind(source, min([before, *(h.since for h in own if h.mended)]) if before else None, now)


def _spools(source: Source, roles: Collection[str]) -> dict[str, tuple[int, datetime | None]]:
    """Of each role how many spools are open, and how far the least advanced of them is."""
    is_open = Q(ended_at__isnull=True)
    rows = Process.objects.filter(source=source, role__in=roles).values("role")
    counted = rows.annotate(
        still_open=Count("id", filter=is_open), least=Min("up_to", filter=is_open), ended=Max("ended_at")
    )
    return {row["role"]: (row["still_open"], row["least"]) for row in counted}


def _grow(source: Source, row: Coverage, reached: datetime, holes: Sequence[Hole], now: datetime) -> None:
    """Prove what lies between the newest stretch and `reached`, and in what was mended, but for the holes left.

    A hole of one spool counts while another lags behind it, and while that of another overlaps it.
    """
    mended = [(h.since, h.until) for h in holes if h.mended]
    before = [(datetime.fromisoformat(since), datetime.fromisoformat(until)) for since, until in row.holes]
    left = _few(sorted({*before, *((h.since, h.until) for h in holes if not h.mended)} - {*mended}))
    row.holes = [[since.isoformat(), until.isoformat()] for since, until in left]
    last = CoverageStretch.objects.filter(source=source, role=row.role).order_by("-start").first()
    for start, end in _without(left, reached if last is None else last.end, reached):
        if last is not None and start == last.end:
            CoverageStretch.objects.filter(pk=last.pk).update(end=end)
        else:
            _prove(source, row.role, start, end, now)
    for since, until in mended:
        for start, end in _without(left, since, min(until, reached)) if (since, until) in before else ():
            _prove(source, row.role, start, end, now)


def _few(holes: list[Span]) -> list[Span]:
    """Take the oldest holes for one where they are too many: it is never mended, and proves nothing either."""
    old, new = holes[:-MOST_HOLES], holes[-MOST_HOLES:]
    return [(old[0][0], max(until for _, until in old)), *new] if old else new


def _without(holes: Sequence[Span], start: datetime, end: datetime) -> Iterator[Span]:
    """The parts of [start, end] in none of the holes, which are in order; the edges of a hole are not part of it."""
    for since, until in holes:
        if until <= start:
            continue
        if since >= end:
            break
        if since > start:
            yield start, since
        start = until
    if start <= end:
        yield start, end


def _prove(source: Source, role: str, start: datetime, end: datetime, now: datetime) -> None:
    stretch = CoverageStretch(source=source, role=role, start=start, end=end, known_at=now)
    CoverageStretch.objects.bulk_create([stretch], ignore_conflicts=True)
    CoverageStretch.objects.filter(source=source, role=role, start=start, end__lt=end).update(end=end)


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
