"""Beat's side of the tap, in this process, with messages kept in memory."""

import logging
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from celery import Celery
from celery.beat import PersistentScheduler, Scheduler
from celery.schedules import crontab

from occurrences.tap import process, scheduler
from occurrences.tap.configuration import Configuration
from occurrences.tap.grid import Grid
from occurrences.tap.scheduler import TapPersistentScheduler, TapScheduler
from tests.tap.receiver import Receiver

MINUTE_AGO = timedelta(minutes=1)


@pytest.fixture
def app() -> Celery:
    app = Celery("inmemory", broker="memory://", set_as_current=False)
    app.conf.update(task_default_queue="demo", timezone="UTC", task_publish_retry=False)

    @app.task(name="quick", expires=90, shared=False)
    def quick() -> None:
        """Never run here."""

    app.conf.beat_schedule = {"nightly": {"task": "quick", "schedule": Grid(1)}}
    waiting(app)  # the broker in memory is one for all tests
    return app


Make = Callable[..., Any]


@pytest.fixture
def beat(tapped: Configuration, app: Celery) -> Make:
    def make(kind: type[Scheduler] = TapScheduler, **options: Any) -> Scheduler:
        made = kind(app=app, **options)
        for entry in made.schedule.values():
            entry.last_run_at = datetime.now(UTC) - MINUTE_AGO
        return made

    return make


def sent(made: Any) -> list[dict[str, Any]]:
    """The headers of the messages that beat sent."""
    return waiting(made.app)


def waiting(app: Celery) -> list[dict[str, Any]]:
    """Take what waits in the broker; returns the headers."""
    found = []
    with app.connection_for_read() as connection:
        queue = connection.SimpleQueue("demo")
        while queue.qsize():
            message = queue.get(block=False)
            message.ack()
            found.append(dict(message.headers))
        queue.close()
    return found


def tick(made: Any) -> None:
    while made.tick() == 0:
        """One entry a call, until nothing is due any more."""


def test_the_message_carries_its_identity_and_the_tick_and_enqueue_name_it(beat: Make, receiver: Receiver) -> None:
    made = beat()
    tick(made)
    (headers,) = sent(made)
    receiver.wait_for("handoff", handoff="enqueue")
    (ticked,), (enqueued,) = receiver.of("handoff", handoff="tick"), receiver.of("handoff", handoff="enqueue")
    assert headers["aglet_source"] == "celery:demo"
    assert headers["aglet_schedule"] == ticked["schedule_key"] == enqueued["schedule_key"] == "nightly"
    assert headers["aglet_due"] == ticked["due_at"] == enqueued["due_at"]
    assert headers["celery_beat_task"] is True
    assert enqueued["job_ref"] == headers["id"]
    assert enqueued["record_id"] == f"{headers['id']}/enqueue/1"
    assert ticked["record_id"] == f"nightly@{ticked['due_at']}/tick/1"
    assert "job_ref" not in ticked
    assert (ticked["due_basis"], len(ticked["collapsed"])) == ("nominal", 59)
    assert datetime.fromisoformat(enqueued["expires_at"]) == datetime.fromisoformat(headers["expires"])
    assert enqueued["queue"] == "demo"


def test_the_identity_of_one_tick_does_not_leak_into_the_entry_or_the_next_tick(beat: Make) -> None:
    made = beat()
    made.schedule["nightly"].options["headers"] = {"of": "the application"}
    tick(made)
    entry = made.schedule["nightly"]
    assert "aglet_due" not in entry.options.get("headers", {})
    assert "task_id" not in entry.options
    entry.last_run_at = datetime.now(UTC) - timedelta(seconds=2)
    made._heap = None
    tick(made)
    first, second = sent(made)
    assert first["id"] != second["id"]
    assert first["of"] == second["of"] == "the application"


