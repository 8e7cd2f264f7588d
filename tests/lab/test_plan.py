"""The plan of the practice application."""

from datetime import UTC, datetime

from occurrences.lab.app import app
from occurrences.lab.plan import JOBS, ROLLUP

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)


def test_the_next_due_is_later_than_the_moment_asked_for() -> None:
    assert ROLLUP.next_due(NOON) == NOON.replace(second=5)


def test_the_dues_of_a_stretch_leave_its_end_out() -> None:
    assert ROLLUP.dues(NOON, NOON.replace(second=15)) == [NOON.replace(second=5), NOON.replace(second=10)]


def test_an_identity_is_written_as_the_console_writes_it() -> None:
    assert ROLLUP.identity(NOON) == "celery:lab/invoice-rollup@2026-03-01T12:00:00Z"


def test_every_job_has_a_task_and_a_place_in_the_beat_table() -> None:
    assert set(app.conf.beat_schedule) == {job.key for job in JOBS}
    assert all(entry["task"] in app.tasks for entry in app.conf.beat_schedule.values())
    assert all(3 <= job.period <= 10 for job in JOBS)


def test_the_application_talks_json_only_and_keeps_no_results() -> None:
    assert app.conf.accept_content == ["json"]
    assert app.conf.result_backend is None
