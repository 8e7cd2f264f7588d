"""Whether the console itself can do its work."""

from datetime import datetime, timedelta

from django.conf import settings
from django.db import connection
from django.db.migrations.executor import MigrationExecutor
from kombu import Connection

from occurrences.queries.sweeps import newest_sweep

LATE_AFTER = 2  # sweep intervals without a finished sweep


def database_answers() -> bool:
    """Whether a statement runs."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1")
        return bool(cursor.fetchone() == (1,))


def broker_answers() -> bool:
    """Whether the broker takes a connection within two seconds."""
    with Connection(settings.CELERY_BROKER_URL, connect_timeout=2) as broker:
        broker.ensure_connection(max_retries=1, timeout=2)
    return True


def migrations_pending() -> bool:
    """Whether the database lacks a migration that this code has."""
    executor = MigrationExecutor(connection)
    return bool(executor.migration_plan(executor.loader.graph.leaf_nodes()))


def detector_age(now: datetime) -> timedelta | None:
    """How long ago the newest sweep ended; None where none ever did."""
    newest = newest_sweep()
    return None if newest is None or newest.ended_at is None else now - newest.ended_at


def detector_lateness(now: datetime) -> timedelta | None:
    """How long ago the newest sweep ended, when that is more than two intervals; None when it is in time.

    Computed by whoever asks, never by beat: a dead beat cannot say that it is dead. Where no sweep ever
    ended the answer is the longest time there is.
    """
    age = detector_age(now)
    if age is None:
        return timedelta.max
    return age if age > timedelta(seconds=settings.SWEEP_SECONDS * LATE_AFTER) else None
