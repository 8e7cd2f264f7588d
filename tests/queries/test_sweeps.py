"""The sweep's search costs what is open, never what is stored: held by buffers, not by time."""

import json
from datetime import timedelta

import pytest
from django.db import connection

from occurrences.models import Coverage, Schedule, Source
from occurrences.queries.sweeps import SEARCH, START
from tests import wire
from tests.wire import T0

ROLES = 3  # scheduler, workers, clock

FILL = """
INSERT INTO occurrences_occurrence (
    key, source_id, schedule_id, due_at, due_local, zone, utc_offset_seconds, fold, gap_note, dialect, tzdata,
    planned, expected_gap, verdict, next_deadline, next_role, evidence_revision, changed_at)
SELECT gen_random_uuid(), %(source)s, %(schedule)s, due, '', 'UTC', 0, 0, '', 'interval', '', true, false,
       %(verdict)s, CASE WHEN %(role)s IS NULL THEN NULL ELSE due + interval '1 minute' END, %(role)s, 1, due
  FROM generate_series(1, %(rows)s) n, LATERAL (SELECT %(until)s - n * interval '10 seconds') d(due)
"""


def fill(source: Source, rows: int, *, verdict: str, role: str | None) -> None:
    schedule, _ = Schedule.objects.get_or_create(source=source, key="filled", defaults={"first_seen_at": T0})
    values = {"source": source.pk, "schedule": schedule.pk, "rows": rows, "verdict": verdict, "role": role, "until": T0}
    with connection.cursor() as cursor:
        cursor.execute(FILL, values)


def buffers() -> tuple[int, str]:
    """Shared buffers of the execution alone, and the plan as text."""
    values = {"now": T0, "deadline": START[0], "key": START[1], "limit": 1000}
    with connection.cursor() as cursor:
        cursor.execute("VACUUM ANALYZE occurrences_occurrence")
        cursor.execute("VACUUM (FULL, ANALYZE) occurrences_coverage")
        cursor.execute("VACUUM (FULL, ANALYZE) occurrences_source")
        cursor.execute(f"EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) {SEARCH}", values)
        found = cursor.fetchone()[0]
        document = found if isinstance(found, list) else json.loads(found)
    plan = document[0]["Plan"]
    return plan["Shared Hit Blocks"] + plan["Shared Read Blocks"], json.dumps(plan)


def allowed() -> int:
    return 3 * Source.objects.count() * ROLES + 4


@pytest.mark.django_db(transaction=True)
def test_the_search_reads_three_buffers_per_source_and_role_and_four_more():
    source = wire.source(now=T0)
    fill(source, 100_000, verdict="on-time", role=None)
    Coverage.objects.filter(source=source).exclude(role="clock").update(up_to=T0 - timedelta(days=30))
    empty, plan = buffers()
    assert empty <= allowed()
    assert "occurrence_deadline" in plan
    # 20,000 overdue ones of a blind source cost one probe, not their backlog
    other = wire.sources.register(name="celery:blind", by="tests", now=T0)
    Source.objects.filter(pk=other.pk).update(give_up_seconds=30 * 24 * 3600)
    Coverage.objects.filter(source=other).exclude(role="clock").update(up_to=T0 - timedelta(days=29))
    fill(other, 20_000, verdict="pending", role="scheduler")
    blind, plan = buffers()
    assert blind <= allowed()
    assert "occurrence_deadline" in plan
    print(f"buffers: {empty} with 100,000 closed, {blind} with 20,000 overdue of a blind source; allowed {allowed()}")
