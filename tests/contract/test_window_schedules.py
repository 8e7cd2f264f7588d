"""The schedule of a window: rules, dialects, revisions and pauses."""

import json
from datetime import UTC, datetime

import pytest

from occurrences.contract.errors import InvalidWindow
from occurrences.contract.window_files import read_window
from tests.contract.window_documents import document


def timetable(document_fields=(), **schedule):
    made = document(**dict(document_fields))
    made["schedule"] |= schedule
    return read_window(json.dumps(made).encode()).timetable


def dues(table, day: str) -> list[str]:
    start = datetime.fromisoformat(day).replace(tzinfo=UTC)
    return [f"{due.due_at:%d %H:%M}" for due in table.due_times(start, start.replace(day=start.day + 2))]


def policy(gap: str, fold: str) -> dict:
    return {"dst_policy": {"gap": gap, "fold": fold}, "timezone": "Europe/Berlin"}


@pytest.mark.parametrize(
    ("gap", "due"), [("skip", []), ("transition", ["30 01:00"]), ("after", ["30 01:00"]), ("shift", ["30 01:30"])]
)
def test_the_gap_of_the_policy_decides(gap, due):
    table = timetable(cron="30 2 30 3 *", **policy(gap, "first"))
    assert dues(table, "2025-03-29") == due


@pytest.mark.parametrize(
    ("fold", "due"), [("first", ["26 00:30"]), ("both", ["26 00:30", "26 01:30"]), ("second", ["26 01:30"])]
)
def test_the_fold_of_the_policy_decides(fold, due):
    assert dues(timetable(cron="30 2 26 10 *", **policy("skip", fold)), "2025-10-25") == due


def test_a_job_with_a_star_follows_elapsed_time_whatever_the_policy():
    table = timetable(cron="*/30 2 26 10 *", **policy("skip", "first"))
    assert dues(table, "2025-10-25") == ["26 00:00", "26 00:30", "26 01:00", "26 01:30"]
    assert dues(timetable(cron="*/30 2 30 3 *", **policy("transition", "first")), "2025-03-29") == []


def test_days_of_month_and_week_combine_as_either_unless_one_is_a_star():
    assert dues(timetable(cron="0 0 5 * 1"), "2025-03-03") == ["03 00:00"]
    assert dues(timetable(cron="0 0 */2 * 1"), "2025-03-03") == ["03 00:00"]
    assert dues(timetable(cron="0 0 */2 * 2"), "2025-03-03") == []


@pytest.mark.parametrize("place", ["document", "schedule"])
@pytest.mark.parametrize(
    "dialect",
    [
        "fugit",
        {"gap": "skip", "fold_fixed": "both", "fold_wildcard": "both", "day_rule": "or"},
    ],
)
def test_a_dialect_goes_before_the_policy(place, dialect):
    fields = {"cron": "30 2 26 10 *", **policy("skip", "first")}
    carried = {"dialect": dialect}
    table = timetable(carried if place == "document" else {}, **fields, **(carried if place == "schedule" else {}))
    assert dues(table, "2025-10-25") == ["26 00:30", "26 01:30"]


def test_an_interval_counts_elapsed_seconds_from_its_anchor():
    anchor = "2025-03-01T06:00:00Z"
    table = timetable(cron=None, interval_s=86_400, anchor=anchor, timezone="Europe/Berlin")
    assert dues(table, "2025-03-29") == ["29 06:00", "30 06:00"]
    fractions = timetable(cron=None, interval_s=0.1 + 43_199.9, anchor=anchor)
    assert dues(fractions, "2025-03-29")[:2] == ["29 06:00", "29 18:00"]


def test_a_revision_rules_from_its_instant_in_its_own_zone_and_a_pause_leaves_its_times_listed():
    table = timetable(
        cron="0 12 * * *",
        revisions=[{"from": "2025-03-04T11:00:00Z", "cron": "0 14 * * *", "timezone": "Europe/Berlin"}],
        pauses=[{"from": "2025-03-03T12:00:00Z", "to": "2025-03-03T12:00:01Z", "reason": "inventory"}],
    )
    assert dues(table, "2025-03-03") == ["03 12:00", "04 13:00"]
    assert table.paused(datetime(2025, 3, 3, 12, tzinfo=UTC)).reason == "inventory"
    assert table.paused(datetime(2025, 3, 3, 12, 0, 1, tzinfo=UTC)) is None


@pytest.mark.parametrize(
    ("schedule", "where"),
    [
        ({"cron": None}, "schedule.interval_s"),
        ({"cron": None, "interval_s": "60"}, "schedule.interval_s"),
        ({"cron": None, "interval_s": 60}, "schedule.interval_s"),
        ({"cron": None, "interval_s": 0, "anchor": "2025-03-01T06:00:00Z"}, "schedule.interval_s"),
        ({"dst_policy": {"gap": "jump", "fold": "first"}}, "schedule.dst_policy.gap"),
        ({"dst_policy": None}, "schedule.dst_policy"),
        ({"dialect": "vixie"}, "schedule.dialect"),
        (
            {"dialect": {"gap": "skip", "fold_fixed": "never", "fold_wildcard": "both", "day_rule": "or"}},
            "schedule.dialect",
        ),
        ({"dialect": {"gap": "skip"}}, "schedule.dialect.fold_fixed"),
        ({"revisions": [{"cron": "0 1 * * *"}]}, "schedule.revisions[0].from"),
        ({"revisions": [{"from": "2025-03-04T11:00:00Z", "cron": "0 25 * * *"}]}, "schedule.revisions[0].cron"),
        ({"revisions": 2 * [{"from": "2025-03-04T11:00:00Z", "cron": "0 2 * * *"}]}, "schedule.revisions"),
        ({"pauses": [{"to": "2025-03-04T11:00:00Z"}]}, "schedule.pauses[0].from"),
    ],
)
def test_a_schedule_that_cannot_be_read_says_where(schedule, where):
    with pytest.raises(InvalidWindow) as caught:
        timetable(**schedule)
    assert caught.value.where == where


@pytest.mark.parametrize(
    ("wall", "where"),
    [
        ({"local": "noon", "timezone": "UTC"}, "expected.no_occurrence_for[0].local"),
        ({"local": "2025-03-30T02:30", "timezone": "Mars"}, "expected.no_occurrence_for[0].timezone"),
    ],
)
def test_a_wall_time_that_cannot_be_read_says_where(wall, where):
    with pytest.raises(InvalidWindow) as caught:
        timetable({"expected": {"occurrences": [], "no_occurrence_for": [wall]}})
    assert caught.value.where == where
