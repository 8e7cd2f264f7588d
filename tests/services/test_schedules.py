"""Snapshots make revisions; the plan writes every due time of the rule in force, and no other."""

from datetime import timedelta

import pytest

from occurrences.contract.schedules import parse_rule
from occurrences.models import Absence, Occurrence, Schedule, ScheduleRevision
from occurrences.services.absences import sweep
from occurrences.services.schedules import plan
from tests import wire
from tests.wire import T0, record

pytestmark = pytest.mark.django_db
SECOND, MINUTE = timedelta(seconds=1), timedelta(minutes=1)


@pytest.fixture(autouse=True)
def source():
    return wire.source(now=T0 - timedelta(hours=2))


def dues() -> list[object]:
    return list(Occurrence.objects.order_by("due_at").values_list("due_at", flat=True))


def test_a_snapshot_is_planned_ahead_at_once_and_never_back():
    record([wire.schedule(at=T0)], now=T0)
    assert dues() == [T0 + n * MINUTE for n in range(10)]
    assert Schedule.objects.get().planned_to == T0 + 10 * MINUTE


def test_the_same_snapshot_again_makes_no_revision():
    record([wire.schedule(at=T0)], now=T0)
    again = wire.schedule(at=T0) | {"observed_at": wire.text(T0 + MINUTE)}
    record([again], now=T0 + MINUTE)
    assert ScheduleRevision.objects.count() == 1


def test_a_changed_rule_holds_from_its_snapshot_on_and_takes_back_what_was_planned_by_the_old_one():
    record([wire.schedule(at=T0)], now=T0)
    change = T0 + 4 * MINUTE + 30 * SECOND
    record([wire.schedule(at=change, rule="every 120s")], now=change)
    assert dues() == [T0 + n * MINUTE for n in (0, 1, 2, 3, 4, 6, 8, 10, 12, 14)]


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
def test_each_rule_holds_from_its_own_snapshot_on_in_whatever_order_they_arrive(order):
    snapshots = [wire.schedule(at=T0, rule="every 20s"), wire.schedule(at=T0 + MINUTE)]
    for index in order:
        record([snapshots[index]], now=T0 + 2 * MINUTE)
    plan(now=T0 + 2 * MINUTE, ahead=MINUTE)
    early = [T0, T0 + 20 * SECOND, T0 + 40 * SECOND]
    assert dues()[:6] == [*early, T0 + MINUTE, T0 + 2 * MINUTE, T0 + 3 * MINUTE]


def test_what_a_late_snapshot_takes_back_is_not_due_any_more_though_it_was_flagged():
    record([wire.schedule(at=T0, rule="every 20s"), *wire.watched(T0)], now=T0)
    now = T0 + 2 * MINUTE
    record(wire.covered(now), now=now)
    sweep(by="tests", now=now)
    flagged = Occurrence.objects.get(due_at=T0 + 20 * SECOND)
    assert flagged.verdict == "missing-tick"
    record([wire.schedule(at=T0 + SECOND, rule="every 60s")], now=now)
    sweep(by="tests", now=now + SECOND)
    flagged.refresh_from_db()
    assert (flagged.verdict, flagged.absences.get().closed_as) == ("not-due", "not due")


EDITS = [
    {"rule": "every 300s"},
    {"rule": "*/7 * * * *", "dialect": "debian-cron", "anchor": None},
    {"tz": "Australia/Lord_Howe"},
    {"anchor": "1970-01-01T00:00:30Z"},
    {"expires_after": 30},
    {"catch_up": "latest"},
    {"enabled": False},
    {"target": {"task": "other", "queue": "elsewhere", "options": {}, "has_arguments": True}},
]