def test_a_failed_enqueue_is_recorded_and_beat_sees_the_error_as_without_us(
    beat: Make, receiver: Receiver, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    made = beat()

    def refuse(*_: Any, **__: Any) -> None:
        raise PermissionError("no permission to run the 'lpush' command")

    monkeypatch.setattr(made.app.amqp, "send_task_message", refuse)
    with caplog.at_level(logging.ERROR, logger="celery.beat"):
        tick(made)
    assert "Couldn't apply scheduled task nightly" in caplog.text
    failed = receiver.wait_for("handoff", handoff="enqueue", outcome="failed")[0]
    assert failed["detail"] == {"error": "PermissionError"}
    assert failed["due_at"] == receiver.of("handoff", handoff="tick")[0]["due_at"]
    assert failed["job_ref"]
    assert not receiver.of("handoff", handoff="enqueue", outcome="ok")


def test_sending_leaves_the_schedule_with_the_application_it_belongs_to(beat: Make) -> None:
    made = beat()
    tick(made)
    assert made.schedule["nightly"].schedule._app is made.app


def test_refused_records_are_counted_in_the_process_record_at_once(
    beat: Make, receiver: Receiver, caplog: pytest.LogCaptureFixture
) -> None:
    receiver.refuse = lambda record: record["kind"] == "schedule"
    tick(beat())
    receiver.wait_for("process", state="online", refused=1, within=5)
    said = [record.getMessage() for record in caplog.records if record.name == "aglet.tap"]
    assert len(said) == 1
    assert "set aside" in said[0]


def test_an_error_of_the_tap_itself_does_not_keep_the_message_back(
    beat: Make, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    made = beat()
    monkeypatch.setattr(scheduler, "due_of", lambda *_: 1 / 0)
    tick(made)
    (headers,) = sent(made)
    assert "aglet_due" not in headers
    assert [r for r in caplog.records if r.name == "aglet.tap" and r.exc_info]
    caplog.clear()


def test_every_entry_is_told_at_the_start_and_again_only_when_it_changes(beat: Make, receiver: Receiver) -> None:
    made = beat()
    tick(made)
    (told,) = receiver.wait_for("schedule")
    assert (told["rule"], told["dialect"], told["anchor"]) == ("every 1s", "interval", "1970-01-01T00:00:00Z")
    assert told["target"] == {
        "task": "quick",
        "queue": "demo",
        "options": {"expires": 90},
        "has_arguments": False,
    }
    assert (told["expires_after"], told["catch_up"], told["enabled"], told["tz"]) == (90, "none", True, "UTC")
    made.schedule["weekly"] = made.Entry(name="weekly", task="quick", schedule=crontab(hour=3), app=made.app)
    tick(made)
    receiver.wait_for("schedule", schedule_key="weekly")
    tick(made)
    assert len(receiver.of("schedule")) == 2
    del made.schedule["nightly"]
    made._heap = None
    tick(made)
    receiver.wait_for("schedule", schedule_key="nightly", enabled=False)


def test_an_entry_that_went_away_while_beat_was_down_is_told_as_switched_off(
    beat: Make, app: Celery, receiver: Receiver
) -> None:
    made = beat()
    tick(made)
    made.close()
    process.forget()
    app.conf.beat_schedule = {"other": {"task": "quick", "schedule": Grid(60)}}
    tick(beat())
    receiver.wait_for("schedule", schedule_key="other", enabled=True)
    receiver.wait_for("schedule", schedule_key="nightly", enabled=False)


def test_arguments_leave_the_process_only_when_the_tap_is_told_so(
    beat: Make, app: Celery, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    app.conf.beat_schedule = {"paid": {"task": "quick", "schedule": Grid(60), "args": ("card 4711",)}}
    made = beat()
    tick(made)
    (told,) = receiver.wait_for("schedule")
    assert told["target"]["has_arguments"] is True
    assert "4711" not in str(receiver.records)
    made.close()
    process.forget()
    monkeypatch.setenv("AGLET_TAP_SEND_ARGUMENTS", "1")
    tick(beat())
    assert receiver.wait_for("schedule", count=2)[1]["target"]["args"] == ["card 4711"]


def test_beat_says_offline_when_it_is_closed_and_leaves_no_spool(
    beat: Make, tapped: Configuration, receiver: Receiver
) -> None:
    made = beat()
    tick(made)
    made.close()
    made.close()
    assert [r["state"] for r in receiver.of("process")] == ["online", "offline"]
    assert list(tapped.folder.glob("*/header.json")) == []


def test_the_persistent_scheduler_catches_up_and_says_so(beat: Make, receiver: Receiver, tmp_path: Path) -> None:
    made = beat(TapPersistentScheduler, schedule_filename=str(tmp_path / "beat"))
    tick(made)
    made.close()
    assert isinstance(made, PersistentScheduler)
    assert receiver.of("schedule")[0]["catch_up"] == "latest"


def test_a_scheduler_made_only_to_be_looked_at_announces_nothing(beat: Make, receiver: Receiver) -> None:
    beat(lazy=True)
    assert process.current("scheduler") is None
    assert receiver.records == []


def test_without_its_settings_the_tap_does_nothing_and_says_so_once(
    beat: Make, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, receiver: Receiver
) -> None:
    monkeypatch.delenv("AGLET_TAP_KEY")
    tick(beat())
    made = beat()
    tick(made)
    assert all("aglet_due" not in headers for headers in sent(made))
    said = [record.getMessage() for record in caplog.records if record.name == "aglet.tap"]
    assert len(said) == 1
    assert "AGLET_TAP_KEY" in said[0]
    assert receiver.records == []


def test_with_the_console_down_beat_starts_within_its_second_and_sends(beat: Make, receiver: Receiver) -> None:
    receiver.down()
    began = datetime.now(UTC)
    made = beat()
    tick(made)
    assert datetime.now(UTC) - began < timedelta(seconds=2)
    assert len(sent(made)) == 1
