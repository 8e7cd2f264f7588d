"""Processes and coverage: what is proven, where it breaks, and what a dead process makes absent."""

from datetime import timedelta

import pytest

from occurrences.models import Coverage, CoverageStretch, Occurrence, Pause, Process, Quarantine
from occurrences.services import schedules, workers
from occurrences.services.absences import sweep
from tests import wire
from tests.wire import T0, handoff, record

pytestmark = pytest.mark.django_db
SECOND, MINUTE = timedelta(seconds=1), timedelta(minutes=1)


@pytest.fixture(autouse=True)
def source():
    return wire.source(now=T0 - timedelta(hours=2))


def scheduler() -> Coverage:
    return Coverage.objects.get(source__name=wire.SOURCE, role="scheduler")


def stretches() -> list[tuple[object, object]]:
    rows = CoverageStretch.objects.filter(role="scheduler").order_by("start")
    return list(rows.values_list("start", "end"))


def test_a_role_never_heard_of_is_blind():
    assert (scheduler().up_to, scheduler().to_now) == (None, False)


def test_a_role_is_covered_up_to_its_least_advanced_open_spool():
    record([wire.process("scheduler", T0, spool="a"), wire.process("scheduler", T0, spool="b", pid=11)], now=T0)
    record([wire.coverage("scheduler", T0 + 9 * SECOND, spool="a")], now=T0 + 9 * SECOND)
    record([wire.coverage("scheduler", T0 + 4 * SECOND, spool="b")], now=T0 + 9 * SECOND)
    assert scheduler().up_to == T0 + 4 * SECOND
    assert stretches() == [(T0, T0 + 4 * SECOND)]


@pytest.mark.parametrize("state", ["offline", "lost"])
def test_a_role_that_has_closed_all_its_spools_is_covered_to_now(state):
    record([wire.process("scheduler", T0, spool="a")], now=T0)
    record([wire.process("scheduler", T0, spool="a", state=state)], now=T0 + SECOND)
    assert scheduler().to_now
    record([wire.process("scheduler", T0 + MINUTE, spool="b", pid=12)], now=T0 + MINUTE)
    assert not scheduler().to_now
    assert stretches() == [(T0, T0 + MINUTE)]


def test_a_number_left_out_is_a_hole_and_begins_a_new_stretch():
    record([wire.process("scheduler", T0, spool="a")], now=T0)
    record([wire.coverage("scheduler", T0 + SECOND, spool="a", first=1, last=4)], now=T0 + SECOND)
    record([wire.coverage("scheduler", T0 + 9 * SECOND, spool="a", first=6, last=7)], now=T0 + 9 * SECOND)
    record([wire.coverage("scheduler", T0 + 12 * SECOND, spool="a", first=8, last=8)], now=T0 + 12 * SECOND)
    assert stretches() == [(T0, T0 + SECOND), (T0 + 9 * SECOND, T0 + 12 * SECOND)]


def two_spools() -> None:
    record([wire.process("scheduler", T0, spool="a"), wire.process("scheduler", T0, spool="b", pid=11)], now=T0)


def sent(spool: str, first: int, last: int, up_to: int, *, at: int) -> None:
    record([wire.coverage("scheduler", T0 + up_to * SECOND, spool=spool, first=first, last=last)], now=T0 + at * SECOND)


