"""A day of five-minute occurrences for many schedules, against one INSERT of the same rows."""

from collections.abc import Iterator
from datetime import timedelta

from django.db import connection

from occurrences.management.bench.figures import Figure, rate_of
from occurrences.management.bench.world import START, World, schedule_keys, snapshot
from occurrences.services.schedules import plan

SCHEDULES, ROUND = 10_000, 1000
DAY = timedelta(days=1)
COLUMNS = """source_id, schedule_id, revision_id, due_local, zone, utc_offset_seconds, fold, gap_note, dialect, tzdata,
    planned, expected_gap, verdict, next_role, evidence_revision, changed_at"""
A_DAY_LATER = f"""
INSERT INTO occurrences_occurrence (key, due_at, next_deadline, {COLUMNS})
SELECT (lpad(to_hex((extract(epoch FROM due_at + interval '1 day') * 1000)::bigint), 12, '0')
        || substr(replace(key::text, '-', ''), 13))::uuid,
       due_at + interval '1 day', next_deadline + interval '1 day', {COLUMNS}
  FROM occurrences_occurrence WHERE schedule_id > %s AND due_at < %s ORDER BY key
ON CONFLICT (key) DO NOTHING
"""  # noqa: S608  literals


def measure(rounds: int) -> Iterator[Figure]:
    """Yield rows per second of the planner, rules included, beside one INSERT .. SELECT of the same rows.

    As many rounds as it takes for all the schedules, whatever `rounds` says.
    """
    world, keys, done = World(), schedule_keys(SCHEDULES), 0
    ours, theirs = [], []
    for first in range(0, SCHEDULES, ROUND):
        world.take([snapshot(key) for key in keys[first : first + ROUND]], now=START)
        rows = 288 * ROUND
        ours.append(rate_of(rows, lambda: plan(now=START, ahead=DAY)))
        theirs.append(rate_of(rows, lambda done=done: _insert(done)))  # type: ignore[misc]
        done = _newest()
    yield Figure(
        name=f"planning {SCHEDULES:,} schedules x 24 h, every 5 minutes", unit="rows", rates=tuple(ours),
        against="one INSERT .. SELECT of the same rows", other_rates=tuple(theirs),
    )  # fmt: skip


def _insert(after: int) -> None:
    with connection.cursor() as cursor:
        cursor.execute(A_DAY_LATER, [after, START + DAY])


def _newest() -> int:
    with connection.cursor() as cursor:
        cursor.execute("SELECT max(id) FROM occurrences_schedule")
        newest: int = cursor.fetchone()[0]
        return newest
