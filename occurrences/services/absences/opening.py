"""Open an absence in a work item of its own, or join it to the one of the same outage."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import datetime
from uuid import UUID

from django.db import connection
from django.db.models import Exists, OuterRef

from occurrences.contract.absences import SAME_GAP, STARTS_URGENT, folds
from occurrences.contract.readbacks import ReplayState
from occurrences.contract.verdicts import Verdict
from occurrences.models import Absence, Decision, Occurrence, Source, WorkItem, WorkItemEntry
from occurrences.services.occurrences import Judged

Triple = tuple[int, int | None, str]


def open_or_join(*, judged: Sequence[Judged], by: str, now: datetime) -> tuple[int, int]:
    """Raise an absence for each; return (work items opened, absences joined to one).

    Both happen under a transaction lock on source, first absent handoff and verdict, so that two sweeps
    cannot open two work items for one outage.
    """
    triples: dict[Triple, list[Judged]] = defaultdict(list)
    for j in judged:
        triples[_triple(j)].append(j)
    opened = 0
    for triple in sorted(triples, key=str):
        opened += _raise_all(triple, triples[triple], by, now)
    if judged:
        Occurrence.objects.filter(key__in=[j.case.key for j in judged], flagged_at__isnull=True).update(flagged_at=now)
    return opened, len(judged) - opened


def _triple(judged: Judged) -> Triple:
    said = judged.judgement
    return (
        judged.case.source_id,
        None if said.first_absent is None else int(said.first_absent),
        said.verdict.value,
    )


def lock(*parts: object) -> None:
    """Take a transaction lock on these words."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(7017003, hashtext(%s))", ["|".join(map(str, parts))])


def _raise_all(triple: Triple, judged: Sequence[Judged], by: str, now: datetime) -> int:
    lock("work item", *triple)
    joinable = _joinable(triple)
    decided = _items_of_decided(judged)
    touched: dict[int, WorkItem] = {}
    absences, entries, opened = [], [], 0
    for j in judged:
        item, kind = _item_for(j, joinable, decided)
        if item is None:
            item, kind = _new_item(triple, j, now), "flagged"
            joinable.append(item)
            opened += 1
        _take_in(item, j, now)
        touched[item.pk] = item
        absences.append(_absence(j, item, now))
        entries.append(_entry(j, item, kind, by, now))
    Absence.objects.bulk_create(absences)
    WorkItemEntry.objects.bulk_create(entries)
    WorkItem.objects.bulk_update(touched.values(), ["last_due_at", "priority", "changed_at", "closed_at", "closed_as"])
    return opened


def _joinable(triple: Triple) -> list[WorkItem]:
    """The open work items of the same source, handoff and verdict of which nothing has been decided yet."""
    source_id, first_absent, verdict = triple
    decided = Decision.objects.filter(occurrence__absences__work_item=OuterRef("pk"))
    return list(
        WorkItem.objects.select_for_update(no_key=True)
        .filter(source_id=source_id, first_absent=first_absent, verdict=verdict, closed_at__isnull=True)
        .exclude(Exists(decided))
        .order_by("id")
    )


def _items_of_decided(judged: Sequence[Judged]) -> dict[UUID, WorkItem]:
    """The work item in which an occurrence was decided: what goes wrong afterwards belongs there."""
    keys = [j.case.key for j in judged if j.case.question.decisions]
    if not keys:
        return {}
    held = (
        Absence.objects.filter(occurrence_id__in=keys).order_by("raised_at").values_list("occurrence_id", "work_item")
    )
    latest = {key: item for key, item in held if key is not None}
    items = WorkItem.objects.select_for_update(no_key=True).filter(pk__in=latest.values()).order_by("id").in_bulk()
    return {key: items[item] for key, item in latest.items()}


def _item_for(
    judged: Judged, joinable: Sequence[WorkItem], decided: Mapping[UUID, WorkItem]
) -> tuple[WorkItem | None, str]:
    before = decided.get(judged.case.key)
    if before is not None:
        return before, "joined" if before.closed_at is None else "reopened"
    due, fold = judged.case.question.identity.due_at, judged.case.question.allowances.fold
    return next((i for i in joinable if folds(i.last_due_at, due, fold)), None), "joined"