@pytest.mark.parametrize("edit", EDITS, ids=lambda edit: next(iter(edit)))
def test_an_edit_of_any_field_leaves_what_was_due_and_its_review_as_they_are_and_makes_nothing_due_before(edit):
    record([wire.schedule(at=T0), *wire.watched(T0)], now=T0)
    edited = T0 + 5 * MINUTE + 20 * SECOND
    record(wire.covered(edited), now=edited)
    sweep(by="tests", now=edited)
    rows = Occurrence.objects.filter(due_at__lt=edited).order_by("due_at")
    before = list(rows.values_list("key", "revision_id", "verdict", "policy_id"))
    absences = list(Absence.objects.order_by("pk").values())
    assert [row[2] for row in before] == ["missing-tick"] * 5 + ["pending"]
    assert len(absences) == 5
    changed = wire.schedule(at=edited, **edit)
    record([changed], now=edited + SECOND)
    plan(now=edited + SECOND, ahead=10 * MINUTE)
    sweep(by="tests", now=edited + 2 * SECOND)
    assert list(rows.values_list("key", "revision_id", "verdict", "policy_id")) == before
    assert list(Absence.objects.order_by("pk").values()) == absences
    revision = ScheduleRevision.objects.get(valid_from=edited)
    assert set(Occurrence.objects.filter(due_at__gte=edited).values_list("revision_id", flat=True)) <= {revision.pk}
    ahead = parse_rule(revision.rule, revision.dialect, revision.zone, revision.anchor)
    expected = [] if not revision.enabled else ahead.due_times(edited, edited + SECOND + 10 * MINUTE)  # type: ignore[union-attr]
    assert [due for due in dues() if due >= edited] == [due.due_at for due in expected]  # type: ignore[operator]


def test_a_schedule_that_was_switched_off_has_no_further_due_times():
    record([wire.schedule(at=T0)], now=T0)
    off = T0 + 2 * MINUTE + SECOND
    record([wire.schedule(at=off, enabled=False)], now=off)
    assert dues() == [T0, T0 + MINUTE, T0 + 2 * MINUTE]
    plan(now=off + 20 * MINUTE, ahead=MINUTE)
    assert len(dues()) == 3


def test_a_gap_of_the_planner_is_made_up_whole_in_pages(monkeypatch):
    monkeypatch.setattr("occurrences.services.schedules.planning.PAGE", 100)
    record([wire.schedule(at=T0, rule="every 1s")], now=T0)
    assert len(dues()) == 100  # a request plans one page; beat goes on from there
    assert plan(now=T0 + 40 * MINUTE, ahead=10 * MINUTE) == 50 * 60 - 100
    assert dues() == [T0 + n * SECOND for n in range(50 * 60)]


def test_planning_again_makes_nothing():
    record([wire.schedule(at=T0)], now=T0)
    assert plan(now=T0, ahead=10 * MINUTE) == 0


def test_a_rule_the_parser_refuses_is_kept_with_its_words_and_watches_nothing():
    bad = wire.schedule(at=T0, rule="61 * * * *", dialect="celery-beat", anchor=None)
    assert record([bad], now=T0).accepted == 1
    assert "61" in ScheduleRevision.objects.get().refused_because
    assert not dues()


def test_floating_periods_under_a_second_are_not_watched_and_say_so():
    fast = wire.schedule(at=T0, rule="every 0.5s", dialect="interval-floating", anchor=None)
    record([fast], now=T0)
    assert "under one second" in ScheduleRevision.objects.get().refused_because
    assert not dues()


def test_the_local_time_of_a_fold_is_kept_beside_the_identity():
    berlin = wire.schedule(
        at=T0 - 2 * timedelta(hours=1), rule="30 2 * * *", dialect="kubernetes", tz="Europe/Berlin", anchor=None
    )
    record([berlin], now=T0 - timedelta(hours=2))
    plan(now=T0, ahead=MINUTE)
    rows = Occurrence.objects.order_by("due_at").values_list("due_at", "due_local", "utc_offset_seconds", "fold")
    assert list(rows) == [
        (T0 - timedelta(hours=1), "2026-10-25T02:30:00", 7200, 0),
        (T0, "2026-10-25T02:30:00", 3600, 1),
    ]


def test_arguments_are_kept_only_where_the_sender_gave_them():
    record([wire.schedule(at=T0)], now=T0)
    assert "args" not in ScheduleRevision.objects.get().target
