"""Connect to a listed host: look its name up once, check every address found, and connect to a checked one.

Nothing between the check and the connection looks the name up again, so a name that changes meanwhile leads nowhere.
"""

import io
import queue
import socket
import ssl
import threading
import time
from ipaddress import ip_address
from typing import Any

from occurrences.adapters.base import TargetRefused
from occurrences.adapters.webhook.addresses import is_permitted
from occurrences.adapters.webhook.hosts import Place

CONNECT_SECONDS = 5.0
LONGEST_REPLY = 64 * 1024


class Deadline:
    """A point in time after which nothing waits any more."""

    def __init__(self, seconds: float) -> None:
        self.ends = time.monotonic() + seconds

    def left(self) -> float:
        """Seconds left; raises TimeoutError when there are none."""
        left = self.ends - time.monotonic()
        if left <= 0:
            raise TimeoutError("the time is over")
        return left


class TimedSocket:
    """A socket as http.client uses one, whose every wait ends at one deadline, however slowly bytes trickle."""

    def __init__(self, sock: socket.socket, deadline: Deadline) -> None:
        self.sock, self.deadline = sock, deadline

    def __enter__(self) -> "TimedSocket":
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def sendall(self, data: bytes) -> None:
        """Send everything."""
        rest = memoryview(data)
        while rest:
            self.sock.settimeout(self.deadline.left())
            rest = rest[self.sock.send(rest) :]

    def makefile(self, mode: str) -> io.BufferedReader:
        """The reading side."""
        return io.BufferedReader(_Reply(self.sock, self.deadline))

    def close(self) -> None:
        """Close the connection."""
        self.sock.close()


class _Reply(io.RawIOBase):
    """What comes back, 64 KiB of it at most."""

    def __init__(self, sock: socket.socket, deadline: Deadline) -> None:
        self.sock, self.deadline, self.room = sock, deadline, LONGEST_REPLY

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        if self.room <= 0:
            raise OSError("the reply is too long")
        self.sock.settimeout(self.deadline.left())
        read = self.sock.recv_into(buffer, min(len(buffer), self.room))
        self.room -= read
        return read


def open_checked(place: Place, deadline: Deadline) -> TimedSocket:
    """Connect to a permitted address of the host. Raises TargetRefused before any connection, or OSError."""
    within = Deadline(min(CONNECT_SECONDS, deadline.left()))
    found = _look_up(place.host, place.port, within)
    if not found or not all(is_permitted(ip_address(where[0]), place.networks) for _, where in found):
        raise TargetRefused("the name of its host leads to an address that is not allowed")
    sock = _connect(found, within)
    try:
        if place.secure:
            sock.settimeout(within.left())
            sock = ssl.create_default_context().wrap_socket(sock, server_hostname=place.host)
        return TimedSocket(sock, deadline)
    except BaseException:
        sock.close()
        raise


def _connect(found: list[tuple[int, Any]], within: Deadline) -> socket.socket:
    failed: OSError | None = None
    for family, where in found:
        sock = socket.socket(family, socket.SOCK_STREAM)
        try:
            sock.settimeout(within.left())
            sock.connect(where)
            return sock
        except OSError as error:
            sock.close()
            failed = error
    raise failed or OSError("no address")


def _look_up(host: str, port: int, within: Deadline) -> list[tuple[int, Any]]:
    """Family and socket address of every answer. In a thread of its own, because a look-up knows no time limit."""
    answers: queue.SimpleQueue[Any] = queue.SimpleQueue()

    def ask() -> None:
        try:
            answers.put(socket.getaddrinfo(host, port, type=socket.SOCK_STREAM))
        except (OSError, UnicodeError) as error:
            answers.put(error)

    threading.Thread(target=ask, daemon=True).start()
    try:
        answer = answers.get(timeout=within.left())
    except queue.Empty:
        raise TimeoutError("the look-up took too long") from None
    if isinstance(answer, Exception):
        raise OSError("the name was not found") from answer
    return [(family, where) for family, _, _, _, where in answer]
