"""What a source sent and could not be taken as it came: discrepancies, quarantine, and what waits for its run."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from types import MappingProxyType
from typing import Any
from uuid import UUID

from django.core.paginator import Page, Paginator
from django.db.models import QuerySet

from occurrences.contract.errors import ContractError
from occurrences.contract.handoffs import WORDS
from occurrences.contract.occurrences import Identity
from occurrences.models import ClockSkew, Discrepancy, HandoffRecord, Occurrence, Quarantine, Run, Source, Unlinked
from occurrences.queries.pages.addresses import address_of
from occurrences.queries.pages.bodies import as_text, word_of
from occurrences.queries.pages.sources import SourceRow, find_source, source_rows
from occurrences.queries.pages.tones import LATE, OFF

ON_A_PAGE = 50
KINDS = ("discrepancies", "quarantine", "unlinked", "skew")
MEANINGS: Mapping[str, str] = MappingProxyType(
    {
        "discrepancies": "A record id came again with another body, or one run names two occurrences. The first stays.",
        "quarantine": "Well-formed records that cannot be placed. They are kept, and nothing is judged by them.",
        "unlinked": "Records that name no due time, whose run has not been seen yet. They are filed once it is.",
        "skew": "Hosts whose records were stamped ahead of their receipt. They are kept, and aged by when they came.",
    }
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Concerned:
    """An occurrence that a record is about; `address` is empty where there is no such occurrence."""

    words: str
    address: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Kept:
    """One record that was kept aside. `first` is the one it differs from; everything in it is the source's own text."""

    reason: str
    received_at: datetime
    handoff: str
    record_id: str
    run: str
    occurrences: Sequence[Concerned]
    body: str
    first: str
    first_of: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Skew:
    """A stretch of time in which the clock of a host ran ahead; `ended_at` is None while it still does."""

    host: str
    ahead: timedelta
    since: datetime
    last_at: datetime
    ended_at: datetime | None
    words: str
    tone: str


@dataclass(frozen=True, slots=True, kw_only=True)
class EvidencePage:
    """One page of what was kept aside of one source, of one kind."""

    row: SourceRow
    kind: str
    means: str
    rows: Sequence[Kept] | Sequence[Skew]
    cut: Page[Any]
    now: datetime

    @property
    def chips(self) -> Sequence[tuple[str, int]]:
        """Each kind with how many there are of it."""
        return [*self.row.kept.items(), ("skew", self.row.skews)]

    @property
    def query(self) -> str:
        """What a link to another page keeps of the address."""
        return f"kind={self.kind}&"


def evidence_page(name: str, *, kind: str, number: str | None, now: datetime) -> EvidencePage | None:
    """The page as of `now`, the newest first, in a constant number of statements; another kind is the first one.

    None where there is no such source.
    """
    source = find_source(name)
    if source is None:
        return None
    kind = kind if kind in KINDS else KINDS[0]
    rows, build = _OF[kind]
    cut = Paginator(rows(source), ON_A_PAGE).get_page(number)
    return EvidencePage(
        row=source_rows([source], now=now)[0],
        kind=kind,
        means=MEANINGS[kind],
        rows=build(source, list(cut.object_list)),
        cut=cut,
        now=now,
    )


def _discrepancies(source: Source, found: Sequence[Discrepancy]) -> list[Kept]:
    homes = _homes(source, {word_of(row.body, "job_ref") for row in found})
    firsts = _firsts(found, homes)
    held = _held(source, [row for row in found if row.occurrence_id is None])
    return [_discrepancy(row, homes.get(word_of(row.body, "job_ref")), firsts, held) for row in found]


def _discrepancy(
    row: Discrepancy,
    home: Occurrence | None,
    firsts: Mapping[tuple[UUID, int, str], HandoffRecord],
    held: Mapping[tuple[int, str], Unlinked],
) -> Kept:
    first: HandoffRecord | Unlinked | None = held.get((row.handoff, row.record_id))
    if row.occurrence_id is not None:
        first = firsts.get((row.occurrence_id, row.handoff, row.record_id))
    elsewhere = first is not None and bytes(getattr(first, "body_digest", b"")) == bytes(row.body_digest)
    if elsewhere and home is not None:  # it was stored where it says; what it differs from lies at its run's home
        first = min(
            (r for (key, _, _), r in firsts.items() if key == home.key and r.run_ref == word_of(row.body, "job_ref")),
            key=lambda r: (r.handoff, r.received_at),
            default=None,
        )
    concerned = {o.key: o for o in (row.occurrence, home) if o is not None}
    return Kept(
        reason=row.reason,
        received_at=row.received_at,
        handoff=row.get_handoff_display(),
        record_id=row.record_id,
        run=word_of(row.body, "job_ref"),
        occurrences=[_concerned(o) for o in concerned.values()],
        body=as_text(row.body),
        first="" if first is None else as_text(first.body),
        first_of="At home of its run" if elsewhere else "Stored first",
    )


