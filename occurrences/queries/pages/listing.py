"""Which work items the inbox lists, in which order, and the newest change among them."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from hashlib import blake2b

from django.db.models import Count, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Coalesce, Greatest

from occurrences.contract.verdicts import Verdict
from occurrences.models import Absence, Source, WorkItem
from occurrences.queries.pages.waiting import newest_evidence, waits

AT_MOST = 100
CLOSED_STAYS = timedelta(hours=24)  # so that a policy that is too tight shows up
OWNERS = {"me": "mine", "none": "no owner"}
VERDICTS = tuple(v.value for v in Verdict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Filters:
    """What the list is narrowed to; empty is everything."""

    verdict: str = ""
    source: str = ""
    owner: str = ""
    me: str = ""

    @property
    def words(self) -> str:
        """The filters in words, for the summary line and the empty list."""
        verdict = Verdict(self.verdict).words if self.verdict in VERDICTS else self.verdict
        return ", ".join(filter(None, (verdict, self.source, OWNERS.get(self.owner, ""))))


def source_names() -> list[str]:
    """What the list can be narrowed to."""
    return list(Source.objects.order_by("name").values_list("name", flat=True))


def open_items(filters: Filters, now: datetime) -> tuple[list[WorkItem], list[WorkItem]]:
    """Open work items, and those of them that wait; each worst first, then the one that is missing longest.

    At most one more of each than is shown. The order holds between polls.
    """
    rows = _open(filters)
    awake = Q(snoozed_until__isnull=True) | Q(snoozed_until__lte=now)
    aside = list(rows.exclude(awake)[: AT_MOST + 1])
    evidence = newest_evidence(aside) if aside else {}
    still = [item for item in aside if waits(item, evidence, now)]
    back = [item for item in aside if item not in still]
    opened = sorted([*rows.filter(awake)[: AT_MOST + 1], *back], key=_order)
    return opened[: AT_MOST + 1], still


def _order(item: WorkItem) -> tuple[int, datetime, int]:
    return item.priority, item.since, item.pk  # type: ignore[attr-defined]


def _open(filters: Filters) -> QuerySet[WorkItem]:
    still_open = Absence.objects.filter(work_item=OuterRef("pk"), closed_at__isnull=True)
    rows = _narrowed(WorkItem.objects.filter(closed_at__isnull=True), filters, still_open)
    missing = Count("absences", filter=Q(absences__closed_at__isnull=True, absences__occurrence__isnull=False))
    return rows.annotate(missing=missing).order_by("priority", "since", "pk")  # type: ignore[misc]


def closed_items(filters: Filters, now: datetime) -> QuerySet[WorkItem]:
    """Work items that closed by themselves in the last day, newest first."""
    lately = WorkItem.objects.filter(closed_as="by itself", closed_at__gte=now - CLOSED_STAYS)
    rows = _narrowed(lately, filters, Absence.objects.filter(work_item=OuterRef("pk")))
    missing = Count("absences", filter=Q(absences__occurrence__isnull=False))
    return rows.annotate(missing=missing).order_by("-closed_at", "-pk")


def _narrowed(items: QuerySet[WorkItem], filters: Filters, absences: QuerySet[Absence]) -> QuerySet[WorkItem]:
    first = absences.order_by("occurrence_id", "gap_from")
    items = items.select_related("source", "owner").annotate(
        first_key=Subquery(first.values("occurrence_id")[:1]),
        gap_from=Subquery(first.values("gap_from")[:1]),
        clock_host=Subquery(first.values("clock_host")[:1]),
        since=Coalesce(Subquery(first.values("occurrence__due_at")[:1]), "gap_from", "opened_at"),
        touched=Greatest("changed_at", Coalesce(Subquery(first.values("occurrence__changed_at")[:1]), "changed_at")),
    )
    if filters.verdict:
        items = items.filter(verdict=filters.verdict)
    if filters.source:
        items = items.filter(source__name=filters.source)
    if filters.owner == "none":
        items = items.filter(owner__isnull=True)
    if filters.owner == "me":
        items = items.filter(owner__username=filters.me)
    return items


def revision_of(lists: Iterable[Iterable[WorkItem]], *, late: bool) -> str:
    """What a poll compares: the newest change of each row listed, and whether we are late.

    Never a counter that all share: then a change elsewhere would redraw this list. Not the newest of all
    alone either: a long transaction may bring an older change after a newer one was shown.
    """
    seen = "|".join(
        ",".join(f"{item.pk}:{item.touched.isoformat()}" for item in rows)  # type: ignore[attr-defined]
        for rows in lists
    )
    return f"{blake2b(seen.encode(), digest_size=8).hexdigest()}{'-late' if late else ''}"
