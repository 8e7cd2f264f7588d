"""The console's own outage is a gap like any other: on record, made up whole, and nothing healthy called missing."""

from datetime import timedelta

import pytest

from occurrences.models import Absence, Occurrence, Sweep, SweepGap
from occurrences.queries.sweeps import sweep_gaps
from occurrences.services import housekeeping
from occurrences.services.absences import sweep
from occurrences.services.schedules import plan, planning
from tests import wire
from tests.wire import T0, record

pytestmark = pytest.mark.django_db
SECOND, MINUTE = timedelta(seconds=1), timedelta(minutes=1)
EVERY = 10 * SECOND
START = T0 - 5 * MINUTE
MISSED = (3, 7)  # windows of each ten that really did not run


@pytest.fixture(autouse=True)
def source():
    wire.source(now=START - timedelta(hours=1))


def swept(now) -> Sweep:
    return sweep(by="tests", now=now, every=EVERY)


@pytest.mark.parametrize(("seconds", "gaps"), [(10, 0), (20, 0), (21, 1), (3600, 1)])
def test_a_predecessor_older_than_two_intervals_is_a_gap(seconds, gaps):
    Sweep.objects.create(as_of=T0, ended_at=T0)
    swept(T0 + seconds * SECOND)
    assert SweepGap.objects.count() == gaps
    assert [(g.start, g.end) for g in sweep_gaps(T0)] == [(T0, T0 + seconds * SECOND)] * gaps


def test_a_death_while_catching_up_makes_the_gap_longer():
    Sweep.objects.create(as_of=T0, ended_at=T0)
    swept(T0 + MINUTE)
    Sweep.objects.filter(as_of__gt=T0).delete()  # it noted the gap and died before its end
    swept(T0 + 5 * MINUTE)
    assert [(g.start, g.end) for g in SweepGap.objects.all()] == [(T0, T0 + 5 * MINUTE)]


def test_a_sweep_that_died_does_not_hide_the_gap():
    Sweep.objects.create(as_of=T0, ended_at=T0)
    Sweep.objects.create(as_of=T0 + 55 * SECOND)
    swept(T0 + MINUTE)
    assert SweepGap.objects.get().start == T0


def test_the_first_sweep_of_all_has_no_gap_behind_it():
    swept(T0)
    assert not SweepGap.objects.exists()


def test_the_newest_sweep_is_kept_so_that_a_long_stop_has_a_beginning():
    Sweep.objects.create(as_of=T0, ended_at=T0)
    housekeeping.keep_house(by="tests", now=T0 + timedelta(days=9))
    swept(T0 + timedelta(days=9))
    assert SweepGap.objects.get().start == T0


@pytest.mark.parametrize("windows", [1, 10, 200])
@pytest.mark.parametrize("late", [False, True], ids=["evidence came meanwhile", "evidence comes afterwards"])
def test_after_an_outage_every_occurrence_is_there_and_only_real_misses_are_called_missing(windows, late, monkeypatch):
    monkeypatch.setattr(planning, "PAGE", 50)
    record([wire.schedule(at=START), *wire.watched(START)], now=START)
    Sweep.objects.create(as_of=START, ended_at=START)
    dues = [START + n * MINUTE for n in range(windows)]
    missed = {due for n, due in enumerate(dues) if n % 10 in MISSED}
    back = dues[-1] + 10 * MINUTE
    if not late:
        _run(set(dues) - missed, at=lambda due: due + 5 * SECOND)
    plan(now=back, ahead=10 * MINUTE)
    sweep(by="tests", now=back, page=30, every=EVERY)  # before the spools are shipped, where they come afterwards
    assert not Absence.objects.filter(occurrence__due_at__in=set(dues) - missed).exists()
    if late:
        _run(set(dues) - missed, at=lambda due: back + SECOND)
    record(wire.covered(back + 2 * SECOND), now=back + 2 * SECOND)
    swept(back + 10 * SECOND)
    found = dict(Occurrence.objects.filter(due_at__in=dues).values_list("due_at", "verdict"))
    assert sorted(found) == dues
    assert {due for due, verdict in found.items() if verdict == "missing-tick"} == missed
    assert {found[due] for due in dues if due not in missed} == {"on-time"}
    flagged = set(Absence.objects.filter(closed_at=None).values_list("occurrence__due_at", flat=True))
    assert flagged & set(dues) == missed
    assert SweepGap.objects.filter(start=START, end=back).count() == 1


def _run(dues, *, at) -> None:
    for due in sorted(dues):
        record(wire.full_path(due, run=f"run-{due}"), now=at(due))


def test_the_planner_makes_up_a_day_for_many_schedules_in_pages_that_fit():
    keys = [f"s{n}" for n in range(20)]
    record([wire.schedule(key, at=START, rule="every 300s") for key in keys], now=START)
    plan(now=START, ahead=MINUTE)
    back = START + timedelta(hours=24)
    plan(now=back, ahead=MINUTE)
    per_schedule = {Occurrence.objects.filter(schedule__key=key, due_at__lte=back).count() for key in keys}
    assert per_schedule == {289 - (START.timestamp() % 300 > 0)}
    assert planning.PAGE <= 500
