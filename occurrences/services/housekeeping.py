"""Partitions ahead, and an end to what nobody needs any more."""

from datetime import datetime, timedelta

from django.db import connection, transaction

from occurrences.models import Sweep
from occurrences.queries.sweeps import newest_sweep
from occurrences.services.installation import OWN_SOURCE
from occurrences.services.partitions import ensure_partitions

AHEAD = timedelta(days=62)
SWEEPS_KEPT = timedelta(days=7)
OWN_KEPT = timedelta(days=2)
PAGE = 5000

# Only what is closed, was never flagged and is bound to no absence. Its records go with it, and its runs.
DELETE_OWN = """
WITH old AS (
    SELECT o.key FROM occurrences_occurrence o JOIN occurrences_source s ON s.id = o.source_id
     WHERE s.name = %(source)s AND o.due_at < %(before)s AND o.next_deadline IS NULL AND o.flagged_at IS NULL
       AND NOT EXISTS (SELECT 1 FROM occurrences_absence a WHERE a.occurrence_id = o.key)
       AND NOT EXISTS (SELECT 1 FROM occurrences_discrepancy d WHERE d.occurrence_id = o.key)
     ORDER BY o.key LIMIT %(page)s FOR UPDATE SKIP LOCKED
), records AS (
    DELETE FROM occurrences_handoffrecord r USING old WHERE r.occurrence_id = old.key
), runs AS (
    DELETE FROM occurrences_run r USING old WHERE r.home_id = old.key
)
SELECT key FROM old
"""


def keep_house(*, by: str, now: datetime) -> int:
    """Make the partitions of the coming months; return how many old occurrences of our own were deleted.

    Called by the console itself, which leaves no audit row: nothing of a person's is touched.
    """
    ensure_partitions(now, now + AHEAD)
    newest = newest_sweep()
    if newest is not None:  # itself kept however old: it says where the gap of a long stop begins
        Sweep.objects.filter(as_of__lt=min(now - SWEEPS_KEPT, newest.as_of)).delete()
    return _delete_own(now)


@transaction.atomic
def _delete_own(now: datetime) -> int:
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL aglet.retention = 'on'")
        cursor.execute(DELETE_OWN, {"source": OWN_SOURCE, "before": now - OWN_KEPT, "page": PAGE})
        keys = [row[0] for row in cursor.fetchall()]
        cursor.execute("DELETE FROM occurrences_occurrence WHERE key = ANY(%s)", [keys])
    return len(keys)
