"""The sources: what each can show, how far its evidence is complete, who is there, and what needs a look."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from types import MappingProxyType

from django.db.models import Count, Q, QuerySet

from occurrences.contract.handoffs import Capabilities, Capability, Handoff, Role, usual_owner
from occurrences.models import (
    ClockSkew,
    Coverage,
    CoverageStretch,
    Discrepancy,
    Process,
    Quarantine,
    Schedule,
    Source,
    Unlinked,
)
from occurrences.queries.pages.processes import state_now
from occurrences.queries.pages.tones import BLIND, LATE, OFF, PRESENT

SILENT = timedelta(seconds=60)
LATELY = timedelta(days=7)
PROCESSES_SHOWN, GAPS_SHOWN = 50, 10


@dataclass(frozen=True, slots=True, kw_only=True)
class Reach:
    """How far the evidence of one role is complete, in words with a tone; `up_to` is None where there is no end."""

    role: str
    words: str
    tone: str
    up_to: datetime | None


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceRow:
    """One source with its counts."""

    source: Source
    reaches: Sequence[Reach]
    schedules: int
    online: int
    keys: int
    kept: Mapping[str, int]
    skews: int

    @property
    def odd(self) -> int:
        """How many records of it could not be taken as they came."""
        return sum(self.kept.values())


KEPT: Mapping[str, type[Discrepancy] | type[Quarantine] | type[Unlinked]] = MappingProxyType(
    {"discrepancies": Discrepancy, "quarantine": Quarantine, "unlinked": Unlinked}
)


def all_sources() -> QuerySet[Source]:
    """The sources in order of their names; the view cuts them into pages."""
    return Source.objects.order_by("name")


def source_rows(sources: Sequence[Source], *, now: datetime) -> list[SourceRow]:
    """The rows of these sources, in a constant number of statements."""
    pks = [source.pk for source in sources]
    reaches = _reaches(sources, now)
    schedules = _counts(Schedule.objects.filter(source__in=pks))
    online = _counts(Process.objects.filter(source__in=pks, state="online"))
    usable = Q(keys__revoked_at__isnull=True) & (Q(keys__expires_at__isnull=True) | Q(keys__expires_at__gt=now))
    keys = dict(Source.objects.filter(pk__in=pks).annotate(n=Count("keys", filter=usable)).values_list("pk", "n"))
    skews = _counts(ClockSkew.objects.filter(source__in=pks))
    kept = {name: _counts(model.objects.filter(source__in=pks)) for name, model in KEPT.items()}
    return [
        SourceRow(
            source=source,
            reaches=reaches[source.pk],
            schedules=schedules.get(source.pk, 0),
            online=online.get(source.pk, 0),
            keys=keys.get(source.pk, 0),
            skews=skews.get(source.pk, 0),
            kept={name: counts.get(source.pk, 0) for name, counts in kept.items()},
        )
        for source in sources
    ]


def _counts(rows: QuerySet) -> dict[int, int]:  # type: ignore[type-arg]
    return dict(rows.order_by().values_list("source_id").annotate(n=Count("pk")))


def _reaches(sources: Sequence[Source], now: datetime) -> dict[int, list[Reach]]:
    provable = {source.pk: source.coverage_provable for source in sources}
    found: dict[int, list[Reach]] = defaultdict(list)
    for row in Coverage.objects.filter(source__in=sources).exclude(role=Role.CLOCK.value).order_by("role"):
        words, tone, up_to = _reach(row, provable[row.source_id], now)
        found[row.source_id].append(Reach(role=row.role, words=words, tone=tone, up_to=up_to))
    return found


def _reach(row: Coverage, provable: bool, now: datetime) -> tuple[str, str, datetime | None]:
    if not provable:
        return "Not provable", LATE, None
    if row.to_now:
        return "Closed in order, complete", PRESENT, None
    if row.up_to is None:
        return "Never heard of", BLIND, None
    return ("Blind since", BLIND, row.up_to) if now - row.up_to > SILENT else ("Complete to", PRESENT, row.up_to)


@dataclass(frozen=True, slots=True, kw_only=True)
class Shows:
    """What the source can show of one handoff, and what follows from it."""

    handoff: str
    words: str
    tone: str
    means: str
    owner: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Hole:
    """A time of which the evidence of one role is not complete."""

    role: str
    start: datetime
    end: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class LifeNow:
    """One process of the source as it stands now."""

    process: Process
    words: str
    tone: str
    at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class SourcePage:
    """Everything the page of a source shows."""

    row: SourceRow
    shows: Sequence[Shows]
    processes: Sequence[LifeNow]
    more_processes: bool
    holes: Sequence[Hole]
    now: datetime

    @property
    def source(self) -> Source:
        """The row itself."""
        return self.row.source

    @property
    def give_up(self) -> timedelta:
        """How long after a deadline evidence is waited for."""
        return timedelta(seconds=self.source.give_up_seconds)


def find_source(name: str) -> Source | None:
    """The source of that name."""
    return Source.objects.filter(name=name).first()


def source_page(name: str, *, now: datetime) -> SourcePage | None:
    """The page as of `now`, in a constant number of statements; None where there is no such source."""
    source = find_source(name)
    if source is None:
        return None
    lives = Process.objects.filter(source=source).order_by("-ended_at", "role", "name", "-started_at")
    shown = list(lives[: PROCESSES_SHOWN + 1])  # PostgreSQL puts those still there, null, first
    return SourcePage(
        row=source_rows([source], now=now)[0],
        shows=_shows(Capabilities.from_mapping(source.capabilities)),
        processes=[_life_now(row, now) for row in shown[:PROCESSES_SHOWN]],
        more_processes=len(shown) > PROCESSES_SHOWN,
        holes=_holes(source, now),
        now=now,
    )


def _life_now(row: Process, now: datetime) -> LifeNow:
    words, tone, at = state_now(row, now)
    return LifeNow(process=row, words=words, tone=tone, at=at)


def _shows(capabilities: Capabilities) -> list[Shows]:
    return [_show(handoff, capabilities) for handoff in Handoff if handoff is not Handoff.DUE]


def _show(handoff: Handoff, capabilities: Capabilities) -> Shows:
    state, host = capabilities.state(handoff), capabilities.merged_with(handoff)
    words, tone, means = {
        Capability.OBSERVED: ("Observed", PRESENT, "a record of its own"),
        Capability.INFERRED: ("Inferred", PRESENT, "judged like observed"),
        Capability.NONE: ("Not reported", OFF, "never called absent; its allowance is added to the next one's"),
        Capability.MERGED: ("With another", PRESENT, f"stands with {host.label.lower()}" if host is not None else ""),
    }[state]
    return Shows(handoff=handoff.label, words=words, tone=tone, means=means, owner=usual_owner(handoff))


def _holes(source: Source, now: datetime) -> list[Hole]:
    """The holes between the stretches of the last seven days, the newest first."""
    found = []
    last: dict[str, datetime] = {}
    rows = CoverageStretch.objects.filter(source=source, end__gte=now - LATELY).order_by("role", "start", "end")
    for row in rows:
        before = last.get(row.role)
        if before is not None and row.start > before:
            found.append(Hole(role=row.role, start=before, end=row.start))
        last[row.role] = max(row.end, before or row.end)
    return sorted(found, key=lambda hole: hole.start, reverse=True)[:GAPS_SHOWN]
