"""Monthly partitions of the handoff records, made before anything needs them.

There is no default partition: once it held a row of a month, that month's partition could
never be made.
"""

from collections.abc import Iterator
from datetime import UTC, datetime

from django.db import connection, transaction

from occurrences.contract.occurrences import key_floor

LOCK = 7_017_002
TABLE = "occurrences_handoffrecord"

_known: set[str] = set()  # names this process has seen; a partition is never dropped while it runs


def months(first: datetime, last: datetime) -> Iterator[tuple[datetime, datetime]]:
    """The calendar months in UTC, as half-open pairs, from that of `first` to that of `last`."""
    start = datetime(first.year, first.month, 1, tzinfo=UTC)
    while start <= last:
        end = datetime(start.year + start.month // 12, start.month % 12 + 1, 1, tzinfo=UTC)
        yield start, end
        start = end


def ensure_partitions(first: datetime, last: datetime) -> None:
    """Make the partitions for due times from `first` to `last`, in a short transaction of their own."""
    wanted = {f"{TABLE}_{start:%Y%m}": (start, end) for start, end in months(first, last)}
    missing = wanted.keys() - _known
    if not missing:
        return
    with transaction.atomic(durable=not connection.in_atomic_block), connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(%s)", [LOCK])
        for name in sorted(missing):
            start, end = wanted[name]
            cursor.execute(
                f'CREATE TABLE IF NOT EXISTS "{name}" PARTITION OF "{TABLE}" '
                f"FOR VALUES FROM ('{key_floor(start)}') TO ('{key_floor(end)}')"
            )
    if not connection.in_atomic_block:  # inside somebody's transaction it may still be rolled back
        _known.update(missing)
