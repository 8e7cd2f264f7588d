"""PostgreSQL from a `bin` folder: make the cluster once, start it on a Unix socket, wait for it."""

import contextlib
import os
import shutil
import signal
import subprocess
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from urllib.parse import quote

from aglet_recovery.launcher import accounts
from aglet_recovery.launcher.binaries import major_version
from aglet_recovery.launcher.errors import LaunchError
from aglet_recovery.launcher.places import Places
from aglet_recovery.launcher.spawning import Program

NAME = "aglet"
READY_SECONDS = 60
# A fast shutdown: sessions are ended, nothing is lost, no recovery at the next start.
STOP_SIGNAL = signal.SIGINT


def database_url(places: Places) -> str:
    """Return the address for `DATABASE_URL`; the folder of the socket stands in the query."""
    return f"postgres://{NAME}@/{NAME}?host={quote(str(places.pg_sockets))}"


def make_cluster(places: Places, *, options: tuple[str, ...] = ()) -> None:
    """Make the database cluster if there is none. Raises LaunchError, also when it is of another version."""
    version_file = places.pg_data / "PG_VERSION"
    if version_file.exists():
        _refuse_other_version(places, version_file.read_text().strip())
        accounts.give(places.pg_data, places.account)
        return
    # Made aside and renamed: an interrupted initdb must not pass for a cluster at the next start.
    half = places.pg_data.with_name("pg.half")
    shutil.rmtree(half, ignore_errors=True)
    half.mkdir(mode=0o700)
    accounts.give(half, places.account)
    _initdb(places, half, options)
    half.rename(places.pg_data)


def program(places: Places, *, env: Mapping[str, str], options: tuple[str, ...] = ()) -> Program:
    """Return the server as a program to start, on its socket alone."""
    settings = {"listen_addresses": "", "unix_socket_permissions": "0700", "port": "5432"}
    argv = [str(places.pg_bin / "postgres"), "-D", str(places.pg_data), "-k", str(places.pg_sockets)]
    for key, value in settings.items():
        argv += ["-c", f"{key}={value}"]
    return Program(
        name="postgres",
        argv=[*argv, *options],
        env=server_env(env),
        cwd=places.pg_data,
        account=places.account,
        death_signal=STOP_SIGNAL,
    )


def server_env(env: Mapping[str, str]) -> dict[str, str]:
    """Return `env` without what would steer PostgreSQL's programs to another server or locale."""
    kept = {key: value for key, value in env.items() if not key.startswith(("PG", "LC_", "AGLET_TAP_"))}
    return kept | {"LANG": "C.UTF-8"}


def wait_until_ready(places: Places, *, alive: Callable[[], bool], pause: Callable[[float], None]) -> None:
    """Wait until the server answers, then make sure that our database is there. Raises LaunchError."""
    import psycopg

    deadline = time.monotonic() + READY_SECONDS
    while time.monotonic() < deadline:
        with contextlib.suppress(psycopg.OperationalError):
            _make_database(places)
            return
        if not alive():
            raise LaunchError("PostgreSQL ended while it started; its own lines above say why.")
        pause(0.03)
    raise LaunchError(f"PostgreSQL did not answer within {READY_SECONDS} s.")


def forget_dead_postmaster(places: Places) -> None:
    """Remove a lock file whose number now belongs to a stranger; stop the postmaster when it still lives."""
    lock = places.pg_data / "postmaster.pid"
    try:
        pid = int(lock.read_text().split("\n", 1)[0])
    except (OSError, ValueError):
        return
    if not _works_in(pid, places.pg_data):
        lock.unlink(missing_ok=True)
        return
    os.kill(pid, STOP_SIGNAL)
    deadline = time.monotonic() + 10
    while _works_in(pid, places.pg_data) and time.monotonic() < deadline:
        time.sleep(0.05)


def _works_in(pid: int, folder: Path) -> bool:
    try:
        return Path(f"/proc/{pid}/cwd").samefile(folder)
    except OSError:
        return False


def _refuse_other_version(places: Places, written: str) -> None:
    ours = major_version(places.pg_bin)
    if written != ours:
        raise LaunchError(
            f"The database in {places.pg_data} was made by PostgreSQL {written}, "
            f"and this is PostgreSQL {ours}. "
            f"Start it once with AGLET_POSTGRES_BIN naming the bin folder of a PostgreSQL {written}, dump it "
            "with pg_dump, and restore it into a new data folder."
        )


def _initdb(places: Places, folder: Path, options: tuple[str, ...]) -> None:
    argv = [str(places.pg_bin / "initdb"), "-D", str(folder), "-U", NAME, "-A", "trust", "-E", "UTF8"]
    done = subprocess.run(
        [*places.account.prefix, *argv, "--locale=C.UTF-8", *options],
        env=server_env(os.environ),
        cwd=folder,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        **places.account.popen_arguments(),
    )
    if done.returncode != 0:
        raise LaunchError(f"initdb could not make the database: {done.stderr.strip() or done.stdout.strip()}")


def _make_database(places: Places) -> None:
    import psycopg

    with psycopg.connect(
        host=str(places.pg_sockets),
        port=5432,
        user=NAME,
        dbname="postgres",
        connect_timeout=5,
        autocommit=True,
    ) as connection:
        row = connection.execute("SELECT 1 FROM pg_database WHERE datname = %s", [NAME]).fetchone()
        if row is None:
            connection.execute(f'CREATE DATABASE "{NAME}"')
