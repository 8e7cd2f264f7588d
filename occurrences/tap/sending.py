"""One kept connection to the console, and what its answers mean for the lines that were sent."""

import http.client
import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

TIMEOUT = 5.0
PATH = "/api/v1/records"
REPEAT_ON = (401, 403, 429)  # a key not yet known, or too much at once: the same lines may be taken later
LARGEST_ANSWER = 4 * 1024 * 1024


class LaterError(Exception):
    """The console cannot be reached or cannot take the lines now; the same lines are sent again."""


@dataclass(slots=True)
class Answer:
    """What became of a batch: how many of its first lines are settled, which of them were refused."""

    settled: int = 0
    refused: dict[int, str] = field(default_factory=dict)
    later: str | None = None


class Sender:
    """Posts records as NDJSON. Not for use by two threads at once."""

    def __init__(self, url: str, key: str) -> None:
        self._url, self._key = urlsplit(url), key
        self._connection: http.client.HTTPConnection | None = None

    def deliver(self, records: Sequence[dict[str, Any]]) -> Answer:
        """Send a batch. One refused as a whole is halved until the bad record stands alone."""
        try:
            status, body = self.post(records)
        except LaterError as error:
            return Answer(later=str(error))
        counts = _counts(body)
        if status in (200, 422) and counts is not None:
            refused = {index: reason for index, reason in counts.items() if index < len(records)}
            return Answer(settled=len(records), refused=refused)
        if status == 200:
            return Answer(later="the console answered 200 without counts")
        if len(records) == 1:
            return Answer(settled=1, refused={0: f"HTTP {status}: {_reason(body)}"})
        return self._deliver_halves(records)

    def _deliver_halves(self, records: Sequence[dict[str, Any]]) -> Answer:
        middle = len(records) // 2
        first = self.deliver(records[:middle])
        if first.later is not None:
            return first
        second = self.deliver(records[middle:])
        moved = {index + middle: reason for index, reason in second.refused.items()}
        return Answer(settled=middle + second.settled, refused=first.refused | moved, later=second.later)

    def post(self, records: Sequence[dict[str, Any]]) -> tuple[int, Any]:
        """One request; returns status and parsed body. Raises LaterError where it is to be repeated."""
        body = b"".join(json.dumps(record, separators=(",", ":")).encode() + b"\n" for record in records)
        fresh = self._connection is None
        try:
            status, answer = self._request(body)
        except (OSError, http.client.HTTPException) as error:
            self.close()
            if fresh:
                raise LaterError(f"{type(error).__name__}: {error}") from error
            return self.post(records)  # the console closed an idle connection: that is no outage
        if status in (401, 403):
            raise LaterError(f"HTTP {status}: AGLET_TAP_KEY is refused; {_reason(answer)}")
        if status in REPEAT_ON or status >= 500:
            raise LaterError(f"HTTP {status}: {_reason(answer)}")
        return status, answer

    def _request(self, body: bytes) -> tuple[int, Any]:
        if self._connection is None:
            self._connection = self._connect()
        headers = {
            "Authorization": f"Bearer {self._key}",
            "Content-Type": "application/x-ndjson",
            "User-Agent": "aglet-tap/1",
        }
        self._connection.request("POST", self._url.path.rstrip("/") + PATH, body=body, headers=headers)
        response = self._connection.getresponse()
        return response.status, _parsed(response.read(LARGEST_ANSWER))

    def _connect(self) -> http.client.HTTPConnection:
        kind = http.client.HTTPSConnection if self._url.scheme == "https" else http.client.HTTPConnection
        return kind(self._url.hostname or "localhost", self._url.port, timeout=TIMEOUT)

    def close(self) -> None:
        """Drop the connection; the next request opens another."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None


def _parsed(raw: bytes) -> Any:
    try:
        return json.loads(raw)
    except ValueError:
        return None


def _counts(body: Any) -> dict[int, str] | None:
    """Index and reason of every refused record, or None when the answer is not one with counts."""
    if not isinstance(body, dict) or not isinstance(body.get("refused"), list):
        return None
    return {entry["index"]: f"{entry.get('field')}: {entry.get('reason')}" for entry in body["refused"]}


def _reason(body: Any) -> str:
    return str(body.get("reason") or body.get("error"))[:200] if isinstance(body, dict) else "no reason given"