def _take_in(item: WorkItem, judged: Judged, now: datetime) -> None:
    item.last_due_at = max(item.last_due_at, judged.case.question.identity.due_at)
    item.priority = min(item.priority, _priority(judged))
    item.closed_at = item.closed_as = None
    item.changed_at = now


def _new_item(triple: Triple, judged: Judged, now: datetime) -> WorkItem:
    return WorkItem.objects.create(
        source_id=triple[0],
        first_absent=triple[1],
        verdict=triple[2],
        priority=_priority(judged),
        last_due_at=judged.case.question.identity.due_at,
        opened_at=now,
        changed_at=now,
    )


def _priority(judged: Judged) -> int:
    twice = any(r.state is ReplayState.DOUBLE_RUN for r in judged.judgement.recoveries)
    return 1 if twice or judged.judgement.verdict in STARTS_URGENT else judged.case.priority


def _absence(judged: Judged, item: WorkItem, now: datetime) -> Absence:
    said = judged.judgement
    return Absence(
        source_id=judged.case.source_id,
        occurrence_id=judged.case.key,
        work_item=item,
        verdict=said.verdict.value,
        first_absent=None if said.first_absent is None else int(said.first_absent),
        expected_by=said.expected_by,
        policy_raised_id=judged.case.policy_id,
        raised_at=now,
    )


def _entry(judged: Judged, item: WorkItem, kind: str, by: str, now: datetime) -> WorkItemEntry:
    text = f"{judged.judgement.verdict.words}: {judged.case.question.identity}"
    return WorkItemEntry(work_item=item, at=now, by=by, kind=kind, text=text, occurrence_id=judged.case.key)


def make_urgent(*, judged: Sequence[Judged], by: str, now: datetime) -> None:
    """Put the work items to P1 whose occurrence turned out to have run twice, or after it was skipped."""
    urgent = {j.case.key: j for j in judged if j.judgement.verdict in STARTS_URGENT}
    if not urgent:
        return
    held = Absence.objects.filter(occurrence_id__in=urgent, closed_at=None, work_item__priority__gt=1)
    rows = list(held.order_by("work_item_id").values_list("work_item_id", "occurrence_id"))
    items = WorkItem.objects.filter(pk__in={item for item, _ in rows})
    list(items.select_for_update(no_key=True).order_by("id").values_list("pk"))
    items.update(priority=1, changed_at=now, closed_at=None, closed_as=None)  # open again, though closed by hand
    WorkItemEntry.objects.bulk_create(
        WorkItemEntry(
            work_item_id=item, at=now, by=by, kind="priority", occurrence_id=key,
            text=f"P1: {urgent[key].judgement.verdict.words}",
        )
        for item, key in rows
        if key is not None
    )  # fmt: skip


def open_gaps(*, judged: Sequence[Judged], by: str, now: datetime) -> int:
    """Open one absence per source and gap in which something cannot be told; return how many are new."""
    gaps = {(j.case.source_id, j.judgement.blind_from): j for j in judged if j.judgement.verdict is Verdict.UNKNOWN}
    return sum(_open_gap(source_id, gap_from, j, by, now) for (source_id, gap_from), j in sorted(gaps.items(), key=str))


def _open_gap(source_id: int, gap_from: datetime | None, judged: Judged, by: str, now: datetime) -> int:
    lock("work item", source_id, "gap")
    source = Source.objects.get(pk=source_id)
    since = gap_from or source.created_at  # nothing was ever heard of the role
    near = (since - SAME_GAP, since + SAME_GAP)
    if Absence.objects.filter(source=source, gap_from__range=near, closed_at__isnull=True).exists():
        return 0
    item = _new_item((source_id, None, Verdict.UNKNOWN.value), judged, now)
    Absence.objects.create(
        source=source, work_item=item, verdict=Verdict.UNKNOWN.value, gap_from=since, raised_at=now,
        policy_raised_id=judged.case.policy_id,
    )  # fmt: skip
    text = f"Nothing was heard of {source.name} after {since:%Y-%m-%d %H:%M:%SZ}"
    WorkItemEntry.objects.create(work_item=item, at=now, by=by, kind="flagged", text=text)
    return 1
