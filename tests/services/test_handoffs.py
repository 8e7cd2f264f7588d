"""Evidence in: each record once, whoever sends it and however often."""

from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from occurrences.models import Discrepancy, HandoffRecord, Occurrence, Quarantine, Run, Unlinked
from occurrences.services.absences import sweep
from tests import wire
from tests.wire import T0, handoff, record

pytestmark = pytest.mark.django_db
SECOND = timedelta(seconds=1)


@pytest.fixture(autouse=True)
def source():
    return wire.source(now=T0 - timedelta(hours=2))


def occurrence() -> Occurrence:
    return Occurrence.objects.get(due_at=T0)


def on_schedule() -> None:
    record([wire.schedule(), *wire.watched(T0 - timedelta(hours=1))], now=T0 - timedelta(minutes=5))


def test_a_full_path_inside_its_limits_is_on_time():
    on_schedule()
    counts = record(wire.full_path(), now=T0 + 4 * SECOND)
    assert (counts.accepted, counts.refused) == (5, [])
    assert (occurrence().verdict, occurrence().first_absent, occurrence().next_deadline) == ("on-time", None, None)


def test_the_same_batch_again_changes_nothing():
    on_schedule()
    record(wire.full_path(), now=T0 + 4 * SECOND)
    revision = occurrence().evidence_revision
    counts = record(wire.full_path(), now=T0 + 9 * SECOND)
    assert (counts.accepted, counts.duplicate) == (0, 5)
    assert HandoffRecord.objects.count() == 5
    assert occurrence().evidence_revision == revision


def test_the_same_key_with_another_body_is_kept_beside_the_first():
    record([handoff("claim", T0)], now=T0 + SECOND)
    counts = record([handoff("claim", T0 + SECOND)], now=T0 + 2 * SECOND)
    assert (counts.accepted, counts.discrepancy) == (0, 1)
    assert HandoffRecord.objects.get().body["observed_at"] == wire.text(T0)
    assert Discrepancy.objects.get().body["observed_at"] == wire.text(T0 + SECOND)


def test_a_record_that_names_only_its_run_waits_for_its_home_and_is_filed_by_the_batch_that_gives_it_one():
    counts = record([handoff("start", T0 + 2 * SECOND, key=None, due=None)], now=T0 + 2 * SECOND)
    assert (counts.unlinked, counts.accepted) == (1, 0)
    counts = record([handoff("enqueue", T0)], now=T0 + 3 * SECOND)
    assert counts.accepted == 2
    assert not Unlinked.objects.exists()
    assert set(HandoffRecord.objects.values_list("handoff", flat=True)) == {2, 5}
    assert HandoffRecord.objects.get(handoff=5).received_at == T0 + 2 * SECOND


def test_a_waiting_record_sent_again_is_a_duplicate():
    body = handoff("start", T0, key=None, due=None)
    record([body], now=T0)
    counts = record([body], now=T0 + SECOND)
    assert (counts.unlinked, counts.duplicate, Unlinked.objects.count()) == (0, 1, 1)


def test_a_lower_ranked_late_comer_moves_the_home_of_a_run_and_both_are_judged_again():
    later = T0 + timedelta(minutes=1)
    record([handoff("claim", later, due=later), handoff("start", later, due=later)], now=later + SECOND)
    assert Run.objects.get().home.due_at == later
    record([handoff("enqueue", T0)], now=later + 2 * SECOND)
    run = Run.objects.get()
    assert run.home.due_at == T0
    assert run.others == [Occurrence.objects.get(due_at=later).key]
    assert occurrence().evidence_revision > 0
    assert Discrepancy.objects.count() == 0  # the moved records were right when they came


def test_a_record_that_named_none_is_the_same_one_though_its_run_moved_home_since():
    start = handoff("start", T0 + 2 * SECOND, key=None, due=None)
    record([handoff("claim", T0 + SECOND, due=T0 + timedelta(minutes=1)), start], now=T0 + 3 * SECOND)
    record([handoff("enqueue", T0)], now=T0 + 4 * SECOND)
    assert Run.objects.get().home.due_at == T0
    counts = record([start, start | {"observed_at": wire.text(T0)}], now=T0 + 5 * SECOND)
    assert (counts.accepted, counts.duplicate, counts.discrepancy) == (0, 1, 1)
    assert HandoffRecord.objects.filter(handoff=5).count() == 1


def test_a_record_under_another_occurrence_than_its_runs_home_is_a_discrepancy():
    record([handoff("enqueue", T0)], now=T0 + SECOND)
    later = T0 + timedelta(minutes=1)
    record([handoff("claim", later, due=later)], now=later)
    assert "is at home elsewhere" in Discrepancy.objects.get().reason


def test_a_due_time_too_far_from_now_is_kept_in_quarantine_with_its_reason():
    far = T0 + timedelta(days=61)
    counts = record([handoff("tick", T0, due=far), handoff("tick", T0)], now=T0 + SECOND)
    assert (counts.accepted, counts.quarantined) == (1, 1)
    assert Quarantine.objects.get().reason == "due more than 60 days ahead"


def test_a_record_of_a_year_no_calendar_holds_is_kept_in_quarantine():
    body = handoff("tick", T0) | {"due_at": "30000-01-01T00:00:00Z"}
    assert record([body], now=T0).quarantined == 1
    assert record([body], now=T0).duplicate == 1


def test_the_number_of_statements_does_not_depend_on_the_size_of_the_batch():
    on_schedule()

    def statements(first: int, occurrences: int) -> int:
        bodies = []
        for n in range(first, first + occurrences):
            due = T0 + n * timedelta(minutes=1)
            bodies += wire.full_path(due, run=f"run-{n}")
        with CaptureQueriesContext(
            connection,
        ) as queries:
            assert record(bodies, now=T0 + timedelta(hours=4)).accepted == 5 * occurrences
        return len(queries)

    record(wire.full_path(), now=T0 + 5 * SECOND)
    assert statements(10, 1) == statements(20, 150)


def test_a_record_may_arrive_before_the_plan_and_is_completed_by_it():
    record([handoff("tick", T0)], now=T0 + SECOND)
    assert (occurrence().planned, occurrence().verdict) == (False, "not-due")
    record([wire.schedule()], now=T0 + 2 * SECOND)
    assert (occurrence().planned, occurrence().next_role) == (True, "clock")
    sweep(by="tests", now=T0 + 3 * SECOND)
    assert occurrence().verdict == "pending"


def test_a_time_ahead_of_its_receipt_is_aged_by_the_receipt():
    on_schedule()
    record([handoff("tick", T0 + timedelta(hours=3))], now=T0 + SECOND)
    row = occurrence()
    assert row.verdict == "pending"
    assert row.next_deadline < T0 + timedelta(minutes=2)
