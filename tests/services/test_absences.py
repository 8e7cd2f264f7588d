"""The sweep: judges each once, opens and joins work items, closes what arrived, and says nothing when blind."""

from datetime import datetime, timedelta

import pytest

from occurrences.models import Absence, Occurrence, Source, Sweep, WorkItem, WorkItemEntry
from occurrences.services.absences import sweep
from tests import wire
from tests.wire import T0, handoff, record

pytestmark = pytest.mark.django_db
SECOND, MINUTE = timedelta(seconds=1), timedelta(minutes=1)
START = T0 - timedelta(minutes=2)


@pytest.fixture(autouse=True)
def source() -> Source:
    return wire.source(now=T0 - timedelta(hours=2), give_up=timedelta(minutes=5))


def plan_and_cover(*, until: datetime, at: datetime = START) -> None:
    record([wire.schedule(at=at), *wire.watched(at)], now=at)
    record(wire.covered(until), now=until)


def sweep_at(moment: datetime, **options: int) -> Sweep:
    return sweep(by="tests", now=moment, **options)


def verdicts(*, upto: datetime) -> list[str]:
    return list(Occurrence.objects.filter(due_at__lte=upto).order_by("due_at").values_list("verdict", flat=True))


def test_a_tick_that_did_not_come_opens_one_work_item():
    plan_and_cover(until=T0 + 62 * SECOND)
    done = sweep_at(T0 + 62 * SECOND)
    assert (done.opened, done.joined) == (1, 2)
    item = WorkItem.objects.get()
    assert (item.verdict, item.first_absent, item.closed_at) == ("missing-tick", 1, None)
    assert list(WorkItemEntry.objects.values_list("kind", flat=True)) == ["flagged", "joined", "joined"]


def test_exactly_at_the_limit_nothing_is_missing_yet():
    plan_and_cover(until=START + MINUTE)
    sweep_at(START + MINUTE)
    assert not Absence.objects.exists()


def test_a_second_sweep_finds_nothing_new():
    plan_and_cover(until=T0 + 62 * SECOND)
    sweep_at(T0 + 62 * SECOND)
    again = sweep_at(T0 + 63 * SECOND)
    assert (again.opened, again.joined, again.closed) == (0, 0, 0)
    assert Absence.objects.count() == 3


def test_late_evidence_closes_the_absence_as_arrived_and_the_work_item_by_itself():
    plan_and_cover(until=START + 62 * SECOND)
    sweep_at(START + 62 * SECOND)
    assert Absence.objects.get().closed_at is None
    now = START + 70 * SECOND
    bodies = [b | {"observed_at": wire.text(now)} for b in wire.full_path(START)]
    record(bodies, now=now)
    assert Absence.objects.get().closed_at is None  # ingest opens and closes nothing
    assert sweep_at(now + SECOND).closed == 1
    assert Absence.objects.get().closed_as == "arrived"
    assert WorkItem.objects.get().closed_as == "by itself"
    assert Occurrence.objects.get(due_at=START).verdict == "late-enqueue"


def test_without_coverage_nothing_is_missing_and_after_the_give_up_time_it_cannot_be_told():
    plan_and_cover(until=START + SECOND)
    sweep_at(START + 4 * MINUTE)
    assert not Absence.objects.exists()
    sweep_at(START + 10 * MINUTE)
    absence = Absence.objects.get()
    assert (absence.occurrence_id, absence.verdict, absence.gap_from) == (None, "unknown", START + SECOND)
    assert set(verdicts(upto=START + 2 * MINUTE)) == {"unknown"}


def test_one_gap_is_one_absence_however_many_sweeps_meet_it():
    plan_and_cover(until=START + SECOND)
    for minute in range(7, 12):
        sweep_at(START + minute * MINUTE)
    assert Absence.objects.count() == 1


def test_what_could_not_be_told_is_judged_again_when_the_gap_closes():
    plan_and_cover(until=START + SECOND)
    sweep_at(START + 8 * MINUTE)
    back = START + 9 * MINUTE
    on_time = [b for n in range(9) for b in wire.full_path(START + n * MINUTE, run=f"run-{n}")]
    record(on_time, now=back)
    record(wire.covered(back), now=back)
    sweep_at(back + SECOND)
    assert set(verdicts(upto=START + 8 * MINUTE)) == {"on-time"}
    assert Absence.objects.get().closed_as == "arrived"
    assert not WorkItem.objects.filter(closed_at__isnull=True).exists()


def test_dues_further_apart_than_the_fold_window_get_work_items_of_their_own():
    record([wire.schedule(at=START, rule="every 1200s"), *wire.watched(START)], now=START)
    record(wire.covered(START + 2 * MINUTE), now=START + 2 * MINUTE)
    sweep_at(START + 2 * MINUTE)
    from occurrences.services.schedules import plan

    plan(now=START + 60 * MINUTE, ahead=MINUTE)
    record(wire.covered(START + 60 * MINUTE), now=START + 60 * MINUTE)
    sweep_at(START + 60 * MINUTE)
    assert WorkItem.objects.filter(verdict="missing-tick").count() == Absence.objects.count() == 3


def test_a_claim_that_is_late_is_delayed_and_never_a_missing_enqueue():
    plan_and_cover(until=START)
    record([handoff("tick", START, due=START), handoff("enqueue", START, due=START)], now=START + SECOND)
    record(
        [wire.process("workers", START, spool="worker", state="offline", last_seen=wire.text(START + SECOND))],
        now=START + SECOND,
    )
    record(wire.covered(START + 11 * MINUTE), now=START + 11 * MINUTE)
    sweep_at(START + 11 * MINUTE)
    row = Occurrence.objects.get(due_at=START)
    assert (row.verdict, row.first_absent) == ("delayed-claim", 4)


def test_a_sweep_over_a_thousand_overdue_behind_a_broken_gap_ends_and_judges_each_once():
    record([wire.schedule(at=START, rule="every 1s"), *wire.watched(START)], now=START)
    from occurrences.services.schedules import plan

    end = START + 1000 * SECOND
    plan(now=end - 10 * MINUTE, ahead=10 * MINUTE)
    # a line that is lost for good: the numbers jump, and nothing before is proven any more
    hole = [
        wire.coverage("scheduler", end, spool="beat", first=5, last=6),
        wire.coverage("workers", end, spool="worker"),
    ]
    record(hole, now=end)
    done = sweep_at(end + 60 * MINUTE, page=100)
    planned = Occurrence.objects.filter(due_at__lt=end).count()
    assert planned == 1000
    assert done.judged == Occurrence.objects.filter(due_at__lte=end + 60 * MINUTE).count()
    assert set(verdicts(upto=end - MINUTE - SECOND)) == {"unknown"}
    # two gaps: the one the lost line left, and the silence after it
    assert set(Absence.objects.values_list("gap_from", flat=True)) == {START, end}


def test_coverage_that_reaches_exactly_the_limit_is_enough():
    plan_and_cover(until=START + 60 * SECOND)
    sweep_at(START + 61 * SECOND)
    assert verdicts(upto=START) == ["missing-tick"]


def test_the_search_is_strict_so_a_deadline_itself_is_not_overdue():
    plan_and_cover(until=START + MINUTE)
    sweep_at(START + MINUTE)
    assert Occurrence.objects.get(due_at=START).next_deadline == START + MINUTE
    assert sweep_at(START + MINUTE).judged == 0
