"""What the sweep has to look at, and how the newest sweep fared."""

from collections.abc import Collection
from datetime import datetime
from uuid import UUID

from django.db import connection

from occurrences.models import Sweep, SweepGap

# One probe of the deadline index per source and role: a blind role costs one look, not its backlog.
# The clock has to be past a limit, because the limit itself is still inside; coverage only has to reach it.
SEARCH = """
SELECT o.next_deadline, o.key
  FROM occurrences_coverage c
  JOIN occurrences_source s ON s.id = c.source_id
 CROSS JOIN LATERAL (
        SELECT o.next_deadline, o.key FROM occurrences_occurrence o
         WHERE o.source_id = c.source_id AND o.next_role = c.role AND o.next_deadline IS NOT NULL
           AND o.next_deadline < greatest(
                 least(%(now)s, CASE WHEN c.to_now OR NOT s.coverage_provable THEN %(now)s
                                    ELSE coalesce(c.up_to, '-infinity') + interval '1 microsecond' END),
                 %(now)s - s.give_up_seconds * interval '1 second')
           AND (o.next_deadline, o.key) > (%(deadline)s, %(key)s)
         ORDER BY o.next_deadline, o.key LIMIT %(limit)s
       ) o
 ORDER BY o.next_deadline, o.key LIMIT %(limit)s
"""
START = (datetime.fromisoformat("2000-01-01T00:00:00+00:00"), UUID(int=0))


def overdue(*, now: datetime, after: tuple[datetime, UUID], limit: int) -> list[tuple[datetime, UUID]]:
    """The next page of occurrences whose deadline has passed within coverage, in order of (deadline, key)."""
    with connection.cursor() as cursor:
        cursor.execute(SEARCH, {"now": now, "deadline": after[0], "key": after[1], "limit": limit})
        rows: list[tuple[datetime, UUID]] = cursor.fetchall()
        return rows


def lock_overdue(keys: Collection[UUID]) -> list[UUID]:
    """Lock those rows nobody else holds, in key order, and return them; call it inside a transaction."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT key FROM occurrences_occurrence WHERE key = ANY(%s) AND next_deadline IS NOT NULL "
            "ORDER BY key FOR NO KEY UPDATE SKIP LOCKED",
            [list(keys)],
        )
        return [row[0] for row in cursor.fetchall()]


def sweep_gaps(since: datetime) -> list[SweepGap]:
    """The times after `since` in which the console itself did not look, the newest first."""
    return list(SweepGap.objects.filter(end__gt=since).order_by("-start"))


def newest_sweep() -> Sweep | None:
    """The sweep that ended last."""
    return Sweep.objects.filter(ended_at__isnull=False).order_by("-ended_at").first()
