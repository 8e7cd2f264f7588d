import os
import subprocess
from pathlib import Path

import pytest

from aglet_recovery.launcher import living, registry
from aglet_recovery.launcher.found import default_data_dir, found


def write(data_dir: Path, **other: str | None) -> None:
    (data_dir / "run").mkdir(exist_ok=True)
    known = {"database_url": "postgres://a", "redis_url": None, "base_url": "http://127.0.0.1:8000"}
    registry.write_servers(data_dir, sockets=data_dir / "run", **(known | other))


def test_servers_of_a_running_up_are_found(tmp_path):
    write(tmp_path)
    servers = found(tmp_path)
    assert servers.database_url == "postgres://a"
    assert servers.redis_url is None
    assert servers.sockets == tmp_path / "run"


def test_servers_of_a_killed_up_are_not_found(tmp_path, monkeypatch):
    with subprocess.Popen(["sleep", "60"]) as process:
        monkeypatch.setattr(os, "getpid", lambda: process.pid)
        write(tmp_path)
        assert found(tmp_path) is not None
        process.kill()
    assert found(tmp_path) is None


@pytest.mark.parametrize("content", ["", "{", "[]", "{}", '{"up": 3, "sockets": "/x"}'])
def test_a_damaged_file_reads_as_nothing_found(tmp_path, content):
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "servers.json").write_text(content)
    assert found(tmp_path) is None


def test_only_its_owner_reads_the_addresses(tmp_path):
    write(tmp_path)
    assert (tmp_path / "run" / "servers.json").stat().st_mode & 0o777 == 0o600


def test_the_lab_keeps_its_data_apart(monkeypatch):
    monkeypatch.delenv("AGLET_DATA_DIR")
    assert (default_data_dir().name, default_data_dir(lab=True).name) == (".aglet", ".aglet-lab")
    monkeypatch.setenv("AGLET_DATA_DIR", "elsewhere")
    assert default_data_dir(lab=True) == Path.cwd() / "elsewhere"


def test_a_mark_that_was_written_is_read_back(tmp_path):
    (tmp_path / "run").mkdir()
    known = living.mark(os.getpid())
    registry.write_children(tmp_path, {"beat": known})
    assert registry.read_children(tmp_path) == {"beat": known}
    (tmp_path / "run" / "children.json").write_text('{"beat": {"pid": 1}}')
    assert registry.read_children(tmp_path) == {}
