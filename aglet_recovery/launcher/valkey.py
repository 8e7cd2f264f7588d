"""The Redis-protocol server on a Unix socket. It holds a queue, never the truth, so nothing is kept."""

import socket
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from urllib.parse import quote

from aglet_recovery.launcher.errors import LaunchError
from aglet_recovery.launcher.places import Places
from aglet_recovery.launcher.spawning import Program

READY_SECONDS = 30


def redis_url(places: Places) -> str:
    """Return the address for `REDIS_URL`, in the form that Celery reads."""
    return f"redis+socket://{quote(str(places.valkey_socket))}?virtual_host=0"


def program(places: Places, *, server: Path, env: Mapping[str, str]) -> Program:
    """Return the server as a program to start. It refuses to drop messages when memory runs out."""
    places.valkey_socket.unlink(missing_ok=True)
    settings = {
        "port": "0",
        "unixsocket": str(places.valkey_socket),
        "unixsocketperm": "700",
        "dir": str(places.data_dir / "valkey"),
        "save": "",
        "appendonly": "no",
        "maxmemory-policy": "noeviction",
        "daemonize": "no",
        "loglevel": "warning",
    }
    argv = [str(server)]
    for key, value in settings.items():
        argv += [f"--{key}", value]
    return Program(name="valkey", argv=argv, env=env, cwd=places.data_dir / "valkey")


def wait_until_ready(places: Places, *, alive: Callable[[], bool], pause: Callable[[float], None]) -> None:
    """Wait until the server answers a ping. Raises LaunchError."""
    deadline = time.monotonic() + READY_SECONDS
    while time.monotonic() < deadline:
        if _answers(places.valkey_socket):
            return
        if not alive():
            raise LaunchError("Valkey ended while it started; its own lines above say why.")
        pause(0.02)
    raise LaunchError(f"Valkey did not answer within {READY_SECONDS} s.")


def _answers(path: Path) -> bool:
    with socket.socket(socket.AF_UNIX) as probe:
        probe.settimeout(2)
        try:
            probe.connect(str(path))
            probe.sendall(b"PING\r\n")
            return probe.recv(16).startswith(b"+PONG")
        except OSError:
            return False
