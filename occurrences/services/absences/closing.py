"""Close the absences that evidence has answered, and the work items that hold no open one any more."""

from collections.abc import Collection, Sequence
from datetime import datetime
from typing import cast
from uuid import UUID

from django.db import transaction
from django.db.models import Exists, OuterRef

from occurrences.contract.absences import SAME_GAP
from occurrences.contract.verdicts import Verdict
from occurrences.models import Absence, Occurrence, WorkItem, WorkItemEntry
from occurrences.services.occurrences import Judged

# What the evidence showed instead of the absence, in one word.
CLOSED_AS = {
    Verdict.PAUSED: "paused",
    Verdict.NOT_DUE: "not due",
    Verdict.SKIPPED: "skipped",
    Verdict.RECOVERED: "recovered",
}


def close_answered(*, judged: Sequence[Judged], by: str, now: datetime) -> int:
    """Close the open absence of each occurrence, and every work item that this empties; return absences closed."""
    if not judged:
        return 0
    by_key = {j.case.key: j for j in judged}
    absences = list(
        Absence.objects.filter(occurrence_id__in=by_key, closed_at__isnull=True).order_by("work_item_id", "id")
    )
    lock_items({a.work_item_id for a in absences})
    entries = []
    for absence in absences:
        j = by_key[cast(UUID, absence.occurrence_id)]
        absence.closed_at, absence.policy_closed_id = now, j.case.policy_id
        absence.closed_as = CLOSED_AS.get(j.judgement.verdict, "arrived")
        text = f"{j.judgement.verdict.words}: {j.case.question.identity}"
        entries.append(
            WorkItemEntry(
                work_item_id=absence.work_item_id,
                at=now,
                by=by,
                kind=absence.closed_as,
                text=text,
                occurrence_id=absence.occurrence_id,
            )
        )
    Absence.objects.bulk_update(absences, ["closed_at", "closed_as", "policy_closed"])
    WorkItemEntry.objects.bulk_create(entries)
    close_emptied(items={a.work_item_id for a in absences}, by=by, now=now)
    return len(absences)


def lock_items(items: Collection[int]) -> None:
    """Lock the work items in the order of their ids, which is the order of everybody."""
    list(WorkItem.objects.select_for_update(no_key=True).filter(pk__in=items).order_by("id").values_list("pk"))


def close_emptied(*, items: Collection[int], by: str, now: datetime) -> None:
    """Close those of the work items in which every absence is closed."""
    still_open = Absence.objects.filter(work_item=OuterRef("pk"), closed_at__isnull=True)
    emptied = list(
        WorkItem.objects.filter(pk__in=items, closed_at__isnull=True)
        .exclude(Exists(still_open))
        .values_list("pk", flat=True)
    )
    WorkItem.objects.filter(pk__in=items).update(changed_at=now)
    WorkItem.objects.filter(pk__in=emptied).update(closed_at=now, closed_as="by itself")
    WorkItemEntry.objects.bulk_create(
        WorkItemEntry(work_item_id=pk, at=now, by=by, kind="closed", text="Closed by itself: everything is answered")
        for pk in emptied
    )


@transaction.atomic
def close_gaps_seen_again(*, by: str, now: datetime) -> int:
    """Close the absence of each gap in which nothing is left that cannot be told."""
    gaps = Absence.objects.filter(gap_from__isnull=False, closed_at__isnull=True).select_related("source")
    closed = [gap for gap in gaps.order_by("work_item_id") if not _still_blind(gap)]
    lock_items({g.work_item_id for g in closed})
    for gap in closed:
        gap.closed_at, gap.closed_as = now, "arrived"
    Absence.objects.bulk_update(closed, ["closed_at", "closed_as"])
    if closed:
        close_emptied(items={g.work_item_id for g in closed}, by=by, now=now)
    return len(closed)


def _still_blind(gap: Absence) -> bool:
    unknown = Occurrence.objects.filter(source=gap.source, verdict=Verdict.UNKNOWN.value)
    if gap.gap_from is None or gap.gap_from == gap.source.created_at:  # nothing was ever heard of the role
        return unknown.filter(blind_from__isnull=True).exists()
    return unknown.filter(blind_from__range=(gap.gap_from - SAME_GAP, gap.gap_from + SAME_GAP)).exists()
