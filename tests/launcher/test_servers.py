"""Real servers, started the three ways there are."""

import os
import shutil
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import environ
import psycopg
import pytest
from kombu import Connection
from redis import Redis

from aglet_recovery.launcher import accounts, binaries, places, postgres, valkey
from aglet_recovery.launcher.errors import LaunchError
from aglet_recovery.launcher.places import Places
from aglet_recovery.launcher.spawning import OURSELVES, Account, spawn

as_root = pytest.mark.skipif(os.geteuid() != 0, reason="changing the user needs root")
LONG = "a-folder-with-a-long-name/" * 5


@pytest.fixture
def shared(tmp_path_factory, monkeypatch) -> Path:
    """The place outside the data folder, where everybody may pass."""
    folder = Path(subprocess.check_output(["mktemp", "-d"], text=True).strip())
    folder.chmod(0o755)
    monkeypatch.setattr(places, "SHARED_STATE", folder / "shared")
    yield folder
    subprocess.run(["rm", "-rf", str(folder)], check=True)


def settled(data_dir: Path, account: Account) -> Places:
    places.make_data_dir(data_dir)
    return places.settle(data_dir, pg_bin=binaries.postgres_bin(), account=account)


def start_and_stop(where: Places) -> str:
    """Run PostgreSQL once; return what it says its data folder is."""
    postgres.make_cluster(where, options=("--no-sync",))
    process = spawn(postgres.program(where, env=dict(os.environ)), output=subprocess.DEVNULL)
    try:
        postgres.wait_until_ready(where, alive=lambda: process.poll() is None, pause=time.sleep)
        with psycopg.connect(host=str(where.pg_sockets), user="aglet", dbname="aglet") as connection:
            said, encoding, collation = connection.execute(
                "SELECT current_setting('data_directory'), current_setting('server_encoding'), datcollate"
                " FROM pg_database WHERE datname = 'aglet'"
            ).fetchone()
        assert (encoding, collation) == ("UTF8", "C.UTF-8")
        return said
    finally:
        process.send_signal(postgres.STOP_SIGNAL)
        assert process.wait(timeout=20) == 0


def chosen(data_dir: Path) -> Account:
    data_dir.mkdir(exist_ok=True, parents=True)
    return accounts.choose(bin_dir=binaries.postgres_bin(), data_dir=data_dir)


def test_postgres_starts_twice_on_one_folder(tmp_path):
    where = settled(tmp_path, chosen(tmp_path))
    assert start_and_stop(where) == start_and_stop(where) == str(tmp_path / "pg")
    assert where.pg_sockets.stat().st_mode & 0o777 == 0o700


@pytest.mark.parametrize("folder", [LONG, "one,two"])
def test_a_path_no_socket_takes_gets_a_short_socket_folder_that_goes_away(tmp_path, folder):
    data_dir = tmp_path / folder
    where = settled(data_dir, chosen(data_dir))
    assert len(str(where.pg_sockets)) < 90
    assert start_and_stop(where) == str(data_dir / "pg")
    places.clear(where)
    assert not where.sockets.exists()


@as_root
def test_the_user_nobody_gets_a_copy_of_the_server_once_and_a_place_it_can_reach(tmp_path, shared):
    tmp_path.chmod(0o700)
    data_dir = tmp_path / "data"
    first = settled(data_dir, accounts.nobody())
    if accounts.can(accounts.nobody(), "-x", binaries.postgres_bin() / "postgres"):
        assert first.pg_bin == binaries.postgres_bin()
    else:
        assert first.pg_bin.is_relative_to(places.SHARED_STATE)
    assert start_and_stop(first).startswith(str(places.SHARED_STATE))
    made = first.pg_bin.stat().st_mtime_ns, first.pg_bin.stat().st_ino
    places.clear(first)
    second = settled(data_dir, accounts.nobody())
    assert (second.pg_bin.stat().st_mtime_ns, second.pg_bin.stat().st_ino) == made
    start_and_stop(second)
    places.clear(second)
    assert tmp_path.stat().st_mode & 0o777 == 0o700


