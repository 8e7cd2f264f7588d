"""A target that writes into another queue's own table, to show that the suite is ready for such targets.

The unique recovery id makes a second send start nothing more; an original that nobody has taken is deleted.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from uuid import UUID

import psycopg
from psycopg.types.json import Jsonb

from occurrences.adapters.base import Message, Repeats, TargetRefused, TargetUnreachable, refuse_if_late

TABLE = """
CREATE TEMPORARY TABLE jobs (
    run text PRIMARY KEY, queue text NOT NULL, task text NOT NULL, args jsonb NOT NULL, kwargs jsonb NOT NULL,
    identity jsonb NOT NULL, not_after timestamptz, taken_at timestamptz
)
"""


class TableTarget:
    """`connect` gives a connection to the queue's database."""

    repeats = Repeats.DEDUPES
    can_revoke = True

    def __init__(self, connect: Any) -> None:
        self.connect = connect

    def publish(self, message: Message) -> None:
        refuse_if_late(message)
        identity = {
            "source": message.identity.source,
            "schedule_key": message.identity.schedule_key,
            "due_at": message.due_at,
            "due_local": message.due_local,
            "zone": message.zone,
            "recovery": message.recovery_number,
            "original_run": message.original_run,
        }
        values = [Jsonb(list(message.args)), Jsonb(dict(message.kwargs)), Jsonb(identity), message.not_after]
        with self._asked() as database:
            database.execute(
                "INSERT INTO jobs (run, queue, task, args, kwargs, identity, not_after)"
                " VALUES (%s, %s, %s, %s, %s, %s, %s) ON CONFLICT (run) DO NOTHING",
                [str(message.recovery_id), message.queue, message.task, *values],
            )
            database.commit()

    def holds(self, recovery_id: UUID, queue: str) -> bool:
        return self._there(str(recovery_id), queue)

    def revoke(self, run: str, queue: str) -> bool:
        with self._asked() as database:
            database.execute("DELETE FROM jobs WHERE run = %s AND queue = %s AND taken_at IS NULL", [run, queue])
            database.commit()
        return not self._there(run, queue)

    def original_waits(self, run: str, queue: str) -> bool | None:
        try:
            return self._there(run, queue)
        except TargetUnreachable:
            return None

    def by_hand(self, message: Message) -> str | None:
        return None

    def _there(self, run: str, queue: str) -> bool:
        with self._asked() as database:
            return database.execute("SELECT 1 FROM jobs WHERE run = %s AND queue = %s", [run, queue]).rowcount > 0

    @contextmanager
    def _asked(self) -> Iterator[Any]:
        """An error of the data is an answer: nothing was stored. Any other leaves it open."""
        try:
            yield self.connect()
        except psycopg.IntegrityError:
            raise TargetRefused("the table refused it") from None
        except psycopg.OperationalError as error:
            raise TargetUnreachable(type(error).__name__) from None