def _homes(source: Source, refs: Collection[str]) -> dict[str, Occurrence]:
    rows = Run.objects.filter(source=source, run_ref__in=refs, home__isnull=False)
    rows = rows.select_related("home__source", "home__schedule")
    return {run.run_ref: run.home for run in rows if run.home is not None}


def _firsts(
    found: Sequence[Discrepancy], homes: Mapping[str, Occurrence]
) -> dict[tuple[UUID, int, str], HandoffRecord]:
    """The stored records of the occurrences concerned, by occurrence, handoff and record id."""
    keys = {row.occurrence_id for row in found if row.occurrence_id} | {home.key for home in homes.values()}
    ids, refs = {row.record_id for row in found}, set(homes)
    rows = HandoffRecord.objects.filter(occurrence_id__in=keys)
    rows = rows.filter(record_id__in=ids) | rows.filter(run_ref__in=refs)
    return {(row.occurrence_id, row.handoff, row.record_id): row for row in rows}


def _held(source: Source, homeless: Sequence[Discrepancy]) -> dict[tuple[int, str], Unlinked]:
    rows = Unlinked.objects.filter(source=source, record_id__in={row.record_id for row in homeless})
    return {(row.handoff, row.record_id): row for row in rows}


def _quarantined(source: Source, found: Sequence[Quarantine]) -> list[Kept]:
    named = _named(source, [row.body for row in found])
    return [
        _kept(row.body, row.received_at, row.reason, word_of(row.body, "handoff"), concerned)
        for row, concerned in zip(found, named, strict=True)
    ]


def _waiting(source: Source, found: Sequence[Unlinked]) -> list[Kept]:
    reason = "its run has no home yet"
    return [_kept(row.body, row.received_at, reason, row.get_handoff_display(), None) for row in found]


def _skewed(source: Source, found: Sequence[ClockSkew]) -> list[Skew]:
    return [_skew(row) for row in found]


def _skew(row: ClockSkew) -> Skew:
    words, tone = ("Over", OFF) if row.ended_at is not None else ("Ahead", LATE)
    return Skew(
        host=row.host,
        ahead=row.ahead,
        since=row.since,
        last_at=row.last_at,
        ended_at=row.ended_at,
        words=words,
        tone=tone,
    )


def _kept(body: Any, received_at: datetime, reason: str, handoff: str, concerned: Concerned | None) -> Kept:
    return Kept(
        reason=reason,
        received_at=received_at,
        handoff=handoff if handoff in WORDS else word_of(body, "kind"),
        record_id=word_of(body, "record_id"),
        run=word_of(body, "job_ref"),
        occurrences=[] if concerned is None else [concerned],
        body=as_text(body),
        first="",
        first_of="",
    )


def _named(source: Source, bodies: Iterable[Any]) -> list[Concerned | None]:
    """The occurrence each body names, linked where it exists."""
    identities = [_identity(source, body) for body in bodies]
    keys = {identity.key for identity in identities if identity is not None}
    rows = Occurrence.objects.select_related("source", "schedule").in_bulk(list(keys))
    return [
        None
        if identity is None
        else _concerned(rows[identity.key])
        if identity.key in rows
        else Concerned(words=str(identity), address="")
        for identity in identities
    ]


def _identity(source: Source, body: Any) -> Identity | None:
    key, due = word_of(body, "schedule_key"), word_of(body, "due_at")
    if not key or not due:
        return None
    try:
        return Identity(source=source.name, schedule_key=key, due_at=datetime.fromisoformat(due))
    except (ContractError, ValueError):
        return None


def _concerned(row: Occurrence) -> Concerned:
    return Concerned(words=str(row.identity), address=address_of(row.identity))


def _ordered(model: type[Discrepancy] | type[Quarantine] | type[Unlinked]) -> Callable[[Source], QuerySet[Any]]:
    return lambda source: model.objects.filter(source=source).order_by("-received_at", "-pk")


_OF: Mapping[str, tuple[Callable[[Source], QuerySet[Any]], Callable[[Source, Any], list[Kept] | list[Skew]]]] = (
    MappingProxyType(
        {
            "discrepancies": (
                lambda source: _ordered(Discrepancy)(source).select_related(
                    "occurrence__source", "occurrence__schedule"
                ),
                _discrepancies,
            ),
            "quarantine": (_ordered(Quarantine), _quarantined),
            "unlinked": (_ordered(Unlinked), _waiting),
            "skew": (lambda source: ClockSkew.objects.filter(source=source).order_by("-last_at", "-pk"), _skewed),
        }
    )
)