@as_root
def test_a_server_in_a_closed_folder_is_copied_for_the_user_nobody(tmp_path, shared):
    closed = tmp_path / "closed"
    package = binaries.postgres_bin().parent.parent
    closed.mkdir(mode=0o700)
    for part in (package, package.with_name(package.name + ".libs")):
        subprocess.run(["cp", "-a", str(part), str(closed)], check=True)
    data_dir = shared / "data"
    places.make_data_dir(data_dir)
    where = places.settle(data_dir, pg_bin=closed / package.name / "pginstall" / "bin", account=accounts.nobody())
    assert where.pg_bin.is_relative_to(data_dir)
    assert start_and_stop(where) == str(data_dir / "pg")


@as_root
def test_a_new_data_folder_never_meets_the_database_of_an_old_one(tmp_path, shared):
    tmp_path.chmod(0o700)
    first = settled(tmp_path / "data", accounts.nobody())
    shutil.rmtree(tmp_path / "data")
    second = settled(tmp_path / "data", accounts.nobody())
    assert first.pg_data != second.pg_data
    places.clear(first)
    places.clear(second)


@as_root
def test_a_database_made_in_the_data_folder_moves_when_its_user_cannot_reach_it(tmp_path, shared):
    tmp_path.chmod(0o700)
    inside = settled(tmp_path / "data", chosen(tmp_path / "data"))
    start_and_stop(inside)
    outside = settled(tmp_path / "data", accounts.nobody())
    assert inside.pg_data.readlink() == outside.pg_data
    assert start_and_stop(outside) == str(outside.pg_data)
    back = settled(tmp_path / "data", chosen(tmp_path / "data"))
    assert start_and_stop(back) == str(outside.pg_data)
    places.clear(outside)
    places.clear(back)


def test_a_folder_of_another_version_is_refused(tmp_path):
    where = settled(tmp_path, OURSELVES)
    where.pg_data.mkdir()
    (where.pg_data / "PG_VERSION").write_text("9.6\n")
    with pytest.raises(LaunchError, match=r"made by PostgreSQL 9\.6.*pg_dump"):
        postgres.make_cluster(where)


def test_an_interrupted_initdb_does_not_pass_for_a_database(tmp_path):
    where = settled(tmp_path, chosen(tmp_path))
    (tmp_path / "pg.half" / "base").mkdir(parents=True)
    start_and_stop(where)


def test_a_lock_file_whose_number_went_to_a_stranger_is_removed(tmp_path):
    where = settled(tmp_path, OURSELVES)
    where.pg_data.mkdir()
    lock = where.pg_data / "postmaster.pid"
    lock.write_text(f"{os.getpid()}\n{where.pg_data}\n")
    postgres.forget_dead_postmaster(where)
    assert not lock.exists()


def test_an_installed_server_stands_in_for_the_wheel(tmp_path, monkeypatch):
    (tmp_path / "postgres").touch()
    monkeypatch.setenv("AGLET_POSTGRES_BIN", str(tmp_path))
    assert binaries.postgres_bin() == tmp_path
    monkeypatch.setenv("AGLET_POSTGRES_BIN", str(tmp_path / "no"))
    with pytest.raises(LaunchError, match="AGLET_POSTGRES_BIN"):
        binaries.postgres_bin()


@pytest.fixture
def broker(tmp_path) -> Iterator[Places]:
    where = settled(tmp_path / "mit Leerzeichen ä", OURSELVES)
    process = spawn(valkey.program(where, server=binaries.valkey_server(), env=dict(os.environ)), output=None)
    valkey.wait_until_ready(where, alive=lambda: process.poll() is None, pause=time.sleep)
    yield where
    process.send_signal(signal.SIGTERM)
    assert process.wait(timeout=10) == 0


def test_valkey_listens_on_its_private_socket_alone_and_never_drops_a_message(broker):
    with Redis(unix_socket_path=str(broker.valkey_socket)) as client:
        config = client.config_get("*")
    assert (config["port"], config["maxmemory-policy"], config["save"]) == ("0", "noeviction", "")
    assert broker.valkey_socket.stat().st_mode & 0o777 == 0o700


def test_celery_reaches_the_broker_by_an_address_with_a_space_and_an_umlaut(broker):
    with Connection(valkey.redis_url(broker)) as connection, connection.channel() as channel:
        assert channel.client.ping()


def test_django_reaches_the_database_by_an_address_with_a_space_and_an_umlaut(tmp_path):
    where = settled(tmp_path / "mit Leerzeichen ä", OURSELVES)
    options = environ.Env.db_url_config(postgres.database_url(where))["OPTIONS"]
    assert options["host"] == str(where.pg_sockets)
