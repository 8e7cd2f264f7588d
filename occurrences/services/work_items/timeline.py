"""Lines on the timeline of the work items that hold an occurrence."""

from datetime import datetime
from uuid import UUID

from occurrences.models import Absence, WorkItem, WorkItemEntry


def note_on_items(*, key: UUID, kind: str, text: str, by: str, now: datetime) -> None:
    """Write one line on each open work item that holds the occurrence, else on the newest closed one."""
    holding = list(
        Absence.objects.filter(occurrence_id=key)
        .order_by("work_item_id")
        .values_list("work_item_id", "work_item__closed_at")
    )
    still_open = sorted({pk for pk, closed in holding if closed is None})
    items = still_open or ([holding[-1][0]] if holding else [])
    WorkItemEntry.objects.bulk_create(
        WorkItemEntry(work_item_id=pk, at=now, by=by, kind=kind, text=text, occurrence_id=key) for pk in items
    )
    WorkItem.objects.filter(pk__in=items).update(changed_at=now)
