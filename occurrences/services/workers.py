"""What processes say of themselves, and how far their evidence has been shipped."""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from uuid import UUID

from django.db import connection, transaction
from django.db.models import Q

from occurrences.contract.errors import ContractError
from occurrences.contract.handoffs import Role
from occurrences.contract.verdicts import Verdict
from occurrences.contract.wire import CoverageIn, ProcessIn
from occurrences.models import Coverage, Occurrence, Process, Source
from occurrences.services import audit
from occurrences.services.coverage import Hole, advance, earliest_hole
from occurrences.services.schedules.pausing import end_pause

CLOSED = ("offline", "lost", "retired")
MOST_MISSING = 20  # holes kept open to be mended; an older one stays a hole


class NoSuchSpool(ContractError):
    """The source has no spool of that name, or it is closed already."""


@dataclass(slots=True)
class Taken:
    """What a batch of process and coverage records changed."""

    duplicates: int = 0
    unknown_spools: list[int] = field(default_factory=list)  # indexes into the coverage records given
    ended: list[Process] = field(default_factory=list)
    holes: list[Hole] = field(default_factory=list)
    back: datetime | None = None  # when a new scheduler process announced itself
    roles: set[str] = field(default_factory=set)


def take(*, source: Source, processes: Sequence[ProcessIn], coverages: Sequence[CoverageIn], now: datetime) -> Taken:
    """Apply the records in the order of their kind: processes open and close spools, coverage advances them."""
    taken = Taken()
    if not processes and not coverages:
        return taken
    spools = {p.spool for p in processes} | {c.spool for c in coverages}
    known = {
        p.spool: p
        for p in Process.objects.select_for_update(no_key=True)
        .filter(source=source, spool__in=spools)
        .order_by("spool")
    }
    for said in processes:
        _take_process(source, known, said, taken, now)
    for index, proof in enumerate(coverages):
        _take_coverage(known, index, proof, taken, now)
    _store(source, known.values())
    if taken.back is not None:
        end_pause(source=source, at=taken.back, by=source.name, now=now)
    advance(source=source, roles=taken.roles, holes=taken.holes, now=now)
    _arm_claimed_by(source, taken.ended, now)
    return taken


def to_arm(
    *, source: Source, processes: Sequence[ProcessIn], coverages: Sequence[CoverageIn], now: datetime
) -> set[UUID]:
    """The occurrences that `take` may make due for the sweep, to be locked before anything else in key order."""
    names = sorted({p.name for p in processes if p.state in CLOSED})
    keys: set[UUID] = set()
    if names:
        with connection.cursor() as cursor:
            cursor.execute(CLAIMED_BY, [source.pk, names])
            keys = {row[0] for row in cursor.fetchall()}
    if coverages or processes:
        keys |= _blind(source, {c.spool for c in coverages}, now)
    return keys


def _blind(source: Source, spools: set[str], now: datetime) -> set[UUID]:
    """What could not be told or proven and may be now: since the least advanced role, or a hole that may be mended."""
    reached = Coverage.objects.filter(source=source).exclude(role=Role.CLOCK).values_list("up_to", flat=True)
    hole = earliest_hole(source=source, spools=spools)
    since = min([r for r in (*reached, hole) if r is not None], default=now)
    waiting = Q(blind_from__gte=since)
    if None in reached:
        waiting |= Q(verdict=Verdict.UNKNOWN.value) | Q(blind_from__isnull=False)
    return set(Occurrence.objects.filter(waiting, source=source).values_list("key", flat=True))


def _take_process(source: Source, known: dict[str, Process], said: ProcessIn, taken: Taken, now: datetime) -> None:
    taken.roles.add(said.role)
    row = known.get(said.spool)
    if row is None:
        row = known[said.spool] = Process(source=source, spool=said.spool, started_at=min(said.started_at, now))
        row.up_to = min(said.last_seen, now)
        row.state = "online"
        if said.role == Role.SCHEDULER:
            taken.back = min(taken.back or row.up_to, row.up_to)
    elif row.state in CLOSED or said.last_seen < row.last_seen:
        taken.duplicates += 1
        return
    row.role, row.name, row.host, row.pid = said.role, said.name, said.host, said.pid
    row.queues, row.capacity, row.active = list(said.queues), said.capacity, said.active
    row.refused, row.state = said.refused, said.state
    row.last_seen = max(min(said.last_seen, now), row.started_at)
    if said.state in CLOSED:
        row.ended_at = row.last_seen
        taken.ended.append(row)


