"""Insert due occurrences in key order, each once, whoever comes first."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from importlib.metadata import version

from occurrences.contract.occurrences import Identity
from occurrences.contract.schedules import Due
from occurrences.contract.verdicts import Verdict
from occurrences.queries.arrays import array_cursor


@dataclass(frozen=True, slots=True, kw_only=True)
class NewOccurrence:
    """What is known of an occurrence before any evidence. `planned`: a rule in force made it due."""

    identity: Identity
    source_id: int
    schedule_id: int
    revision_id: int | None
    due: Due
    dialect: str
    planned: bool
    expected_gap: bool = False


@cache
def tzdata_version() -> str:
    """The release of the time zone rules in use, for whoever asks later why an hour was chosen."""
    return version("tzdata")


# A record may arrive before the plan: then the plan completes the row it finds.
SQL = """
INSERT INTO occurrences_occurrence (
    key, source_id, schedule_id, revision_id, due_at, due_local, zone, utc_offset_seconds, fold, gap_note,
    dialect, tzdata, planned, expected_gap, verdict, next_deadline, next_role, evidence_revision, changed_at
)
SELECT key, source_id, schedule_id, revision_id, due_at, due_local, zone, utc_offset_seconds, fold, gap_note,
       dialect, %b, planned, expected_gap, %b, due_at, 'clock', 0, %b
FROM unnest(%b::uuid[], %b::bigint[], %b::bigint[], %b::bigint[], %b::timestamptz[], %b::text[], %b::text[],
            %b::int[], %b::int[], %b::text[], %b::text[], %b::bool[], %b::bool[])
  AS t(key, source_id, schedule_id, revision_id, due_at, due_local, zone, utc_offset_seconds, fold, gap_note,
       dialect, planned, expected_gap)
ORDER BY key
ON CONFLICT (key) DO UPDATE
   SET planned = true, expected_gap = excluded.expected_gap, revision_id = excluded.revision_id,
       next_deadline = excluded.changed_at, next_role = 'clock'
 WHERE excluded.planned AND NOT occurrences_occurrence.planned
"""


def insert(*, rows: Sequence[NewOccurrence], now: datetime) -> int:
    """Insert the rows that are not there yet; return how many were made or completed."""
    if not rows:
        return 0
    columns = zip(*(_columns(row) for row in rows), strict=True)
    with array_cursor() as cursor:
        cursor.execute(SQL, [tzdata_version(), Verdict.NOT_DUE.value, now, *map(list, columns)])
        return int(cursor.rowcount)


def _columns(row: NewOccurrence) -> tuple[object, ...]:
    due = row.due
    return (
        row.identity.key,
        row.source_id,
        row.schedule_id,
        row.revision_id,
        due.due_at,
        due.local.isoformat(),
        due.zone,
        int(due.offset.total_seconds()),
        due.fold,
        due.gap_note or "",
        row.dialect,
        row.planned,
        row.expected_gap,
    )
