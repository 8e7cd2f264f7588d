"""One work item: the problem, the occurrences it holds, who does what next, and its timeline."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.contrib.auth.models import User
from django.db.models import Count, Q

from occurrences.contract.handoffs import Handoff, usual_owner
from occurrences.contract.permissions import Person, check_can_triage
from occurrences.contract.verdicts import Verdict
from occurrences.models import Absence, Decision, Occurrence, WorkItem, WorkItemEntry
from occurrences.queries.pages.addresses import address_of
from occurrences.queries.pages.gaps import Gap, gaps_at, unknown_of
from occurrences.queries.pages.people import people_who_triage
from occurrences.queries.pages.recoveries import replay_of
from occurrences.queries.pages.rights import NOBODY, refusal
from occurrences.queries.pages.tones import tone_of
from occurrences.queries.pages.waiting import newest_evidence, waits

AT_MOST = 200
PRIORITIES = (1, 2, 3, 4)


@dataclass(frozen=True, slots=True, kw_only=True)
class Member:
    """One occurrence of the work item. `closed_as` is empty while it is still missing."""

    occurrence: Occurrence
    address: str
    words: str
    tone: str
    closed_as: str
    closed_at: datetime | None
    decided: str
    decision: Decision | None


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkItemPage:
    """Everything the page shows. `refused` is the sentence for a person who may not work on it."""

    item: WorkItem
    words: str
    tone: str
    ask: str
    missing: str
    gap: Gap | None
    clock_host: str | None
    members: Sequence[Member]
    total: int
    open: int
    entries: Sequence[WorkItemEntry]
    more_entries: bool
    waits: bool
    people: Sequence[User]
    priorities: Sequence[int]
    refused: str
    rev: str
    now: datetime


def work_item_revision(pk: int) -> str | None:
    """What a poll compares; None when there is no such work item."""
    item = WorkItem.objects.filter(pk=pk).first()
    return None if item is None else _revision(item)


def _revision(item: WorkItem) -> str:
    newest = item.absences.order_by("-occurrence__changed_at").values_list("occurrence__changed_at", flat=True)
    changed = max(filter(None, [item.changed_at, newest.exclude(occurrence=None).first()]))
    return f"{int(changed.timestamp() * 1_000_000):x}"


def work_item_page(pk: int, *, now: datetime, person: Person = NOBODY) -> WorkItemPage | None:
    """The page as of `now` for this person; None when there is no such work item."""
    item = WorkItem.objects.select_related("source", "owner").filter(pk=pk).first()
    if item is None:
        return None
    gap = item.absences.filter(occurrence__isnull=True).order_by("gap_from").first()
    members, total, still = _of_gap(item, gap) if gap is not None else _of_absences(item)
    entries = list(item.entries.order_by("-at", "-pk")[: AT_MOST + 1])
    absent = None if item.first_absent is None else Handoff(item.first_absent)
    return WorkItemPage(
        item=item,
        words=Verdict(item.verdict).words,
        tone=tone_of(item.verdict),
        ask="" if absent is None else usual_owner(absent),
        missing="" if absent is None else absent.label,
        gap=_gap(gap),
        clock_host=None if gap is None else gap.clock_host,
        members=members,
        total=total,
        open=still,
        entries=entries[:AT_MOST][::-1],
        more_entries=len(entries) > AT_MOST,
        waits=item.snoozed_until is not None and waits(item, newest_evidence([item]), now),
        people=list(people_who_triage()),
        priorities=PRIORITIES,
        refused=refusal(check_can_triage, person),
        rev=_revision(item),
        now=now,
    )


def _gap(absence: Absence | None) -> Gap | None:
    if absence is None or absence.gap_from is None:
        return None
    return gaps_at([(absence.source_id, absence.gap_from)])[absence.source_id, absence.gap_from]


def _of_absences(item: WorkItem) -> tuple[list[Member], int, int]:
    """The occurrences, each once with its newest absence; how many there are, and how many are still missing."""
    rows = item.absences.filter(occurrence__isnull=False)
    newest = rows.order_by("occurrence_id", "-closed_at", "-pk").distinct("occurrence_id")  # the open one, null, first
    shown = [(a.occurrence, a) for a in newest.select_related("occurrence__source", "occurrence__schedule")[:AT_MOST]]
    decided = _decided({o.key for o, _ in shown if o is not None})
    counts = rows.aggregate(
        total=Count("occurrence", distinct=True), open=Count("pk", filter=Q(closed_at__isnull=True))
    )
    members = [_member(o, a, decided.get(o.key)) for o, a in shown if o is not None]
    return members, counts["total"], counts["open"]


def _of_gap(item: WorkItem, gap: Absence) -> tuple[list[Member], int, int]:
    if gap.gap_from is None:
        return [], 0, 0
    rows = unknown_of(item.source, gap.gap_from).select_related("source", "schedule").order_by("key")
    shown = list(rows[:AT_MOST])
    decided = _decided({o.key for o in shown})
    total = rows.count()
    return [_member(o, gap, decided.get(o.key)) for o in shown], total, total


def _decided(keys: Collection[UUID]) -> dict[UUID, Decision]:
    """The latest decision of each."""
    rows = Decision.objects.filter(occurrence_id__in=list(keys)).select_related("replay", "person")
    return {row.occurrence_id: row for row in rows.order_by("occurrence_id", "number")}


def _member(occurrence: Occurrence, absence: Absence, decision: Decision | None) -> Member:
    return Member(
        occurrence=occurrence,
        address=address_of(occurrence.identity),
        words=Verdict(occurrence.verdict).words,
        tone=tone_of(occurrence.verdict),
        closed_as=absence.closed_as or "",
        closed_at=absence.closed_at,
        decided="" if decision is None else _in_words(decision),
        decision=decision,
    )


def _in_words(decision: Decision) -> str:
    replay = replay_of(decision)
    if replay is None:
        return "Skip"
    return f"Replay, recovery {replay.recovery_number}: {replay.closed_as or 'under way'}"
