"""One work item: the occurrences it holds and its timeline. Read only for now."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from occurrences.contract.handoffs import Handoff, usual_owner
from occurrences.contract.verdicts import Verdict
from occurrences.models import Absence, Occurrence, WorkItem, WorkItemEntry
from occurrences.queries.pages.addresses import address_of
from occurrences.queries.pages.gaps import unknown_of
from occurrences.queries.pages.tones import tone_of

AT_MOST = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Member:
    """One occurrence of the work item. `closed_as` is empty while it is still missing."""

    occurrence: Occurrence
    address: str
    words: str
    tone: str
    closed_as: str
    closed_at: datetime | None


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkItemPage:
    """Everything the page shows."""

    item: WorkItem
    words: str
    tone: str
    ask: str
    gap_from: datetime | None
    members: Sequence[Member]
    total: int
    entries: Sequence[WorkItemEntry]
    now: datetime


def work_item_page(pk: int, *, now: datetime) -> WorkItemPage | None:
    """The page as of `now`; None when there is no such work item."""
    item = WorkItem.objects.select_related("source", "owner").filter(pk=pk).first()
    if item is None:
        return None
    gap = item.absences.filter(occurrence__isnull=True).order_by("gap_from").first()
    members, total = _of_gap(item, gap) if gap is not None else _of_absences(item)
    return WorkItemPage(
        item=item,
        words=Verdict(item.verdict).words,
        tone=tone_of(item.verdict),
        ask="" if item.first_absent is None else usual_owner(Handoff(item.first_absent)),
        gap_from=None if gap is None else gap.gap_from,
        members=members,
        total=total,
        entries=list(item.entries.order_by("at", "pk")[:AT_MOST]),
        now=now,
    )


def _of_absences(item: WorkItem) -> tuple[list[Member], int]:
    rows = item.absences.select_related("occurrence__source", "occurrence__schedule")
    rows = rows.filter(occurrence__isnull=False).order_by("occurrence_id", "pk")
    return [_member(a.occurrence, a) for a in rows[:AT_MOST] if a.occurrence is not None], rows.count()


def _of_gap(item: WorkItem, gap: Absence) -> tuple[list[Member], int]:
    if gap.gap_from is None:
        return [], 0
    rows = unknown_of(item.source, gap.gap_from).select_related("source", "schedule").order_by("key")
    return [_member(o, gap) for o in rows[:AT_MOST]], rows.count()


def _member(occurrence: Occurrence, absence: Absence) -> Member:
    return Member(
        occurrence=occurrence,
        address=address_of(occurrence.identity),
        words=Verdict(occurrence.verdict).words,
        tone=tone_of(occurrence.verdict),
        closed_as=absence.closed_as or "",
        closed_at=absence.closed_at,
    )
