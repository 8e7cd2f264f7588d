"""Rules one after the other, pauses, a beginning and an end; forwards and backwards."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from occurrences.contract.errors import InvalidQuestion, RefusedRule
from occurrences.contract.schedules import parse_rule
from occurrences.contract.timetables import Pause, Revision, Timetable


def moment(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


def table(text: str, dialect="debian-cron", zone="UTC", **more) -> Timetable:
    return Timetable(revisions=(Revision(rule=parse_rule(text, dialect, zone, moment("2026-01-01"))),), **more)


def days(timetable: Timetable, start: str, end: str) -> list[str]:
    return [f"{due.due_at:%d %H:%M}" for due in timetable.due_times(moment(start), moment(end))]


def test_each_rule_makes_due_times_from_its_instant_on_and_none_before():
    edited = Timetable(
        revisions=(
            Revision(rule=parse_rule("0 16 * * *", "celery-beat", "Europe/Istanbul"), since=moment("2026-03-02T09:20")),
            Revision(rule=parse_rule("30 13 * * *", "celery-beat", "UTC")),
            Revision(rule=None, since=moment("2026-03-04T00:00")),
        )
    )
    assert days(edited, "2026-03-01", "2026-03-09") == ["01 13:30", "02 13:00", "03 13:00"]
    assert not edited.contains(moment("2026-03-02T13:30"))
    assert edited.rule_at(moment("2026-03-05")) is None
    assert edited.shown(moment("2026-03-02T09:20")).zone == "Europe/Istanbul"
    assert edited.shown(moment("2026-03-02T09:19:59.9")).zone == "UTC"
    assert edited.next_after(moment("2026-03-03T13:00")) is None
    assert edited.last_before(moment("2026-03-09")).due_at == moment("2026-03-03T13:00")


def test_a_rule_that_begins_at_its_due_time_makes_it_due():
    since = moment("2026-03-02T16:00")
    late = Timetable(revisions=(Revision(rule=parse_rule("0 16 * * *", "fugit", "UTC"), since=since),))
    assert late.next_after(moment("2026-01-01")).due_at == since
    assert late.last_before(since) is None
    assert late.rule_at(since - timedelta(seconds=1)) is None


def test_two_rules_from_one_instant_are_refused():
    rule = parse_rule("0 16 * * *", "fugit", "UTC")
    with pytest.raises(RefusedRule, match="same instant"):
        Timetable(revisions=(Revision(rule=rule), Revision(rule=None)))


def test_a_pause_suppresses_from_its_start_up_to_its_end_and_leaves_the_due_times_listed():
    pauses = (
        Pause(start=moment("2026-01-01T01:00"), end=moment("2026-01-01T03:00"), reason="inventory"),
        Pause(start=moment("2026-02-01")),
    )
    hourly = table("0 * * * *", pauses=pauses)
    assert len(days(hourly, "2026-01-01", "2026-01-02")) == 24
    paused = [hour for hour in range(24) if hourly.paused(moment(f"2026-01-01T{hour:02}:00"))]
    assert paused == [1, 2]
    assert hourly.paused(moment("2026-01-01T02:00")).reason == "inventory"
    assert hourly.paused(moment("2030-01-01")).end is None


def test_a_schedule_begins_and_ends():
    season = table("0 0 * * *", begin=moment("2026-01-03"), end=moment("2026-01-06"))
    assert days(season, "2026-01-01", "2026-01-31") == ["03 00:00", "04 00:00", "05 00:00"]
    assert season.last_before(moment("2026-01-03T00:00:00.5")).due_at == moment("2026-01-03")
    assert season.last_before(moment("2026-01-03")) is None
    assert season.next_after(moment("2026-01-05")) is None


def test_a_floating_interval_has_no_due_times():
    floating = table("every 90s", "interval-floating")
    assert days(floating, "2026-01-01", "2026-02-01") == []
    assert floating.shown(moment("2026-01-01")).zone == "UTC"


@pytest.mark.parametrize(
    ("text", "instant", "before", "after"),
    [
        ("0 0 29 2 *", "2026-05-01", "2024-02-29T00:00", "2028-02-29T00:00"),
        ("0 0 29 2 *", "2101-01-01", "2096-02-29T00:00", "2104-02-29T00:00"),
        ("0 0 29 2 1", "2026-05-01", "2016-02-29T00:00", "2044-02-29T00:00"),
        ("* * * 2 *", "2027-01-31", "2026-02-28T23:59", "2027-02-01T00:00"),
        ("0 12 31 12 *", "2026-12-31T12:00", "2025-12-31T12:00", "2027-12-31T12:00"),
        ("30 2 * * *", "2026-05-01", "2026-04-30T02:30", "2026-05-01T02:30"),
    ],
)
def test_the_last_and_the_next_due_time_are_found_however_far_they_are(text, instant, before, after):
    found = table(text, "celery-beat")
    assert found.last_before(moment(instant)).due_at == moment(before)
    assert found.next_after(moment(instant)).due_at == moment(after)


@settings(max_examples=40, deadline=None)
@given(
    st.sampled_from(("*/7 * * * *", "30 2 * * *", "5 */5 * * 1-5", "0 0 1 * *", "every 4321.5s")),
    st.sampled_from(("Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Asia/Beirut")),
    st.sampled_from(("celery-beat", "debian-cron", "fugit", "apscheduler")),
    st.integers(0, 400 * 86400),
)
def test_next_and_last_are_neighbours_of_the_same_list(text, zone, dialect, seconds):
    found = table(text, "interval" if text.startswith("every") else dialect, zone)
    instant = moment("2026-01-01") + timedelta(seconds=seconds)
    listed = [due.due_at for due in found.due_times(instant - timedelta(days=40), instant + timedelta(days=40))]
    assert found.last_before(instant).due_at == max(due for due in listed if due < instant)
    assert found.next_after(instant).due_at == min(due for due in listed if due > instant)
    assert found.contains(instant) == (instant in listed)


def test_a_naive_time_is_refused():
    naive = datetime(2026, 1, 1)  # noqa: DTZ001
    with pytest.raises(InvalidQuestion):
        table("0 0 * * *").last_before(naive)
    with pytest.raises(InvalidQuestion):
        Pause(start=naive)
    with pytest.raises(InvalidQuestion):
        table("0 0 * * *", begin=naive)
