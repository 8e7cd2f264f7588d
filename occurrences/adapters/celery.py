"""Replays through Celery: the task id is the recovery id, and the identity travels in the headers.

Celery and its broker accept the same task id twice and run it twice, so the caller asks `holds` and the
records of the workers before it sends a message a second time.
"""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import chain
from typing import Any
from urllib.parse import parse_qsl, urlencode
from uuid import UUID

from celery import Celery
from celery.exceptions import CeleryError
from kombu import Connection
from kombu.exceptions import KombuError, OperationalError
from redis.exceptions import AuthenticationError, RedisError, ResponseError

from occurrences.adapters.base import Message, Repeats, TargetRefused, TargetUnreachable, refuse_if_late

CONNECT_SECONDS, ANSWER_SECONDS = 2, 3
# kombu waits for an answer for ever unless it is told not to
LIMITS = {"socket_connect_timeout": CONNECT_SECONDS, "socket_timeout": ANSWER_SECONDS}
FAILURES = (OSError, KombuError, OperationalError, RedisError, CeleryError)


class CeleryTarget:
    """A Celery application's broker. The address may name its key prefix: `?global_keyprefix=lab:`."""

    repeats = Repeats.PROBE
    can_revoke = True

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
            broker_transport_options=LIMITS | {"global_keyprefix": self.prefix},
        )

    def publish(self, message: Message) -> None:
        """Send the task; it expires at its not-after time, so that a worker refuses what comes too late."""
        refuse_if_late(message)
        with _failures():
            self.app.send_task(
                message.task,
                args=list(message.args),
                kwargs=dict(message.kwargs),
                task_id=str(message.recovery_id),
                queue=message.queue,
                headers=_headers(message),
                expires=message.not_after,
            )

    def holds(self, recovery_id: UUID, queue: str) -> bool:
        """Look through the queue and what workers have taken and not acknowledged; nothing is consumed."""
        return self._waits(str(recovery_id), queue)

    def revoke(self, run: str, queue: str) -> bool:
        """Remove exactly that message from the queue and tell the workers to drop it; then look again."""
        with _failures():
            with self._channel() as channel:
                for key, raw in self._queued(channel, queue):
                    if _task_id(json.loads(raw)) == run:
                        channel.client.lrem(key, 1, raw)
            self.app.control.revoke(run)
        return not self._waits(run, queue)

    def original_waits(self, run: str, queue: str) -> bool | None:
        """Whether the message waits; None when the broker does not answer."""
        try:
            return self._waits(run, queue)
        except TargetUnreachable:
            return None

    def by_hand(self, message: Message) -> str | None:
        """Nothing: a worker runs it."""
        return None

    def _waits(self, run: str, queue: str) -> bool:
        with _failures(), self._channel() as channel:
            queued = (json.loads(raw) for _, raw in self._queued(channel, queue))
            taken = (json.loads(raw)[0] for raw in channel.client.hvals(f"{self.prefix}unacked"))
            return any(_task_id(message) == run for message in chain(queued, taken))

    def _queued(self, channel: Any, queue: str) -> Iterator[tuple[str, bytes]]:
        """Every waiting message under its key; each priority of a queue is a list of its own."""
        for step in channel.priority_steps:
            key = f"{self.prefix}{channel._q_for_pri(queue, step)}"
            for raw in channel.client.lrange(key, 0, -1):
                yield key, raw

    @contextmanager
    def _channel(self) -> Iterator[Any]:
        # The plain client: kombu's own adds the prefix to some commands and not to others.
        limited = Connection(self.address, connect_timeout=CONNECT_SECONDS, transport_options=LIMITS)
        with limited as connection, connection.channel() as channel:
            yield channel


@contextmanager
def _failures() -> Iterator[None]:
    """Name a failure by its type alone: the text of a client's error holds hosts, and may hold arguments."""
    try:
        yield
    except FAILURES as error:
        if _surely_not_taken(error):
            raise TargetRefused(f"the broker refused it ({type(error).__name__})") from error
        raise TargetUnreachable(type(error).__name__) from error


def _surely_not_taken(error: BaseException) -> bool:
    """Whether the broker itself answered with an error: it took nothing then."""
    return any(isinstance(e, ResponseError | AuthenticationError) for e in (error, error.__cause__))


def _headers(message: Message) -> dict[str, Any]:
    return {
        "aglet_source": message.identity.source,
        "aglet_schedule": message.identity.schedule_key,
        "aglet_due": message.due_at,
        "aglet_due_local": message.due_local,
        "aglet_zone": message.zone,
        "aglet_recovery": str(message.recovery_id),
        "aglet_recovery_number": message.recovery_number,
        "aglet_original_run": message.original_run,
        "aglet_not_after": message.not_after.isoformat(),
    }


def _task_id(message: Any) -> str | None:
    headers = (message.get("headers") if isinstance(message, dict) else None) or {}
    found = headers.get("id")
    return found if isinstance(found, str) else None
