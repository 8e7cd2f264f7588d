"""Which workers were up, and which of their slots were taken."""

from collections import defaultdict
from collections.abc import Collection
from datetime import datetime

from django.db.models import F, Q

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
                queues=tuple(row.queues),
            )
        )
    return found


def open_spools(source: str) -> list[Process]:
    """The processes of the source whose spool is open, the one heard of longest ago first."""
    return list(Process.objects.filter(source__name=source, ended_at__isnull=True).order_by("last_seen"))


def is_online(source: str, role: str, since: datetime) -> bool:
    """Whether a process of the role has announced itself after `since` and is still there."""
    lives = Process.objects.filter(source__name=source, role=role, state="online", started_at__gte=since)
    return lives.exists()


def slot_uses(sources: Collection[int], start: datetime, end: datetime) -> dict[int, list[SlotUse]]:
    """The slots taken between `start` and `end`, by source: from claim to end, of any schedule."""
    found: dict[int, list[SlotUse]] = defaultdict(list)
    if start >= end:
        return found
    still = Q(ended_at__isnull=True) | Q(ended_at__lt=F("claimed_at"))
    taken = Run.objects.filter(source_id__in=sources, claimed_at__lte=end).filter(still | Q(ended_at__gte=start))
    for source_id, worker, claimed_at, ended_at in taken.values_list(
        "source_id", "claimant_name", "claimed_at", "ended_at"
    ):
        if worker is not None and claimed_at is not None:
            # an end before the claim is that of an earlier delivery
            ended = ended_at if ended_at is not None and ended_at >= claimed_at else None
            found[source_id].append(SlotUse(worker=worker, start=claimed_at, end=ended))
    return found
