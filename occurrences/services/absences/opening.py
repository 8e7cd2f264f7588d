"""Open an absence in a work item of its own, or join it to the one of the same outage."""

from collections import defaultdict
from collections.abc import Sequence
from datetime import datetime

from django.db import connection

from occurrences.contract.absences import SAME_GAP, STARTS_URGENT, folds
from occurrences.contract.verdicts import Verdict
from occurrences.models import Absence, Occurrence, Source, WorkItem, WorkItemEntry
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
    source_id, first_absent, verdict = triple
    items = list(
        WorkItem.objects.select_for_update(no_key=True)
        .filter(source_id=source_id, first_absent=first_absent, verdict=verdict, closed_at__isnull=True)
        .order_by("id")
    )
    absences, entries, opened = [], [], 0
    for j in judged:
        due = j.case.question.identity.due_at
        fold = j.case.question.allowances.fold
        item = next((i for i in items if folds(i.last_due_at, due, fold)), None)
        kind = "joined" if item is not None else "flagged"
        if item is None:
            item = _new_item(triple, j, now)
            items.append(item)
            opened += 1
        item.last_due_at = max(item.last_due_at, due)
        item.priority = min(item.priority, _priority(j))
        item.changed_at = now
        absences.append(_absence(j, item, now))
        entries.append(_entry(j, item, kind, by, now))
    Absence.objects.bulk_create(absences)
    WorkItemEntry.objects.bulk_create(entries)
    WorkItem.objects.bulk_update(items, ["last_due_at", "priority", "changed_at"])
    return opened


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
    return 1 if judged.judgement.verdict in STARTS_URGENT else judged.case.priority


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