def _take_coverage(known: dict[str, Process], index: int, said: CoverageIn, taken: Taken, now: datetime) -> None:
    row = known.get(said.spool)
    if row is None:
        taken.unknown_spools.append(index)
        return
    taken.roles.add(row.role)
    up_to = min(said.up_to, now)  # a clock that is ahead must not prove what has not happened yet
    if said.seq_first is not None and said.seq_last is not None:
        if said.seq_last <= row.seq_last:
            if not _mends(row, said.seq_first, said.seq_last, taken):
                taken.duplicates += 1
            return
        if said.seq_first > row.seq_last + 1:
            since = row.up_to or row.started_at
            until = max(up_to, since + timedelta.resolution)  # a clock that went back leaves a hole all the same
            taken.holes.append(Hole(role=row.role, since=since, until=until))
            gap = [row.seq_last + 1, said.seq_first - 1, since.isoformat(), until.isoformat()]
            row.missing = [*row.missing, gap][-MOST_MISSING:]
        row.seq_last = said.seq_last
    row.up_to = max(row.up_to or up_to, up_to)


def _mends(row: Process, first: int, last: int, taken: Taken) -> bool:
    """Whether the numbers were missing so far: two requests may have crossed on their way."""
    for gap in row.missing:
        if gap[0] == first and last <= gap[1]:
            gap[0] = last + 1
            if gap[0] > gap[1]:
                row.missing = [g for g in row.missing if g is not gap]
                since, until = (datetime.fromisoformat(text) for text in gap[2:])
                taken.holes.append(Hole(role=row.role, since=since, until=until, mended=True))
            return True
    return False


COLUMNS = (
    "spool", "role", "name", "host", "pid", "capacity", "active", "refused", "state",
    "started_at", "last_seen", "ended_at", "seq_last", "up_to",
)  # fmt: skip
SQL = f"""
INSERT INTO occurrences_process (source_id, queues, missing, {", ".join(COLUMNS)})
SELECT %s, string_to_array(queues, chr(31)), missing::jsonb, {", ".join(COLUMNS)}
FROM unnest(%s::text[], %s::text[], %s::text[], %s::text[], %s::text[], %s::text[], %s::int[], %s::int[], %s::int[],
            %s::int[],
            %s::text[], %s::timestamptz[], %s::timestamptz[], %s::timestamptz[], %s::bigint[], %s::timestamptz[])
  AS t(queues, missing, {", ".join(COLUMNS)})
ON CONFLICT (source_id, spool) DO UPDATE SET
    queues = excluded.queues, missing = excluded.missing,
    {", ".join(f"{c} = excluded.{c}" for c in COLUMNS if c not in ("spool", "started_at"))}
"""  # noqa: S608  the names are the literals above


def _store(source: Source, rows: Iterable[Process]) -> None:
    found = [("\x1f".join(r.queues), json.dumps(r.missing), *(getattr(r, c) for c in COLUMNS)) for r in rows]
    if found:
        with connection.cursor() as cursor:
            cursor.execute(SQL, [source.pk, *map(list, zip(*found, strict=True))])


# Runs that a worker of one of these names claimed and that have no end, or that were claimed more than once: what
# became of an earlier claimant decides whether the later delivery was a recovery. A claim may name less than the
# process does, so the name alone has to be equal.
CLAIMED_BY = """
SELECT r.home_id FROM occurrences_run r
 WHERE r.source_id = %s AND r.home_id IS NOT NULL AND r.claimed_at IS NOT NULL
   AND r.claimants && %s::text[]
   AND (r.ended_at IS NULL OR r.ended_at < r.claimed_at OR r.claims > 1)
"""
ARM = f"""
UPDATE occurrences_occurrence SET next_deadline = %s, next_role = 'clock' WHERE key IN (
    SELECT key FROM occurrences_occurrence WHERE key IN ({CLAIMED_BY}) ORDER BY key FOR NO KEY UPDATE)
"""  # noqa: S608  put together from literals


def _arm_claimed_by(source: Source, ended: Sequence[Process], now: datetime) -> None:
    """A claimant that went down makes the next handoff absent at once: let the next sweep look."""
    if ended:
        with connection.cursor() as cursor:
            cursor.execute(ARM, [now, source.pk, sorted({p.name for p in ended})])


@transaction.atomic
def retire_spool(*, source: str, spool: str, by: str, now: datetime) -> Process:
    """Close the spool of a host that will not return; what it held back stays a hole in the proof.

    Raises NoSuchSpool when the source has no open spool of that name.
    """
    row = Process.objects.select_for_update(no_key=True).filter(source__name=source, spool=spool, ended_at=None).first()
    if row is None:
        raise NoSuchSpool(f"'{source}' has no open spool '{spool}'")
    row.state, row.ended_at = "retired", now
    row.save(update_fields=["state", "ended_at"])
    hole = Hole(role=row.role, since=row.up_to or row.started_at, until=now)
    advance(source=row.source, roles={row.role}, holes=[hole], now=now)
    _arm_claimed_by(row.source, [row], now)
    audit.write(by=by, act="spool retired", subject=f"{source} {spool}", now=now)
    return row
