"""Clocks that run ahead close, expire and age nothing early; they are shown, and far ahead they call a person."""

from datetime import timedelta

import pytest

from occurrences.models import Absence, ClockSkew, HandoffRecord, Occurrence, Quarantine, WorkItem, WorkItemEntry
from occurrences.services.absences import sweep
from tests import wire
from tests.wire import HOST, T0, handoff, record

pytestmark = pytest.mark.django_db
SECOND, MINUTE, YEAR = timedelta(seconds=1), timedelta(minutes=1), timedelta(days=365)


@pytest.fixture(autouse=True)
def source():
    wire.source(now=T0 - timedelta(hours=2))
    record([wire.schedule(), *wire.watched(T0 - timedelta(hours=1))], now=T0 - 5 * MINUTE)


def occurrence() -> Occurrence:
    return Occurrence.objects.get(due_at=T0)


@pytest.mark.parametrize("span", [SECOND, 5 * SECOND, MINUTE, 10 * MINUTE, timedelta(days=1), YEAR, 10 * YEAR])
def test_however_far_ahead_a_record_is_kept_and_aged_by_its_receipt(span):
    now = T0 + 2 * SECOND
    counts = record([handoff("tick", T0 + span), handoff("enqueue", T0 + span)], now=now)
    assert (counts.accepted, HandoffRecord.objects.count()) == (2, 2)
    # tick and enqueue count from their receipt: the claim is due ten minutes and the allowance of ready after it
    assert occurrence().next_deadline <= now + timedelta(minutes=11)
    record(wire.covered(T0 + 20 * MINUTE), now=T0 + 20 * MINUTE)
    sweep(by="tests", now=T0 + 20 * MINUTE)
    assert occurrence().verdict in ("delayed-claim", "missing-claim")


@pytest.mark.parametrize("span", [SECOND, MINUTE, YEAR, 10 * YEAR])
def test_however_far_behind_it_is_only_late_in_coming(span):
    record([handoff(word, T0 - span) for word in ("tick", "enqueue", "claim", "start", "terminal")], now=T0 + SECOND)
    assert occurrence().verdict == "on-time"  # no handoff lies before the one ahead of it


def test_from_five_seconds_ahead_it_is_shown_and_the_most_is_kept():
    for ahead in (4, 7, 90, 30):
        run = f"r{ahead}"
        record([handoff("enqueue", T0 + SECOND + timedelta(seconds=ahead), run=run)], now=T0 + SECOND)
    skew = ClockSkew.objects.get()
    assert (skew.host, skew.ahead, skew.ended_at) == (HOST, timedelta(seconds=90), None)
    sweep(by="tests", now=T0 + SECOND)
    assert not Absence.objects.filter(clock_host__isnull=False).exists()


def test_from_ten_minutes_ahead_one_work_item_until_a_fresh_record_shows_that_it_is_right_again():
    for n in range(3):
        record([handoff("claim", T0 + 11 * MINUTE, run=f"r{n}")], now=T0 + n * SECOND)
        sweep(by="tests", now=T0 + n * SECOND)
    clock = Absence.objects.filter(clock_host=HOST)
    item = WorkItem.objects.filter(pk=clock.get().work_item_id)
    assert "is 11 min ahead" in WorkItemEntry.objects.get(work_item=item.get()).text
    record([handoff("claim", T0 - 5 * MINUTE, run="from a spool")], now=T0 + 10 * SECOND)
    sweep(by="tests", now=T0 + 10 * SECOND)
    assert item.get().closed_at is None
    record([handoff("claim", T0 + 19 * SECOND, run="fresh")], now=T0 + 20 * SECOND)
    sweep(by="tests", now=T0 + 20 * SECOND)
    assert (item.get().closed_as, clock.get().closed_as) == ("by itself", "arrived")


@pytest.mark.parametrize(
    ("changed", "reason"),
    [
        ({"observed_at": "1999-12-31T23:59:59Z"}, "2000"),
        ({"observed_at": "2100-01-01T00:00:00Z"}, "2000"),
        ({"due_at": wire.text(T0 - timedelta(days=401))}, "400 days"),
        ({"due_at": wire.text(T0 + timedelta(days=61))}, "60 days"),
    ],
)
def test_only_what_no_calendar_or_partition_holds_is_put_in_quarantine(changed, reason):
    counts = record([handoff("claim", T0) | changed], now=T0 + SECOND)
    assert (counts.quarantined, counts.accepted, counts.refused) == (1, 0, [])
    assert counts.stored_any
    assert reason in Quarantine.objects.get().reason


def test_dues_just_inside_both_bounds_are_taken():
    dues = (T0 - timedelta(days=399), T0 + timedelta(days=59))
    assert record([handoff("claim", T0, due=due, run=str(due)) for due in dues], now=T0 + SECOND).accepted == 2
