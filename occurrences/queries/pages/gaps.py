"""What one gap of a source keeps from us."""

from collections import defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Count, Q, QuerySet

from occurrences.contract.absences import SAME_GAP
from occurrences.contract.verdicts import Verdict
from occurrences.models import Absence, CoverageStretch, Occurrence, Source, WorkItem


def unknown_of(source: Source, gap_from: datetime) -> QuerySet[Occurrence]:
    """The occurrences of which nothing can be told because of this gap."""
    return Occurrence.objects.filter(_in_gap(source, gap_from), source=source, verdict=Verdict.UNKNOWN.value)


def gaps_of(row: Occurrence) -> QuerySet[Absence]:
    """The absences of the gap that keeps this occurrence from us."""
    since = row.blind_from or row.source.created_at
    near = (since - SAME_GAP, since + SAME_GAP)
    return Absence.objects.filter(source_id=row.source_id, gap_from__range=near)


def unknown_beside(row: Occurrence) -> int:
    """How many occurrences this gap keeps from us, this one included."""
    return unknown_of(row.source, row.blind_from or row.source.created_at).count()


def _in_gap(source: Source, gap_from: datetime) -> Q:
    near = Q(blind_from__range=(gap_from - SAME_GAP, gap_from + SAME_GAP))
    # Where nothing was ever heard of a role there is no moment to begin at; the gap begins with the source.
    return near | Q(blind_from__isnull=True) if gap_from == source.created_at else near


def unknown_in_gaps(items: Sequence[WorkItem]) -> dict[int, int]:
    """How many occurrences cannot be told, by work item; in one statement, none where there is no gap."""
    gaps = [item for item in items if item.gap_from is not None]  # type: ignore[attr-defined]
    if not gaps:
        return {}
    found = Occurrence.objects.filter(source__in={g.source_id for g in gaps}, verdict=Verdict.UNKNOWN.value)
    groups = list(found.values_list("source_id", "blind_from").annotate(n=Count("key")))
    return {gap.pk: sum(n for s, at, n in groups if s == gap.source_id and _same(gap, at)) for gap in gaps}


def _same(gap: WorkItem, at: datetime | None) -> bool:
    start: datetime = gap.gap_from  # type: ignore[attr-defined]
    if at is None:
        return start == gap.source.created_at
    return abs(at - start) <= SAME_GAP


@dataclass(frozen=True, slots=True, kw_only=True)
class Gap:
    """A time in which a source could not be seen; `end` is None while it still cannot."""

    start: datetime
    end: datetime | None


def gaps_at(starts: Collection[tuple[int, datetime]]) -> dict[tuple[int, datetime], Gap]:
    """The gaps of sources by (source, start), each with the moment from which every role was seen again."""
    if not starts:
        return {}
    since = min(start for _, start in starts) - SAME_GAP
    rows = CoverageStretch.objects.filter(source_id__in={source for source, _ in starts}, end__gte=since)
    stretches: dict[tuple[int, str], list[tuple[datetime, datetime]]] = defaultdict(list)
    for source, role, start, end in rows.order_by("start").values_list("source_id", "role", "start", "end"):
        stretches[source, role].append((start, end))
    return {
        (source, start): Gap(start=start, end=_seen_again(start, [v for k, v in stretches.items() if k[0] == source]))
        for source, start in starts
    }


def _seen_again(start: datetime, roles: Sequence[list[tuple[datetime, datetime]]]) -> datetime | None:
    """When the last of the roles that fell silent at `start`, or were never heard before it, was seen again."""
    fell_silent = [
        own for own in roles if not any(begin < start - SAME_GAP and start + SAME_GAP < end for begin, end in own)
    ]
    back = [next((begin for begin, _ in own if begin > start), None) for own in fell_silent]
    ends = [moment for moment in back if moment is not None]
    return max(ends) if ends and len(ends) == len(back) else None
