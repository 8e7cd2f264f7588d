"""Which workers were up, and which of their slots were taken."""

from collections import defaultdict
from collections.abc import Collection
from datetime import datetime

from django.db.models import Q

from occurrences.contract.workers import SlotUse, WorkerRow
from occurrences.models import Process, Run


def worker_rows(sources: Collection[int], since: datetime) -> dict[int, list[WorkerRow]]:
    """The lives of worker processes that reach past `since`, by source."""
    found: dict[int, list[WorkerRow]] = defaultdict(list)
    lives = Process.objects.filter(source_id__in=sources, role="workers").exclude(ended_at__lt=since)
    for row in lives.order_by("started_at"):
        found[row.source_id].append(
            WorkerRow(
                worker=row.name,
                host=row.host,
                pid=row.pid,
                up_from=row.started_at,
                up_to=row.ended_at,
                capacity=row.capacity,
            )
        )
    return found


def is_online(source: str, role: str, since: datetime) -> bool:
    """Whether a process of the role has announced itself after `since` and is still there."""
    lives = Process.objects.filter(source__name=source, role=role, state="online", started_at__gte=since)
    return lives.exists()


def slot_uses(sources: Collection[int], start: datetime, end: datetime) -> dict[int, list[SlotUse]]:
    """The slots taken between `start` and `end`, by source: from claim to end, of any schedule."""
    found: dict[int, list[SlotUse]] = defaultdict(list)
    if start >= end:
        return found
    taken = Run.objects.filter(source_id__in=sources, claimed_at__lte=end).filter(
        Q(ended_at__isnull=True) | Q(ended_at__gte=start)
    )
    for row in taken.values_list("source_id", "claimant_name", "claimed_at", "ended_at"):
        if row[1] is not None and row[2] is not None:
            found[row[0]].append(SlotUse(worker=row[1], start=row[2], end=row[3]))
    return found
