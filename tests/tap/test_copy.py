"""The tap is a folder that can be copied into any Celery application."""

import ast
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path

import pytest

from tests.tap.applications import BEAT, ROOT, WORKER, Application
from tests.tap.receiver import Receiver

TAP = ROOT / "occurrences" / "tap"
RUN = "import sys; sys.path[:0] = {paths!r}; from celery.__main__ import main; main()"
DEMO = """
import os, time
from celery import Celery
from somewhere.aglet_tap.grid import Grid

app = Celery("demo", broker=os.environ["DEMO_BROKER"])
app.conf.update(task_ignore_result=True, beat_max_loop_interval=0.2, task_default_queue="demo",
                broker_transport_options={"global_keyprefix": os.environ["DEMO_PREFIX"]})

@app.task(name="quick")
def quick():
    for name in ("django", "occurrences", "aglet_recovery", "psycopg"):
        try:
            __import__(name)
        except ImportError:
            continue
        raise AssertionError(name)

app.conf.beat_schedule = {"quick": {"task": "quick", "schedule": Grid(1)}}
"""


def needed(name: str, seen: set[str]) -> Iterator[metadata.Distribution]:
    """A distribution and everything it needs, without extras."""
    if name.lower() in seen:
        return
    seen.add(name.lower())
    try:
        found = metadata.distribution(name)
    except metadata.PackageNotFoundError:
        return
    yield found
    for requirement in found.requires or []:
        if "extra ==" not in requirement:
            yield from needed(re.split(r"[^A-Za-z0-9._-]", requirement)[0], seen)


@pytest.fixture
def only_celery(tmp_path: Path) -> Path:
    """A folder with links to Celery, its client for the broker, and what these need: nothing else."""
    site = tmp_path / "site"
    site.mkdir()
    for name in ("celery", "redis", "packaging"):  # the last one is for kombu's client of Redis
        for distribution in needed(name, set()):
            for file in distribution.files or []:
                top = file.parts[0]
                target = Path(str(distribution.locate_file(top)))
                if top not in ("..", "__pycache__") and not (site / top).exists() and target.exists():
                    (site / top).symlink_to(target)
    return site


def test_a_copy_of_the_folder_works_where_only_celery_can_be_imported(
    application: Application, receiver: Receiver, only_celery: Path, tmp_path: Path
) -> None:
    home = tmp_path / "home"
    shutil.copytree(TAP, home / "somewhere" / "aglet_tap", ignore=shutil.ignore_patterns("__pycache__"))
    (home / "somewhere" / "__init__.py").touch()
    (home / "copied.py").write_text(DEMO)
    script = RUN.format(paths=[str(home), str(only_celery)])
    arguments = {
        "worker": [word.replace("occurrences.tap", "somewhere.aglet_tap") for word in WORKER],
        "beat": [word.replace("occurrences.tap", "somewhere.aglet_tap") for word in BEAT],
    }
    for name, words in arguments.items():
        with application.log(name).open("wb") as log:
            application.running[name] = subprocess.Popen(
                [sys.executable, "-I", "-S", "-c", script, "-A", "copied", *words, "-l", "INFO"],
                env={**application.environment, "PYTHONPATH": ""},
                cwd=home,
                stdout=log,
                stderr=subprocess.STDOUT,
            )
    end = receiver.wait_for("handoff", handoff="terminal")[0]
    assert end["outcome"] == "succeeded", application.text("worker")
    assert application.end("beat") == 0
    assert application.end("worker") == 0
    handoffs = {record["handoff"] for record in receiver.of("handoff")}
    assert handoffs == {"tick", "enqueue", "claim", "start", "terminal"}


@pytest.mark.parametrize("path", sorted(TAP.glob("*.py")), ids=lambda path: path.name)
def test_it_imports_nothing_but_the_standard_library_celery_and_itself(path: Path) -> None:
    allowed = sys.stdlib_module_names | {"celery"}
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            assert {alias.name.partition(".")[0] for alias in node.names} <= allowed
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            assert str(node.module).partition(".")[0] in allowed


def test_the_folder_of_the_spool_is_private(application: Application, receiver: Receiver) -> None:
    application.start("beat", BEAT)
    receiver.wait_for("process")
    for path in (application.spool / "celery:demo").rglob("*"):
        assert path.stat().st_mode & 0o077 == 0 or path.name in ("header.json", "shipped.json", "schedules.json")
    assert os.stat(application.spool / "celery:demo").st_mode & 0o077 == 0
