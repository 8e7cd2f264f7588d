"""Replays through Celery: the task id is the recovery id, and the identity travels in the headers.

Celery and its broker accept the same task id twice and run it twice, so the caller asks `holds` and the
records of the workers before it sends a message a second time.
"""

import json
from collections.abc import Iterator
from typing import Any
from urllib.parse import parse_qsl, urlencode
from uuid import UUID

from celery import Celery
from celery.exceptions import CeleryError
from kombu import Connection
from kombu.exceptions import KombuError, OperationalError
from redis.exceptions import RedisError

from occurrences.adapters.base import Message, TargetUnreachable

CONNECT_SECONDS = 2
FAILURES = (OSError, KombuError, OperationalError, RedisError, CeleryError)


class CeleryTarget:
    """A Celery application's broker. The address may name its key prefix: `?global_keyprefix=lab:`."""

    def __init__(self, address: str) -> None:
        # by hand: urlunsplit drops the empty host of a socket's address
        where, _, query = address.partition("?")
        options = dict(parse_qsl(query))
        self.prefix = options.pop("global_keyprefix", "")
        self.address = f"{where}?{urlencode(options)}" if options else where
        self.app = Celery("aglet-replays", broker=self.address, set_as_current=False)
        self.app.conf.update(
            task_serializer="json",
            task_ignore_result=True,
            task_publish_retry=False,
            broker_connection_timeout=CONNECT_SECONDS,
            broker_transport_options={"global_keyprefix": self.prefix, "socket_connect_timeout": CONNECT_SECONDS},
        )

    def publish(self, message: Message) -> None:
        """Send the task; it expires at its not-after time, so that a worker refuses what comes too late."""
        identity = message.identity
        headers = {
            "aglet_source": identity.source,
            "aglet_schedule": identity.schedule_key,
            "aglet_due": str(identity).rpartition("@")[2],
            "aglet_recovery": str(message.recovery_id),
            "aglet_not_after": message.not_after.isoformat(),
        }
        try:
            self.app.send_task(
                message.task,
                args=list(message.args),
                kwargs=dict(message.kwargs),
                task_id=str(message.recovery_id),
                queue=message.queue,
                headers=headers,
                expires=message.not_after,
            )
        except FAILURES as error:
            raise TargetUnreachable(str(error)) from error

    def holds(self, recovery_id: UUID, queue: str) -> bool:
        """Look through the queue and what workers have taken and not acknowledged; nothing is consumed."""
        try:
            return any(_task_id(m) == str(recovery_id) for m in self._messages(queue))
        except FAILURES as error:
            raise TargetUnreachable(str(error)) from error

    def _messages(self, queue: str) -> Iterator[Any]:
        # The plain client: kombu's own adds the prefix to some commands and not to others.
        with Connection(self.address, connect_timeout=CONNECT_SECONDS) as connection, connection.channel() as channel:
            for raw in channel.client.lrange(f"{self.prefix}{queue}", 0, -1):
                yield json.loads(raw)
            for raw in channel.client.hvals(f"{self.prefix}unacked"):
                yield json.loads(raw)[0]


def _task_id(message: Any) -> str | None:
    headers = (message.get("headers") if isinstance(message, dict) else None) or {}
    found = headers.get("id")
    return found if isinstance(found, str) else None
