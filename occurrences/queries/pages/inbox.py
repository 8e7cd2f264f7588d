"""The inbox: what needs a person now, worst first."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from occurrences.contract.handoffs import Handoff, usual_owner
from occurrences.contract.judging import judge
from occurrences.contract.verdicts import Verdict
from occurrences.models import Occurrence, SweepGap, WorkItem
from occurrences.queries.pages.addresses import address_of
from occurrences.queries.pages.banner import Detector, came_due, detector, last_sweep_at
from occurrences.queries.pages.gaps import Gap, gaps_at, unknown_in_gaps
from occurrences.queries.pages.listing import AT_MOST, CLOSED_STAYS, Filters, closed_items, open_items, revision_of
from occurrences.queries.pages.rail import Stop, in_words, rail_of
from occurrences.queries.pages.tones import tone_of
from occurrences.queries.questions import ask
from occurrences.queries.sweeps import sweep_gaps


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One work item as the list shows it; `occurrence` is its first one, None for a gap of a source."""

    item: WorkItem
    verdict: Verdict
    tone: str
    occurrence: Occurrence | None
    address: str
    others: int
    unknown: int
    gap: Gap | None
    stops: Sequence[Stop]
    rail: str
    reason: str
    ask: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Calm:
    """What an empty list says instead: how much was due, and when we last looked."""

    due_lately: int
    swept_at: datetime | None
    unseen: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Inbox:
    """The list with its counts and its revision."""

    rows: Sequence[Row]
    waiting: Sequence[Row]
    closed: Sequence[Row]
    filters: Filters
    rev: str
    detector: Detector
    calm: Calm | None
    own_gaps: Sequence[SweepGap]
    more: bool
    now: datetime

    @property
    def occurrences(self) -> int:
        """How many occurrences the open rows stand for."""
        return sum(row.unknown or row.others + 1 for row in self.rows)

    @property
    def unowned(self) -> int:
        """How many open rows nobody has taken."""
        return sum(row.item.owner_id is None for row in self.rows)

    @property
    def oldest(self) -> datetime | None:
        """Since when the oldest open row is missing."""
        return min((row.item.since for row in self.rows), default=None)  # type: ignore[attr-defined]

    @property
    def urgent(self) -> bool:
        """Whether a P1 is open."""
        return any(row.item.priority == 1 for row in self.rows)


def inbox(filters: Filters, *, now: datetime, rev: str = "") -> Inbox | None:
    """The list as of `now`; None when it is still the one with this revision."""
    watch = detector(now)
    opened, waiting = open_items(filters, now)
    closed = list(closed_items(filters, now)[:AT_MOST])
    found = revision_of([opened, waiting, closed], late=watch.late)
    if rev == found:
        return None
    more, opened, waiting = len(opened) > AT_MOST, opened[:AT_MOST], waiting[:AT_MOST]
    rows = _rows([*opened, *waiting, *closed], now)
    empty = not opened and not filters.words
    return Inbox(
        rows=rows[: len(opened)],
        waiting=rows[len(opened) : len(opened) + len(waiting)],
        closed=rows[len(opened) + len(waiting) :],
        filters=filters,
        rev=found,
        detector=watch,
        calm=_calm(watch, now) if empty else None,
        own_gaps=sweep_gaps(now - CLOSED_STAYS),
        more=more,
        now=now,
    )


def _calm(watch: Detector, now: datetime) -> Calm:
    since = watch.ran_at if watch.late else None
    return Calm(
        due_lately=came_due(now - CLOSED_STAYS, now),
        swept_at=last_sweep_at(),
        unseen=came_due(since, now) if since is not None else 0,
    )


def _rows(items: Sequence[WorkItem], now: datetime) -> list[Row]:
    keys = {item.first_key for item in items} - {None}  # type: ignore[attr-defined]
    occurrences = Occurrence.objects.select_related("source", "schedule").in_bulk(list(keys))
    cases = ask(keys, as_of=now)
    said = {key: judge(case.question) for key, case in cases.items()}
    counts = unknown_in_gaps(items)
    gaps = gaps_at({(i.source_id, i.gap_from) for i in items if i.gap_from is not None})  # type: ignore[attr-defined]
    return [_row(item, occurrences, said, counts, gaps) for item in items]


def _row(item: WorkItem, occurrences: dict, said: dict, counts: dict[int, int], gaps: dict) -> Row:  # type: ignore[type-arg]
    key: UUID | None = item.first_key  # type: ignore[attr-defined]
    occurrence = occurrences.get(key)
    judged = said.get(key)
    stops = rail_of(judged) if judged is not None else []
    verdict = Verdict(item.verdict)
    missing: int = item.missing  # type: ignore[attr-defined]
    return Row(
        item=item,
        verdict=verdict,
        tone=tone_of(verdict),
        occurrence=occurrence,
        address=address_of(occurrence.identity) if occurrence is not None else "",
        others=max(missing - 1, 0),
        unknown=counts.get(item.pk, 0),
        gap=gaps.get((item.source_id, item.gap_from)),  # type: ignore[attr-defined]
        stops=stops,
        rail=in_words(stops),
        reason=_first_sentence(judged.sentence) if judged is not None else "",
        ask="" if item.first_absent is None else usual_owner(Handoff(item.first_absent)),
    )


def _first_sentence(text: str) -> str:
    return text.partition(". ")[0].rstrip(".") + "."
