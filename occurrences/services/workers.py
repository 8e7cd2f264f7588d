"""What processes say of themselves, and how far their evidence has been shipped."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from django.db import connection, transaction

from occurrences.contract.errors import ContractError
from occurrences.contract.wire import CoverageIn, ProcessIn
from occurrences.models import Process, Source
from occurrences.services import audit
from occurrences.services.coverage import Hole, advance
from occurrences.services.schedules.pausing import end_pause

CLOSED = ("offline", "lost", "retired")


class NoSuchSpool(ContractError):
    """The source has no spool of that name, or it is closed already."""


@dataclass(slots=True)
class Taken:
    """What a batch of process and coverage records changed."""

    duplicates: int = 0
    unknown_spools: list[int] = field(default_factory=list)  # indexes into the coverage records given
    ended: list[Process] = field(default_factory=list)
    holes: list[Hole] = field(default_factory=list)
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
    advance(source=source, roles=taken.roles, holes=taken.holes, now=now)
    _arm_claimed_by(source, taken.ended, now)
    return taken


def _take_process(source: Source, known: dict[str, Process], said: ProcessIn, taken: Taken, now: datetime) -> None:
    taken.roles.add(said.role)
    row = known.get(said.spool)
    if row is None:
        row = known[said.spool] = Process(source=source, spool=said.spool, started_at=min(said.started_at, now))
        row.up_to = min(said.last_seen, now)
        row.state = "online"
        if said.role == "scheduler":
            end_pause(source=source, at=row.up_to, by=said.name, now=now)
    elif row.state in CLOSED or said.last_seen < row.last_seen:
        taken.duplicates += 1
        return
    row.role, row.name, row.host, row.pid = said.role, said.name, said.host, said.pid
    row.queues, row.capacity, row.active = list(said.queues), said.capacity, said.active
    row.refused, row.state, row.last_seen = (
        said.refused,
        said.state,
        max(min(said.last_seen, now), row.started_at),
    )
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
            taken.duplicates += 1
            return
        if said.seq_first > row.seq_last + 1:
            taken.holes.append(Hole(role=row.role, since=row.up_to or row.started_at, until=up_to))
        row.seq_last = said.seq_last
    row.up_to = max(row.up_to or up_to, up_to)


COLUMNS = (
    "spool", "role", "name", "host", "pid", "capacity", "active", "refused", "state",
    "started_at", "last_seen", "ended_at", "seq_last", "up_to",
)  # fmt: skip
SQL = f"""
INSERT INTO occurrences_process (source_id, queues, {", ".join(COLUMNS)})
SELECT %s, string_to_array(queues, chr(31)), {", ".join(COLUMNS)}
FROM unnest(%s::text[], %s::text[], %s::text[], %s::text[], %s::text[], %s::int[], %s::int[], %s::int[], %s::int[],
            %s::text[], %s::timestamptz[], %s::timestamptz[], %s::timestamptz[], %s::bigint[], %s::timestamptz[])
  AS t(queues, {", ".join(COLUMNS)})
ON CONFLICT (source_id, spool) DO UPDATE SET
    queues = excluded.queues, {", ".join(f"{c} = excluded.{c}" for c in COLUMNS if c not in ("spool", "started_at"))}
"""  # noqa: S608  the names are the literals above


def _store(source: Source, rows: Iterable[Process]) -> None:
    found = [("\x1f".join(r.queues), *(getattr(r, c) for c in COLUMNS)) for r in rows]
    if found:
        with connection.cursor() as cursor:
            cursor.execute(SQL, [source.pk, *map(list, zip(*found, strict=True))])


# A claimant that went down makes the next handoff absent at once.
ARM = """
UPDATE occurrences_occurrence SET next_deadline = %s, next_role = 'clock' WHERE key IN (
    SELECT o.key FROM occurrences_occurrence o
      JOIN occurrences_run r ON r.home_id = o.key
      JOIN unnest(%s::text[], %s::text[], %s::int[]) AS t(name, host, pid)
        ON r.claimant_name = t.name AND r.claimant_host = t.host AND r.claimant_pid = t.pid
     WHERE r.source_id = %s AND r.claimed_at IS NOT NULL AND r.ended_at IS NULL
     ORDER BY o.key FOR NO KEY UPDATE OF o)
"""


def _arm_claimed_by(source: Source, ended: Sequence[Process], now: datetime) -> None:
    if ended:
        with connection.cursor() as cursor:
            cursor.execute(
                ARM,
                [now, [p.name for p in ended], [p.host for p in ended], [p.pid for p in ended], source.pk],
            )


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
