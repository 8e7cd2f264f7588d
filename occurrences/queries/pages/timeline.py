"""The work items of an occurrence, and what was done and said in them."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.db.models import Count, Max, Q

from occurrences.contract.verdicts import Verdict
from occurrences.models import Absence, Occurrence, WorkItem, WorkItemEntry
from occurrences.queries.pages.gaps import gaps_of, unknown_beside

AT_MOST = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class Review:
    """The newest work item an occurrence lies in: its size, its lines, and all the items there ever were."""

    item: WorkItem | None
    size: int
    entries: Sequence[WorkItemEntry]


def newest_change(key: UUID) -> datetime | None:
    """When anything changed in the work items of the occurrence; None where there are none."""
    changed: datetime | None = Absence.objects.filter(occurrence_id=key).aggregate(at=Max("work_item__changed_at"))[
        "at"
    ]
    return changed


def review_of(row: Occurrence) -> Review:
    """The work item the occurrence lies in, the open one first; for one that cannot be told, that of the gap."""
    blind = row.verdict == Verdict.UNKNOWN.value
    mine = Q(absences__in=gaps_of(row)) if blind else Q(absences__occurrence_id=row.key)
    items = WorkItem.objects.filter(mine).select_related("owner", "source")
    item = items.order_by("-closed_at", "-pk").first()  # PostgreSQL puts the open one, null, first
    if item is None:
        return Review(item=None, size=0, entries=())
    size = unknown_beside(row) if blind else item.absences.aggregate(n=Count("occurrence", distinct=True))["n"]
    # Of an outage of thousands the lines of the others would bury those of this one.
    own = item.entries.filter(Q(occurrence_id=row.key) | Q(occurrence__isnull=True))
    return Review(item=item, size=size, entries=list(own.order_by("at", "pk")[:AT_MOST]))
