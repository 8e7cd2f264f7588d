"""The work items of an occurrence, and what was done and said in them."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.db.models import Count, Max

from occurrences.models import Absence, WorkItem, WorkItemEntry

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


def review_of(key: UUID) -> Review:
    """The work item the occurrence lies in, the open one first, in a constant number of statements."""
    items = WorkItem.objects.filter(absences__occurrence_id=key).select_related("owner", "source")
    item = items.order_by("-closed_at", "-pk").first()  # PostgreSQL puts the open one, null, first
    if item is None:
        return Review(item=None, size=0, entries=())
    size = item.absences.filter(occurrence__isnull=False).aggregate(n=Count("pk"))["n"]
    # Of an outage of thousands the lines of the others would bury those of this one.
    own = item.entries.filter(occurrence_id=key) | item.entries.filter(occurrence__isnull=True)
    return Review(item=item, size=size, entries=list(own.order_by("at", "pk")[:AT_MOST]))
