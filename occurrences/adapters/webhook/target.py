"""The webhook target: one signed POST for each try, always under the recovery id, so that the receiver runs it once."""

import http.client
import json
import socket
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import cast
from uuid import UUID

from occurrences.adapters.base import Message, Repeats, TargetRefused, TargetUnreachable, refuse_if_late
from occurrences.adapters.webhook.connecting import Deadline, open_checked
from occurrences.adapters.webhook.hosts import Place
from occurrences.adapters.webhook.signing import signed_headers

TOTAL_SECONDS = 10.0
HAS_IT_ALREADY = 409


class WebhookTarget:
    """A receiver that knows a recovery id again. What it answers beside the status is never read."""

    repeats = Repeats.DEDUPES
    can_revoke = False

    def __init__(self, place: Place, secrets: Sequence[bytes], *, seconds: float = TOTAL_SECONDS) -> None:
        self.place, self.secrets, self.seconds = place, secrets, seconds

    def publish(self, message: Message) -> None:
        """Send the request. 2xx and 409 are acceptance, 3xx and 4xx refusal; with anything else nobody knows."""
        refuse_if_late(message)
        body = json.dumps(_body(message), sort_keys=True).encode()
        try:
            status = self._post(body, message.recovery_id)
        except (OSError, http.client.HTTPException) as error:
            raise TargetUnreachable(type(error).__name__) from error
        if 200 <= status < 300 or status == HAS_IT_ALREADY:
            return
        if 300 <= status < 500:
            raise TargetRefused(f"the receiver answered {status}")
        raise TargetUnreachable(f"the receiver answered {status}")

    def holds(self, recovery_id: UUID, queue: str) -> bool:
        """Nobody can ask a receiver; a second send of the id is harmless instead."""
        return False

    def revoke(self, run: str, queue: str) -> bool:
        """Not through a webhook."""
        return False

    def original_waits(self, run: str, queue: str) -> bool | None:
        """Nobody can tell."""
        return None

    def by_hand(self, message: Message) -> str | None:
        """Nothing: the receiver runs it."""
        return None

    def _post(self, body: bytes, recovery_id: UUID) -> int:
        headers = {
            "Host": self.place.authority,
            "Content-Type": "application/json",
            "User-Agent": "aglet-recovery",
            "Connection": "close",
            **signed_headers(self.secrets, message_id=recovery_id, at=datetime.now(UTC), body=body),
        }
        connection = http.client.HTTPConnection(self.place.host, self.place.port)
        connection.auto_open = 0  # never a connection of its own, which would look the name up again
        with open_checked(self.place, Deadline(self.seconds)) as checked:
            connection.sock = cast(socket.socket, checked)
            connection.request("POST", self.place.path, body, headers)
            return connection.getresponse().status


def _body(message: Message) -> dict[str, object]:
    """The same bytes at every try; who and which recovery, in the words of the records that come back."""
    return {
        "type": "replay.decided",
        "data": {
            "identity": str(message.identity),
            "source": message.identity.source,
            "schedule_key": message.identity.schedule_key,
            "due_at": message.due_at,
            "recovery": {"id": str(message.recovery_id), "n": message.recovery_number},
            "due_local": message.due_local,
            "zone": message.zone,
            "original_run": message.original_run,
            "not_after": message.not_after.isoformat(),
            "task": message.task,
            "queue": message.queue,
            "args": list(message.args),
            "kwargs": dict(message.kwargs),
        },
    }
