"""A small real console: an HTTP server that keeps what it gets and can be told to misbehave."""

import http.server
import json
import threading
import time
from collections.abc import Callable
from typing import Any

from occurrences.contract.wire import parse_record

Record = dict[str, Any]


class Receiver:
    """Listens on a loopback port; `answer_with` makes every request fail, `refuse` picks single records."""

    def __init__(self) -> None:
        self.records: list[Record] = []
        self.requests: list[tuple[int, int]] = []  # status and number of records of every request
        self.status: int | None = None
        self.largest_batch = 10_000
        self.refuse: Callable[[Record], bool] = lambda record: False
        self.keys: set[str] = set()
        self.unreadable: list[tuple[str, Record]] = []  # what the console's own parser would refuse
        self._server: http.server.ThreadingHTTPServer | None = None
        self.port = 0
        self.up()

    def up(self) -> None:
        """Listen, on the same port as before."""
        receiver = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                receiver.keys.add(self.headers["Authorization"])
                status, answer = receiver.take([json.loads(line) for line in body.splitlines()])
                raw = json.dumps(answer).encode()
                self.send_response(status)
                self.send_header("Content-Length", str(len(raw)))
                self.end_headers()
                self.wfile.write(raw)

            def log_message(self, *_: object) -> None:
                """Quiet."""

        class Server(http.server.ThreadingHTTPServer):
            daemon_threads = True

            def handle_error(self, *_: object) -> None:
                """A sender that was killed in the middle of a request is what these tests are about."""

        self._server = Server(("127.0.0.1", self.port), Handler)
        self.port = self._server.server_port
        threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True).start()

    def down(self) -> None:
        """Refuse connections from now on (those that are open end with their next request)."""
        if self._server is not None:
            self._server.shutdown()
            self._server.server_close()
            self._server = None

    def take(self, records: list[Record]) -> tuple[int, Record]:
        for record in records:
            self._read(record)
        status, answer = self._judge(records)
        self.requests.append((status, len(records)))
        return status, answer

    def _read(self, record: Record) -> None:
        if "v" not in record:
            return  # made up by a test of the shipper, which does not look into records
        try:
            parse_record(record, source=record["source"])
        except ValueError as error:
            self.unreadable.append((str(error), record))

    def _judge(self, records: list[Record]) -> tuple[int, Record]:
        if self._server is None:
            return 503, {"error": "going down", "reason": "the test stopped this console"}
        if self.status is not None:
            return self.status, {"error": "told so", "reason": "the test wants it"}
        if len(records) > self.largest_batch:
            return 413, {"error": "too large", "reason": "too many records"}
        bad = [index for index, record in enumerate(records) if self.refuse(record)]
        self.records += [record for index, record in enumerate(records) if index not in bad]
        refused = [{"index": index, "field": "handoff", "reason": "no such handoff"} for index in bad]
        counts = dict.fromkeys(("duplicate", "discrepancy", "unlinked", "quarantined"), 0)
        status = 422 if len(bad) == len(records) else 200
        return status, {"accepted": len(records) - len(bad), **counts, "refused": refused}

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def of(self, kind: str, **fields: Any) -> list[Record]:
        """The records of a kind whose fields have these values, in the order they came."""
        return [
            record
            for record in list(self.records)
            if record["kind"] == kind and all(record.get(name) == value for name, value in fields.items())
        ]

    def wait_for(self, kind: str, *, count: int = 1, within: float = 15, **fields: Any) -> list[Record]:
        """Wait until so many of them are there; fails with what came instead."""
        end = time.monotonic() + within
        while len(found := self.of(kind, **fields)) < count:
            if time.monotonic() > end:
                got = [(r["kind"], r.get("handoff") or r.get("state") or "") for r in self.records][-30:]
                raise AssertionError(f"no {count} x {kind} {fields} within {within} s; the last ones: {got}")
            time.sleep(0.02)
        return found
