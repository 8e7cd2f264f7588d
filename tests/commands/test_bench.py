"""The bench measures in a database of its own and leaves nothing behind."""

import json
import os
import subprocess
import sys

import psycopg
import pytest
from django.conf import settings


def bench(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-W", "ignore", "manage.py", "bench", *arguments]
    return subprocess.run(command, cwd=settings.BASE_DIR, env=os.environ, capture_output=True, text=True, check=False)


def asked(sql: str) -> set[object]:
    with psycopg.connect(os.environ["DATABASE_URL"].replace("postgres://", "postgresql://", 1)) as live:
        return {row[0] for row in live.execute(sql).fetchall()}


def found() -> tuple[set[object], set[object]]:
    """The databases of the server, and the tables in the one that the command is told to use."""
    return asked("SELECT datname FROM pg_database"), asked("SELECT relname FROM pg_class WHERE relkind = 'r'")


def test_it_says_where_it_measures_and_drops_it_afterwards():
    before = found()
    done = bench("--only", "ingest", "--rounds", "1", "--format", "json")
    assert done.returncode == 0, done.stderr
    assert "in the scratch database aglet_bench_" in done.stderr
    document = json.loads(done.stdout)
    figures = document["figures"]
    assert [set(f) >= {"name", "unit", "rate", "against", "ratio", "ratios"} for f in figures] == [True] * 3
    assert all(f["rate"] > 0 and f["ratio"] > 0 for f in figures)
    assert len(document["load_average"]) == 2
    assert found() == before


@pytest.mark.parametrize("wrong", [["--rounds", "0"], ["--only", "everything"], ["--format", "xml"]])
def test_it_refuses_what_it_cannot_measure(wrong):
    assert bench(*wrong).returncode != 0
