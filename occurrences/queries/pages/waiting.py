"""Work items that were put aside: until a time, or until a handoff arrives."""

from collections.abc import Collection, Mapping
from datetime import datetime

from django.db.models import Max

from occurrences.contract.work_items import is_snoozed
from occurrences.models import Absence, WorkItem


def newest_evidence(items: Collection[WorkItem]) -> dict[int, datetime | None]:
    """When the newest record of each work item's occurrences was received, in one statement."""
    rows = Absence.objects.filter(work_item__in=[item.pk for item in items])
    grouped = rows.values("work_item_id").annotate(at=Max("occurrence__records__received_at"))
    return {row["work_item_id"]: row["at"] for row in grouped.order_by("work_item_id")}


def waits(item: WorkItem, evidence: Mapping[int, datetime | None], now: datetime) -> bool:
    """Whether the work item still waits as of `now`."""
    return is_snoozed(
        until=item.snoozed_until,
        snoozed_at=item.snoozed_at,
        newest_evidence_at=evidence.get(item.pk),
        now=now,
    )