def proven() -> list[tuple[int, int]]:
    return [((a - T0) // SECOND, (b - T0) // SECOND) for a, b in stretches()]  # type: ignore[operator]


def test_what_lies_before_the_hole_of_one_spool_is_proven_once_the_other_has_come_as_far():
    two_spools()
    sent("a", 1, 4, 10, at=10)
    sent("a", 6, 7, 20, at=20)
    assert proven() == [(0, 0)]
    sent("b", 1, 2, 15, at=20)
    assert proven() == [(0, 10)]
    sent("b", 3, 3, 30, at=30)
    sent("a", 8, 8, 30, at=30)
    assert proven() == [(0, 10), (20, 30)]


def test_a_hole_that_is_mended_while_another_spool_lags_proves_nothing_of_that_one():
    two_spools()
    sent("a", 1, 4, 10, at=10)
    sent("a", 6, 7, 20, at=20)
    sent("a", 5, 5, 12, at=21)
    assert proven() == [(0, 0)]
    sent("b", 1, 2, 15, at=22)
    assert proven() == [(0, 15)]


def test_of_two_holes_that_overlap_one_mended_leaves_the_other():
    two_spools()
    for spool, since, until in (("a", 10, 50), ("b", 20, 60)):
        sent(spool, 1, 1, since, at=since)
        sent(spool, 3, 3, until, at=until)
        sent(spool, 4, 4, 70, at=70)
    assert proven() == [(0, 10), (60, 70)]
    sent("a", 2, 2, 30, at=71)
    assert proven() == [(0, 10), (10, 20), (60, 70)]
    sent("b", 2, 2, 30, at=72)
    assert proven() == [(0, 10), (10, 20), (20, 60), (60, 70)]  # they touch, so they join


def test_more_holes_than_are_kept_stay_holes():
    record([wire.process("scheduler", T0, spool="a"), wire.process("scheduler", T0, spool="b", pid=11)], now=T0)
    for n in range(60):
        sent("a", 2 * n + 2, 2 * n + 2, 2 * n + 1, at=200)
    assert len(scheduler().holes) == 51  # the oldest are one
    sent("b", 1, 1, 200, at=200)
    sent("a", 121, 121, 200, at=200)
    assert proven() == [(0, 0), (119, 200)]


def test_a_hole_is_a_hole_though_the_clock_of_its_process_went_back():
    record([wire.process("scheduler", T0, spool="a")], now=T0)
    record([wire.coverage("scheduler", T0 + 9 * SECOND, spool="a", first=1, last=4)], now=T0 + 9 * SECOND)
    record([wire.coverage("scheduler", T0 + 2 * SECOND, spool="a", first=6, last=7)], now=T0 + 10 * SECOND)
    record([wire.coverage("scheduler", T0 + 12 * SECOND, spool="a", first=8, last=8)], now=T0 + 12 * SECOND)
    broken = T0 + 9 * SECOND + timedelta.resolution
    assert stretches() == [(T0, T0 + 9 * SECOND), (broken, T0 + 12 * SECOND)]
    record([wire.coverage("scheduler", T0 + 3 * SECOND, spool="a", first=5, last=5)], now=T0 + 13 * SECOND)
    assert stretches()[1] == (T0 + 9 * SECOND, broken)  # they touch now, so they join


def test_coverage_ahead_of_the_database_clock_is_cut_to_it():
    record([wire.process("scheduler", T0, spool="a")], now=T0)
    record([wire.coverage("scheduler", T0 + timedelta(days=9), spool="a")], now=T0 + SECOND)
    assert scheduler().up_to == T0 + SECOND


def test_the_same_coverage_again_is_a_duplicate():
    record([wire.process("scheduler", T0, spool="a")], now=T0)
    body = wire.coverage("scheduler", T0 + SECOND, spool="a", first=1, last=4)
    record([body], now=T0 + SECOND)
    assert record([body], now=T0 + 2 * SECOND).duplicate == 1


def test_coverage_of_a_spool_nobody_announced_is_kept_in_quarantine():
    assert record([wire.coverage("scheduler", T0, spool="nobody")], now=T0).quarantined == 1
    assert "no process has announced" in Quarantine.objects.get().reason


def test_a_closed_spool_stays_closed():
    record([wire.process("scheduler", T0, spool="a")], now=T0)
    record([wire.process("scheduler", T0, spool="a", state="lost")], now=T0 + SECOND)
    record([wire.process("scheduler", T0 + 2 * SECOND, spool="a")], now=T0 + 2 * SECOND)
    assert Process.objects.get().state == "lost"


def test_a_claimant_that_went_down_makes_its_run_lost_at_the_next_sweep():
    record([wire.schedule(), *wire.watched(T0 - MINUTE)], now=T0 - MINUTE)
    record(wire.full_path()[:4], now=T0 + 2 * SECOND)
    record(
        [wire.process("workers", T0 - MINUTE, spool="worker", state="lost", last_seen=wire.text(T0 + 4 * SECOND))],
        now=T0 + 5 * SECOND,
    )
    record(wire.covered(T0 + 6 * SECOND)[:1], now=T0 + 6 * SECOND)
    sweep(by="tests", now=T0 + 7 * SECOND)
    row = Occurrence.objects.get(due_at=T0)
    assert (row.verdict, row.first_absent) == ("lost-after-claim", 7)


def test_a_retired_spool_leaves_its_gap_unproven():
    record([wire.process("scheduler", T0, spool="a")], now=T0)
    workers.retire_spool(source=wire.SOURCE, spool="a", by="admin", now=T0 + MINUTE)
    assert scheduler().to_now
    assert stretches() == [(T0, T0), (T0 + MINUTE, T0 + MINUTE)]
    with pytest.raises(workers.NoSuchSpool, match="no open spool 'a'"):
        workers.retire_spool(source=wire.SOURCE, spool="a", by="admin", now=T0 + MINUTE)


def test_a_pause_suppresses_due_times_until_the_next_scheduler_has_announced_itself():
    record([wire.schedule(at=T0 - MINUTE), *wire.watched(T0 - MINUTE)], now=T0 - MINUTE)
    record([b for n in range(1) for b in wire.full_path(T0 - MINUTE, run="r0")], now=T0 - 50 * SECOND)
    schedules.pause_source(source=wire.SOURCE, reason="stop", by="up", now=T0 - 30 * SECOND)
    record([wire.process("scheduler", T0 - MINUTE, spool="beat", state="offline")], now=T0 - 29 * SECOND)
    back = T0 + 3 * MINUTE + 30 * SECOND
    record([wire.process("scheduler", back, spool="beat-2", pid=20)], now=back)
    assert Pause.objects.get().end == back
    record(
        [
            wire.coverage("workers", back + 5 * MINUTE, spool="worker"),
            wire.coverage("scheduler", back + 5 * MINUTE, spool="beat-2"),
        ],
        now=back + 5 * MINUTE,
    )
    sweep(by="tests", now=back + 5 * MINUTE)
    verdicts = dict(Occurrence.objects.filter(due_at__lt=back + 2 * MINUTE).values_list("due_at", "verdict"))
    assert [verdicts[T0 + n * MINUTE] for n in range(-1, 5)] == [
        "on-time",
        "paused",
        "paused",
        "paused",
        "paused",
        "missing-tick",
    ]


def test_a_pause_written_twice_is_one_pause():
    for n in range(2):
        schedules.pause_source(source=wire.SOURCE, reason="stop", by="up", now=T0 + n * SECOND)
    assert Pause.objects.get().start == T0


def test_ticks_of_a_floating_schedule_end_one_gap_and_begin_the_next():
    floating = wire.schedule("drift", rule="every 10s", dialect="interval-floating", anchor=None, at=T0)
    record([floating, *wire.watched(T0)], now=T0)
    assert list(Occurrence.objects.values_list("due_at", "expected_gap")) == [(T0 + 20 * SECOND, True)]
    tick_at = T0 + 11 * SECOND
    record([handoff("tick", tick_at, key="drift", due=tick_at, due_basis="floating")], now=tick_at)
    rows = dict(Occurrence.objects.values_list("due_at", "expected_gap"))
    assert rows == {tick_at: False, tick_at + 20 * SECOND: True}


def test_a_flagged_gap_takes_the_next_tick_as_its_own_late_and_ends_as_arrived():
    floating = wire.schedule("drift", rule="every 10s", dialect="interval-floating", anchor=None, at=T0)
    record([floating, *wire.watched(T0)], now=T0)
    late = T0 + 3 * MINUTE
    record(wire.covered(late - SECOND), now=late - SECOND)
    sweep(by="tests", now=late - SECOND)
    gap = Occurrence.objects.get(expected_gap=True)
    assert gap.verdict == "missing-tick"
    record([handoff("tick", late, key="drift", due=late, due_basis="floating")], now=late)
    sweep(by="tests", now=late + SECOND)
    gap.refresh_from_db()
    assert (gap.verdict, gap.first_absent, gap.absences.get().closed_as) == ("late-enqueue", None, "arrived")
    assert Occurrence.objects.filter(expected_gap=True, flagged_at=None).get().due_at == late + 20 * SECOND
