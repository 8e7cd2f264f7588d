"""A clock that runs far ahead asks for a person: one work item per source and host, closed once it is right again."""

from datetime import datetime

from django.db import transaction
from django.db.models import Exists, OuterRef

from occurrences.contract.skew import ALARMING
from occurrences.contract.times import span_text
from occurrences.contract.verdicts import Verdict
from occurrences.models import Absence, ClockSkew, WorkItem, WorkItemEntry
from occurrences.services.absences.closing import close_emptied, lock_items
from occurrences.services.absences.opening import lock


@transaction.atomic
def watch_clocks(*, by: str, now: datetime) -> tuple[int, int]:
    """Open what is missing and close what is over; return how many of each."""
    mine = Absence.objects.filter(source=OuterRef("source"), clock_host=OuterRef("host"), closed_at__isnull=True)
    skews = ClockSkew.objects.filter(ended_at__isnull=True, ahead__gte=ALARMING).select_related("source")
    opened = sum(_open(skew, by, now) for skew in skews.exclude(Exists(mine)).order_by("source_id", "host"))
    return opened, _close(by, now)


def _open(skew: ClockSkew, by: str, now: datetime) -> int:
    lock("work item", skew.source_id, "clock", skew.host)
    if Absence.objects.filter(source_id=skew.source_id, clock_host=skew.host, closed_at__isnull=True).exists():
        return 0
    said = {"source_id": skew.source_id, "verdict": Verdict.UNKNOWN.value}
    item = WorkItem.objects.create(**said, last_due_at=skew.since, opened_at=now, changed_at=now)
    Absence.objects.create(**said, work_item=item, clock_host=skew.host, raised_at=now)
    host = skew.host or "an unnamed host"
    text = f"The clock of {host} is {span_text(skew.ahead)} ahead; its records are aged by their receipt"
    WorkItemEntry.objects.create(work_item=item, at=now, by=by, kind="flagged", text=text)
    return 1


def _close(by: str, now: datetime) -> int:
    still = ClockSkew.objects.filter(
        source=OuterRef("source"), host=OuterRef("clock_host"), ended_at__isnull=True, ahead__gte=ALARMING
    )
    over = Absence.objects.filter(clock_host__isnull=False, closed_at__isnull=True).exclude(Exists(still))
    items = set(over.values_list("work_item_id", flat=True))
    if not items:
        return 0
    lock_items(items)
    closed = over.filter(work_item__in=items).update(closed_at=now, closed_as="arrived")
    close_emptied(items=items, by=by, now=now)
    return closed
