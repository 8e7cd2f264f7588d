"""`manage.py up` as a person meets it: real processes, real signals."""

import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from aglet_recovery.launcher import living, registry
from tests.launcher.ups import ROOT, Up, environment, free_port

LONG = "a-folder-with-a-long-name/" * 5


@pytest.fixture(scope="module")
def running(tmp_path_factory) -> Iterator[Up]:
    up = Up(tmp_path_factory.mktemp("up") / LONG)
    up.wait_until_started()
    yield up
    up.stop()


def manage(up: Up, *argv: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "manage.py", *argv],
        cwd=ROOT,
        env=environment(AGLET_DATA_DIR=str(up.data_dir)),
        capture_output=True,
        text=True,
        timeout=60,
    )


def test_every_process_starts_and_the_first_admin_gets_a_link(running):
    assert set(registry.read_children(running.data_dir)) == {"postgres", "valkey", "web", "worker", "beat"}
    assert running.address in running.text()
    assert len(re.findall(r"once, within a day: http://127\.0\.0\.1:\d+/\S+", running.text())) == 1


def test_the_key_of_the_own_source_is_on_no_command_line_and_in_no_file(running):
    key = running.environment_of("beat")["AGLET_TAP_KEY"]
    lines = [
        Path(f"/proc/{mark.pid}/cmdline").read_bytes() for mark in registry.read_children(running.data_dir).values()
    ]
    assert key
    assert not any(key.encode() in line for line in lines)
    found = subprocess.run(["grep", "-rlaF", key, str(running.data_dir)], capture_output=True)
    assert found.stdout == b""


def test_a_second_up_on_the_same_folder_says_so_and_leaves_the_first_alone(running):
    second = manage(running, "up", "--port", str(free_port()))
    assert second.returncode == 1
    assert f"Another `up` (process {running.process.pid}) runs on {running.data_dir}" in second.stderr
    assert running.answers()


def test_a_taken_port_is_named_with_the_way_out(running, tmp_path):
    refused = manage(running, "up", "--data-dir", str(tmp_path), "--port", str(running.port))
    assert refused.returncode == 1
    assert re.search(rf"Port {running.port} on 127.0.0.1 cannot be used .*--port", refused.stderr)
    assert "Traceback" not in refused.stderr


def test_other_commands_find_the_servers_through_the_data_folder(running):
    shown = manage(running, "showmigrations", "--plan", "occurrences")
    assert shown.returncode == 0, shown.stderr
    assert "[X]  occurrences.0001_initial" in shown.stdout


def test_a_child_is_ended_and_started_again_on_request(running):
    listed = manage(running, "children")
    assert re.search(r"^beat +\d+ +running$", listed.stdout, re.M)
    ended = manage(running, "children", "stop", "beat", "--signal", "KILL")
    assert re.search(r"^beat +\d+ +ended +exit -9$", ended.stdout, re.M)
    assert re.search(r"^worker +\d+ +running$", ended.stdout, re.M)
    started = manage(running, "children", "start", "beat")
    assert re.search(r"^beat +\d+ +running$", started.stdout, re.M)
    refused = manage(running, "children", "start", "beat")
    assert (refused.returncode, refused.stderr) == (1, "beat runs already.\n")


def test_a_child_that_ends_by_itself_is_reported_and_stays_away(running):
    worker = registry.read_children(running.data_dir)["worker"]
    living.kill(worker.pid)
    running.wait_for("worker ended by itself (signal SIGKILL)")
    assert running.answers()
    assert not living.is_alive(registry.read_children(running.data_dir)["worker"])
    assert manage(running, "children", "start", "worker").returncode == 0


def test_servers_of_the_environment_are_named_without_their_passwords_and_none_is_started(tmp_path):
    named = {name: os.environ[name] for name in ("DATABASE_URL", "REDIS_URL")}
    up = Up(tmp_path, **named)
    up.wait_until_started()
    assert set(registry.read_children(tmp_path)) == {"web", "worker", "beat"}
    assert "uses the PostgreSQL of DATABASE_URL (/aglet) and starts none." in up.text()
    assert "uses the broker of REDIS_URL (" in up.text()
    up.stop()
    assert not (tmp_path / "pg").exists()


@pytest.mark.parametrize(
    "named", [{"DATABASE_URL": "postgres://me:hidden@127.0.0.1:1/x"}, {"REDIS_URL": "redis://:hidden@127.0.0.1:1/0"}]
)
def test_a_server_of_the_environment_that_does_not_answer_is_a_sentence(tmp_path, named):
    up = Up(tmp_path, **named)
    assert up.process.wait(timeout=60) == 1
    assert "does not answer" in up.text()
    assert "Traceback" not in up.text()
    assert "hidden" not in up.text()


@dataclass(frozen=True)
class Stopped:
    """A folder whose `up` was started with SIGINT ignored and stopped with SIGINT all the same."""

    up: Up
    code: int
    text: str
    marks: dict[str, living.Mark]


@pytest.fixture(scope="module")
def stopped(tmp_path_factory) -> Stopped:
    up = Up(tmp_path_factory.mktemp("twice"), before="trap '' INT; ")
    up.wait_until_started()
    marks = registry.read_children(up.data_dir)
    up.process.send_signal(signal.SIGINT)
    code = up.process.wait(timeout=60)
    left = sorted(path.name for path in (up.data_dir / "run").iterdir())
    assert left == ["pg", "up.lock"]
    return Stopped(up=up, code=code, text=up.text(), marks=marks)


@dataclass(frozen=True)
class TakenOver:
    """A killed `up`, a leftover of it that got no parent-death signal, and the `up` that came after."""

    killed: dict[str, living.Mark]
    stray: int
    up: Up


@pytest.fixture(scope="module")
def taken_over(stopped) -> Iterator[TakenOver]:
    up = Up(stopped.up.data_dir)
    up.wait_until_started()
    assert "within a day" not in up.text()
    marks = registry.read_children(up.data_dir)
    with subprocess.Popen(["sleep", "600"], start_new_session=True) as stray:
        # Reaped as init would reap an orphan.
        threading.Thread(target=stray.wait, daemon=True).start()
        registry.write_children(up.data_dir, marks | {"beat": living.mark(stray.pid)})
        up.process.kill()
        up.process.wait()
        after = Up(up.data_dir, port=up.port)
        after.wait_until_started()
    yield TakenOver(killed=marks, stray=stray.pid, up=after)
    after.stop()


def alive(marks: dict[str, living.Mark]) -> list[str]:
    return [name for name, mark in marks.items() if living.session_members(mark)]


def test_ctrl_c_stops_in_order_though_it_was_ignored_at_the_start(stopped):
    assert stopped.code == 0
    assert alive(stopped.marks) == []
    assert stopped.text.rstrip().endswith("stopped")
    assert "ended by itself" not in stopped.text


def test_after_a_kill_the_next_start_stops_what_was_left_and_takes_over(taken_over):
    assert f"left running: beat (process {taken_over.stray})" in taken_over.up.text()
    assert alive(taken_over.killed) == []


def test_a_second_signal_ends_everything_at_once(taken_over):
    up = taken_over.up
    marks = registry.read_children(up.data_dir)
    # A worker that does not answer would hold up an orderly stop.
    os.kill(marks["worker"].pid, signal.SIGSTOP)
    up.process.send_signal(signal.SIGTERM)
    up.wait_for("| stopping\n")  # the whole line: its start also says what was left running
    up.process.send_signal(signal.SIGTERM)
    assert up.process.wait(timeout=5) == 130
    deadline = time.monotonic() + 5
    while alive(marks):
        assert time.monotonic() < deadline
        time.sleep(0.05)
