"""A webhook receiver, written from the public Standard Webhooks scheme alone: it imports nothing of ours."""

import base64
import hmac
import json
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

TOLERANCE = 5 * 60


class Refused(Exception):
    """The request is not to be trusted."""


def verify(secret: str, headers: Mapping[str, str], body: bytes, *, now: float) -> str:
    """Return the id of a request that is genuine and fresh; raises Refused."""
    message, stamp, given = (headers[f"webhook-{name}"] for name in ("id", "timestamp", "signature"))
    if abs(now - int(stamp)) > TOLERANCE:
        raise Refused("too old, or from the future")
    key = base64.b64decode(secret.removeprefix("whsec_"))
    expected = base64.b64encode(hmac.digest(key, f"{message}.{stamp}.".encode() + body, "sha256"))
    signatures = [value for version, _, value in (s.partition(",") for s in given.split(" ")) if version == "v1"]
    if not any(hmac.compare_digest(expected, s.encode()) for s in signatures):
        raise Refused("no signature fits")
    return message


class Receiver:
    """Runs each id once. `answers` replaces the status; `loses` takes the request and closes without a word."""

    def __init__(self, secret: str) -> None:
        self.secret, self.answers, self.loses = secret, 0, False
        self.runs: dict[str, Any] = {}
        self.requests: list[tuple[dict[str, str], bytes]] = []
        self.accepted = 0
        self.reply = b""
        self.location = ""
        self.port = 0

    def take(self, headers: Mapping[str, str], body: bytes, *, now: float | None = None) -> int:
        """The status for one request."""
        self.requests.append((dict(headers), body))
        if self.answers:
            return self.answers
        try:
            message = verify(self.secret, headers, body, now=time.time() if now is None else now)
        except Refused:
            return 401
        if message in self.runs:
            return 409
        self.runs[message] = json.loads(body)
        return 202

    @contextmanager
    def listening(self) -> Iterator["Receiver"]:
        """Listen on the loopback interface."""
        receiver = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["content-length"]))
                status = receiver.take({k.lower(): v for k, v in self.headers.items()}, body)
                if receiver.loses:
                    return
                self.send_response(status)
                if receiver.location:
                    self.send_header("location", receiver.location)
                self.end_headers()
                self.wfile.write(receiver.reply)

            def log_message(self, *words: object) -> None: ...

        class Server(ThreadingHTTPServer):
            def get_request(self) -> Any:
                receiver.accepted += 1
                return super().get_request()

            def handle_error(self, *words: object) -> None: ...

        server = Server(("127.0.0.1", 0), Handler)
        self.port = server.server_address[1]
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
        thread.start()
        try:
            yield self
        finally:
            server.shutdown()
            server.server_close()
            thread.join()
