"""What is known around a stored occurrence when somebody asks whether a replay could run the work twice."""

from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from occurrences.contract.occurrences import Identity
from occurrences.queries.paths import path_of
from occurrences.services.schedules import plan
from tests import wire
from tests.wire import T0, full_path, handoff, record, schedule, watched

pytestmark = pytest.mark.django_db
HOUR, MINUTE = timedelta(hours=1), timedelta(minutes=1)


@pytest.fixture
def hourly():
    """A schedule of every hour of which the run due at T0 was never made, and the one before it succeeded."""
    wire.source(now=T0 - 3 * HOUR)
    record(
        [schedule(at=T0 - 2 * HOUR, rule="30 * * * *", dialect="debian-cron", anchor=None), *watched(T0 - 2 * HOUR)],
        now=T0 - 2 * HOUR,
    )
    record(full_path(T0 - HOUR, run="before"), now=T0 - HOUR + MINUTE)


def proven(minutes: float = 10) -> None:
    now = T0 + timedelta(minutes=minutes)
    plan(now=now, ahead=2 * HOUR)
    record(wire.covered(now), now=now)


def asked(minutes: float = 10):
    path = path_of(
        Identity(source=wire.SOURCE, schedule_key="nightly", due_at=T0), as_of=T0 + timedelta(minutes=minutes)
    )
    return path.judgement.verdict.value, path.safety.value, path.safety.reason


def test_a_run_that_was_never_made_is_safe_beside_a_success(hourly):
    proven()
    assert asked()[:2] == ("missing-tick", True)


def test_a_run_beside_the_schedule_in_its_period_needs_evidence(hourly):
    beside = T0 + 5 * MINUTE
    record([handoff("enqueue", beside, due=beside, run="by-hand")], now=beside)
    proven()
    verdict, safe, reason = asked()
    assert (verdict, safe) == ("missing-tick", "needs-evidence")
    assert "a run beside the schedule" in reason


@pytest.mark.parametrize("away", [3 * 24 * HOUR, -5 * HOUR])
def test_however_far_away_a_run_is_filed_its_record_in_the_period_counts(hourly, away):
    beside = T0 + 5 * MINUTE
    filed = T0 - away + 7 * MINUTE
    record([handoff("enqueue", beside, due=filed, run="by-hand")], now=beside)
    proven()
    assert asked()[:2] == ("missing-tick", "needs-evidence")


def test_without_a_success_nearby_or_a_worker_it_needs_evidence():
    wire.source(now=T0 - 3 * HOUR)
    record(
        [
            schedule(at=T0 - 2 * HOUR, rule="30 * * * *", dialect="debian-cron", anchor=None),
            *watched(T0 - 2 * HOUR)[:1],
        ],
        now=T0 - 2 * HOUR,
    )
    proven()
    verdict, safe, reason = asked()
    assert (verdict, safe) == ("missing-tick", "needs-evidence")
    assert "no other due time" in reason


def test_the_number_of_statements_does_not_grow(hourly):
    proven()

    def statements() -> int:
        with CaptureQueriesContext(
            connection,
        ) as seen:
            assert asked()[0] == "missing-tick"
        return len(seen)

    few = statements()
    for number in range(5):
        beside = T0 + (number + 1) * MINUTE
        record([handoff("enqueue", beside, due=beside, run=f"by-hand-{number}")], now=T0 + 10 * MINUTE)
    assert statements() == few
