"""Find out where each record of a batch belongs, before anything is locked or stored."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any, TypeVar
from uuid import UUID

from occurrences.contract.errors import NotPlaced
from occurrences.contract.occurrences import Identity
from occurrences.contract.schedules import Due, FloatingRule
from occurrences.contract.wire import CoverageIn, HandoffIn
from occurrences.models import Schedule, Source
from occurrences.queries.arrays import array_cursor
from occurrences.queries.schedules import InForce, at, in_force
from occurrences.services.handoffs.items import Filing, Item
from occurrences.services.occurrences import NewOccurrence, insert
from occurrences.services.schedules.snapshots import known_schedules

LONGEST_AGO = timedelta(days=400)
FURTHEST_AHEAD = timedelta(days=60)
T = TypeVar("T")


@dataclass(slots=True)
class Placing:
    """A batch sorted by what has to be done with it."""

    items: Sequence[Item]
    filings: list[Filing] = field(default_factory=list)
    quarantined: list[tuple[dict[str, Any], str]] = field(default_factory=list)
    repeated: int = 0

    def of(self, kind: type[T]) -> list[T]:
        """The parsed records of one kind, in the order sent."""
        return [i.parsed for i in self.items if isinstance(i.parsed, kind)]

    def unknown_spools(self, indexes: Sequence[int]) -> Iterator[tuple[dict[str, Any], str]]:
        """Coverage records of a spool that no process record has opened."""
        bodies = [i.body for i in self.items if isinstance(i.parsed, CoverageIn)]
        return ((bodies[i], "coverage of a spool that no process has announced") for i in indexes)


def place(*, source: str, items: Sequence[Item], now: datetime) -> Placing:
    """Sort the batch. The same record twice in one batch is one record and a repetition."""
    placing = Placing(items)
    replays = replays_named(items)
    seen: set[tuple[UUID | None, int, bytes, bytes]] = set()
    for item in items:
        if isinstance(item.parsed, NotPlaced):
            placing.quarantined.append((item.body, item.parsed.reason))
        elif isinstance(item.parsed, HandoffIn):
            filing = Filing.of(source, item.parsed, item.body, now)
            if not belongs(filing, replays):
                placing.quarantined.append((item.body, "names a recovery that nobody decided"))
                continue
            mark = (filing.key, int(item.parsed.handoff), filing.record_key, filing.digest)
            if (reason := too_far(filing, now)) is not None:
                placing.quarantined.append((item.body, reason))
            elif mark in seen:
                placing.repeated += 1
            else:
                seen.add(mark)
                placing.filings.append(filing)
    return placing


def replays_named(items: Sequence[Item]) -> dict[UUID, tuple[UUID, int]]:
    """Occurrence and number of the replays that records of the batch name, by recovery id or as their run."""
    said = [i.parsed for i in items if isinstance(i.parsed, HandoffIn)]
    ids = sorted(filter(None, map(_uuid, {text for each in said for text in (each.job_ref, each.recovery_id)})))
    if not ids:
        return {}
    with array_cursor() as cursor:
        cursor.execute(
            "SELECT recovery_id, occurrence_id, recovery_number FROM occurrences_replay WHERE recovery_id = ANY(%b)",
            [ids],
        )
        return {recovery_id: (occurrence, number) for recovery_id, occurrence, number in cursor.fetchall()}


def _uuid(text: str | None) -> UUID | None:
    try:
        return UUID(text or "")
    except ValueError:
        return None


def belongs(filing: Filing, replays: dict[UUID, tuple[UUID, int]]) -> bool:
    """File a record of a replay under the decision's occurrence, whatever it names; False where none was decided.

    The run id decides before the recovery id it names: a run of ours that reports another id is a mismatch to be
    seen beside the original, not a record of somewhere else.
    """
    for recovery_id in map(_uuid, (filing.said.job_ref, filing.said.recovery_id)) if replays else ():
        if recovery_id in replays:
            filing.key, number = replays[recovery_id]
            filing.recovery = (recovery_id, number)
            return True
    return filing.said.recovery_id is None


def too_far(filing: Filing, now: datetime) -> str | None:
    """Why no partition may hold the due time this record names, or None."""
    if filing.named is None or filing.recovery is not None:
        return None
    if filing.named.due_at < now - LONGEST_AGO:
        return "due more than 400 days ago"
    if filing.named.due_at > now + FURTHEST_AHEAD:
        return "due more than 60 days ahead"
    return None


def name_occurrences(*, source: Source, filings: Sequence[Filing], now: datetime) -> set[UUID]:
    """Make sure that every occurrence a record names exists; return their keys."""
    # a replay never makes an occurrence, nor do the due times its records name
    named = {f.key: f for f in filings if f.key is not None and f.named is not None and f.recovery is None}
    if not named:
        return set()
    missing = named.keys() - existing(list(named))
    if missing:
        schedules = known_schedules(source=source, keys=[_key_of(named[k]) for k in missing], now=now)
        revisions = in_force({schedules[_key_of(named[k])].pk for k in missing})
        rows = [_unplanned(named[k], schedules[_key_of(named[k])], revisions) for k in sorted(missing)]
        insert(rows=rows, now=now)
    return set(named)


def existing(keys: Sequence[UUID]) -> set[UUID]:
    """Those of the keys that have a row."""
    with array_cursor() as cursor:
        cursor.execute("SELECT key FROM occurrences_occurrence WHERE key = ANY(%b)", [list(keys)])
        return {row[0] for row in cursor.fetchall()}


def _key_of(filing: Filing) -> str:
    assert filing.named is not None  # noqa: S101  only named ones come here
    return filing.named.schedule_key


def _unplanned(filing: Filing, schedule: Schedule, revisions: dict[int, list[InForce]]) -> NewOccurrence:
    assert filing.named is not None  # noqa: S101
    ruling = at(revisions.get(schedule.pk, []), filing.named.due_at)
    due = _due_of(ruling, filing.named)
    floating = ruling is not None and isinstance(ruling.rule, FloatingRule)
    return NewOccurrence(
        identity=filing.named,
        source_id=schedule.source_id,
        schedule_id=schedule.pk,
        revision_id=ruling.revision.pk if ruling else None,
        due=due or _as_utc(filing.named, ruling.revision.zone if ruling else "UTC"),
        dialect=ruling.revision.dialect if ruling else "unknown",
        planned=due is not None or floating,
    )


def _due_of(ruling: InForce | None, identity: Identity) -> Due | None:
    """The due time as the rule in force makes it, or None where it does not."""
    if ruling is None:
        return None
    return next(ruling.due_times(identity.due_at, identity.due_at + timedelta(seconds=1)), None)


def _as_utc(identity: Identity, zone: str) -> Due:
    return Due(
        due_at=identity.due_at,
        local=identity.due_at.astimezone(UTC).replace(tzinfo=None),
        zone=zone if zone == "UTC" else "UTC",
        offset=timedelta(0),
        fold=0,
        gap_note=None,
    )
