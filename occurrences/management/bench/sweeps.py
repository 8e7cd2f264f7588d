"""A sweep that finds nothing overdue, with a short and with a long history behind it."""

from collections.abc import Iterator
from datetime import timedelta

from django.db import connection

from occurrences.management.bench.figures import Figure, rate_of
from occurrences.management.bench.world import PERIOD, START, World, schedule_keys, snapshot
from occurrences.services.absences import sweep
from occurrences.services.schedules import plan

EACH = 20
DAYS = 200  # of history: as many copies of what is planned, a day apart, closed
HISTORY = """
INSERT INTO occurrences_occurrence (
    key, source_id, schedule_id, revision_id, due_at, due_local, zone, utc_offset_seconds, fold, gap_note, dialect,
    tzdata, planned, expected_gap, verdict, evidence_revision, changed_at)
SELECT (lpad(to_hex((extract(epoch FROM due_at - d * interval '1 day') * 1000)::bigint), 12, '0')
        || substr(replace(key::text, '-', ''), 13))::uuid,
       source_id, schedule_id, revision_id, due_at - d * interval '1 day', due_local, zone, utc_offset_seconds, fold,
       gap_note, dialect, tzdata, planned, expected_gap, 'on-time', 1, changed_at
  FROM occurrences_occurrence, generate_series(1, %s) AS d
ON CONFLICT (key) DO NOTHING
"""


def measure(rounds: int) -> Iterator[Figure]:
    """Yield the rate of sweeps over the long history beside that over the short one."""
    world = World()
    world.take([snapshot(key) for key in schedule_keys(200)], now=START)
    plan(now=START, ahead=4 * PERIOD)
    short = tuple(_rate() for _ in range(rounds))
    with connection.cursor() as cursor:
        cursor.execute(HISTORY, [DAYS])
        made = cursor.rowcount
        cursor.execute("VACUUM ANALYZE occurrences_occurrence")
    yield Figure(
        name=f"sweep with nothing overdue, {made:,} rows more behind it", unit="sweeps",
        rates=tuple(_rate() for _ in range(rounds)), against="before they came", other_rates=short,
    )  # fmt: skip


def _rate() -> float:
    now = START - timedelta(seconds=1)
    return rate_of(EACH, lambda: [sweep(by="bench", now=now) for _ in range(EACH)])
