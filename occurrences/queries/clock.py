"""The database's clock: the one clock that every process of an installation shares."""

from datetime import datetime

from django.db import connection


def database_now() -> datetime:
    """The present moment as the database has it, in UTC. For the doors only; rules take `now`."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT clock_timestamp()")
        now: datetime = cursor.fetchone()[0]
        return now
