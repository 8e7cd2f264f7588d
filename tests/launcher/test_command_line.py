import subprocess
import sys

import pytest

from tests.launcher.ups import ROOT, environment


def manage(*argv: str, **env: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "manage.py", *argv],
        cwd=ROOT,
        env=environment(**env),
        capture_output=True,
        text=True,
        timeout=60,
    )


@pytest.mark.parametrize("command", ["showmigrations", "show_path --latest celery:aglet", "children"])
def test_a_command_without_servers_says_what_to_do(tmp_path, command):
    said = manage(*command.split(), AGLET_DATA_DIR=str(tmp_path))
    assert said.returncode == 1
    assert "Traceback" not in said.stderr
    assert len(said.stderr.splitlines()) == 1
    assert f"`up` runs on {tmp_path}" in said.stderr.replace("manage.py up", "up")


def test_a_named_database_that_does_not_answer_is_told_from_one_that_is_not_named(tmp_path):
    said = manage("showmigrations", AGLET_DATA_DIR=str(tmp_path), DATABASE_URL="postgres://a:hidden@127.0.0.1:1/b")
    assert (said.returncode, len(said.stderr.splitlines())) == (1, 1)
    assert said.stderr.startswith("The server of DATABASE_URL does not answer: ")
    assert "hidden" not in said.stderr


@pytest.mark.parametrize("option", [["--prot", "8001"], ["--port", "0"], ["--port", "99999"], ["--port", "x"]])
def test_a_bad_option_of_up_shows_the_usage(option):
    said = manage("up", *option)
    assert said.returncode == 2
    assert said.stderr.startswith("usage: manage.py up")


def test_a_command_that_needs_no_server_runs_without_one(tmp_path):
    said = manage("check", AGLET_DATA_DIR=str(tmp_path))
    assert said.returncode == 0, said.stderr
