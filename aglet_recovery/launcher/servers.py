"""Which PostgreSQL and which Redis-protocol server this start uses: our own, or those of the environment."""

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from aglet_recovery.launcher import accounts, binaries, places, postgres, valkey
from aglet_recovery.launcher.errors import LaunchError
from aglet_recovery.launcher.places import Places
from aglet_recovery.launcher.processes import Children
from aglet_recovery.launcher.spawning import OURSELVES


@dataclass(frozen=True, slots=True, kw_only=True)
class Servers:
    """The addresses in use. `own_*` is the same address when the server is ours, else None."""

    places: Places
    database_url: str
    redis_url: str
    own_database_url: str | None
    own_redis_url: str | None

    def environment(self) -> dict[str, str]:
        return {"DATABASE_URL": self.database_url, "REDIS_URL": self.redis_url}


def choose(data_dir: Path) -> Servers:
    """Return the servers for this start, with the folders they need; nothing is started yet.

    Raises LaunchError when one is needed and no program for it is installed.
    """
    database, redis = os.environ.get("DATABASE_URL"), os.environ.get("REDIS_URL")
    where = _without_database(data_dir) if database else _with_database(data_dir)
    own_database = None if database else postgres.database_url(where)
    own_redis = None if redis else valkey.redis_url(where)
    return Servers(
        places=where,
        database_url=database or str(own_database),
        redis_url=redis or str(own_redis),
        own_database_url=own_database,
        own_redis_url=own_redis,
    )


def start(servers: Servers, children: Children, *, stopped: Callable[[], bool]) -> None:
    """Start the servers that are ours and wait until they answer. Raises LaunchError."""
    env = dict(os.environ)
    where = servers.places
    if servers.own_database_url:
        # First, because it is what may refuse.
        postgres.make_cluster(where)
    if servers.own_redis_url:
        children.start(valkey.program(where, server=binaries.valkey_server(), env=env))
    else:
        _check_broker(servers.redis_url)
    if servers.own_database_url:
        postgres.forget_dead_postmaster(where)
        children.start(postgres.program(where, env=env))
        postgres.wait_until_ready(
            where, alive=lambda: children.is_alive("postgres") and not stopped(), pause=children.rest
        )
    if servers.own_redis_url:
        valkey.wait_until_ready(where, alive=lambda: children.is_alive("valkey"), pause=children.rest)


def in_words(servers: Servers) -> list[str]:
    """Say which servers are used and why, without user names and passwords."""
    said = []
    if servers.own_database_url is None:
        said.append(f"uses the PostgreSQL of DATABASE_URL ({_place(servers.database_url)}) and starts none.")
    elif servers.places.pg_data.parent != servers.places.data_dir:
        said.append(f"keeps the database in {servers.places.pg_data}, where PostgreSQL's own user can reach it.")
    if servers.own_redis_url is None:
        said.append(f"uses the broker of REDIS_URL ({_place(servers.redis_url)}) and starts none.")
    return said


def _with_database(data_dir: Path) -> Places:
    bin_dir = binaries.postgres_bin()
    account = accounts.choose(bin_dir=bin_dir, data_dir=data_dir)
    return places.settle(data_dir, pg_bin=bin_dir, account=account)


def _without_database(data_dir: Path) -> Places:
    # The sockets of the broker and of `up` itself still need their folder.
    return places.settle(data_dir, pg_bin=Path("none"), account=OURSELVES)


def _check_broker(url: str) -> None:
    from kombu import Connection
    from kombu.exceptions import OperationalError

    try:
        with Connection(url, connect_timeout=5) as connection:  # type: ignore[no-untyped-call]
            connection.ensure_connection(max_retries=1, interval_start=0.1, timeout=10)
    except (OperationalError, OSError) as error:
        raise LaunchError(f"The broker of REDIS_URL ({_place(url)}) does not answer: {error}") from error


def _place(url: str) -> str:
    parts = urlsplit(url)
    return f"{parts.hostname or ''}{f':{parts.port}' if parts.port else ''}{parts.path}" or "unnamed"
