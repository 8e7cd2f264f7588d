"""Every scenario produced for real, and found again in the evidence the tap sent."""

import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from occurrences.lab.control import Control
from occurrences.lab.scenarios import play
from occurrences.management.commands.lab import NAMES
from tests.lab.stage import Stage
from tests.tap.receiver import Receiver


@pytest.fixture(scope="module")
def stage(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stage]:
    receiver = Receiver()
    stage = Stage(tmp_path_factory.mktemp("lab"), receiver)
    for name in ("lab-worker", "lab-beat"):
        stage.start(name)
    receiver.wait_for("handoff", handoff="terminal")
    yield stage
    stage.close()
    receiver.down()


def produce(stage: Stage, name: str, away: float | None = None, signal: str = "TERM") -> list[str]:
    """Play a scenario; returns the identities it printed."""
    control = Control(stage.data_dir)
    produced = play(name, control=control, say=lambda text: None, away=away, signal=signal)
    stage.receiver.wait_for("handoff", handoff="terminal", count=len(outcomes(stage, "terminal")) + 2, within=30)
    return produced.identities


def outcomes(stage: Stage, handoff: str) -> dict[str, list[str]]:
    """The outcomes of one handoff by identity."""
    found: dict[str, list[str]] = {}
    for record in stage.receiver.of("handoff", handoff=handoff):
        identity = f"{record['source']}/{record['schedule_key']}@{record['due_at']}"
        found.setdefault(identity, []).append(record["outcome"])
    return found


def test_available_worker_ends_in_a_success(stage: Stage) -> None:
    (identity,) = produce(stage, "available-worker")
    for handoff, outcome in (("tick", "ok"), ("enqueue", "ok"), ("claim", "ok"), ("terminal", "succeeded")):
        assert outcomes(stage, handoff)[identity] == [outcome]


def test_missed_enqueue_ticks_and_is_refused_by_the_broker(stage: Stage) -> None:
    for identity in produce(stage, "missed-enqueue", away=6):
        assert outcomes(stage, "tick")[identity] == ["ok"]
        assert outcomes(stage, "enqueue")[identity] == ["failed"]
        assert identity not in outcomes(stage, "claim")


def test_delayed_worker_is_enqueued_in_time_and_claimed_late(stage: Stage) -> None:
    for identity in produce(stage, "delayed-worker", away=11):
        assert outcomes(stage, "enqueue")[identity] == ["ok"]
        assert outcomes(stage, "claim")[identity] == ["ok"]


def test_expired_before_claim_was_never_claimed(stage: Stage) -> None:
    for identity in produce(stage, "expired-before-claim", away=12):
        assert outcomes(stage, "expiration")[identity] == ["ok"]
        assert identity not in outcomes(stage, "claim")


def test_killed_mid_run_started_and_never_ended(stage: Stage) -> None:
    (identity,) = produce(stage, "killed-mid-run", away=1)
    assert outcomes(stage, "start")[identity] == ["ok"]
    assert identity not in outcomes(stage, "terminal")
    assert stage.receiver.of("process", role="workers", state="lost")


def test_missed_tick_leaves_no_record_at_all(stage: Stage) -> None:
    for identity in produce(stage, "missed-tick", away=6, signal="KILL"):
        assert identity not in outcomes(stage, "tick")
    assert stage.receiver.of("process", role="scheduler", state="lost")


def test_the_command_says_what_to_look_for(stage: Stage, capsys: pytest.CaptureFixture[str]) -> None:
    call_command("lab", "available-worker", data_dir=stage.data_dir)
    text = capsys.readouterr().out
    assert "The console should show: On time" in text
    assert "celery:lab/invoice-rollup@" in text


def test_an_away_time_too_short_for_any_due_time_is_said(stage: Stage) -> None:
    with pytest.raises(CommandError, match="longer --away"):
        call_command("lab", "delayed-worker", data_dir=stage.data_dir, away=0.0)
    time.sleep(0.1)
    assert Control(stage.data_dir).is_running("lab-worker")


def test_without_a_running_lab_the_command_says_what_to_start(tmp_path: Path) -> None:
    with pytest.raises(CommandError, match="up --lab"):
        call_command("lab", NAMES[0], data_dir=tmp_path)
