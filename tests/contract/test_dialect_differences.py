"""Where two dialects read the same crontab differently."""

import time
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from occurrences.contract.clock_rules import PRESETS
from occurrences.contract.dialect_differences import dialect_differences
from occurrences.contract.errors import RefusedRule
from occurrences.contract.schedules import parse_rule

SUMMER = datetime(2026, 7, 1, tzinfo=UTC)


def moments(dues):
    return [f"{due.due_at:%m-%d %H:%M}" for due in dues]


def told(text, dialect, zone, **more):
    return [
        (difference.dialects, moments(difference.only_ours), moments(difference.only_theirs))
        for difference in dialect_differences(text, dialect, zone, SUMMER, **more)
    ]


def test_the_first_difference_of_a_nightly_job_is_the_next_change_of_the_clock():
    twice = ("fugit", "kubernetes", "croniter", "apscheduler", "temporal")
    assert told("30 2 * * *", "celery-beat", "Europe/Berlin") == [
        (twice, [], ["10-25 01:30"]),
        (("debian-cron",), ["03-28 01:30"], ["03-28 01:00"]),
    ]


def test_days_that_only_one_of_them_names_are_found():
    (or_days, star) = told("0 0 */10 * 1", "debian-cron", "UTC", others=("fugit", "kubernetes", "apscheduler"))
    assert or_days == (("fugit", "kubernetes"), [], ["07-01 00:00"])
    # Both need a Monday for cron; APScheduler's 1 is a Tuesday.
    assert star == (("apscheduler",), [], ["07-21 00:00"])


def test_a_wildcard_loses_the_second_pass_with_celery_alone():
    found = dialect_differences("*/15 * * * *", "debian-cron", "Europe/Berlin", SUMMER)
    assert [difference.dialects for difference in found] == [("celery-beat", "django-celery-beat")]
    assert moments(found[0].only_ours) == ["10-25 01:00", "10-25 01:15", "10-25 01:30", "10-25 01:45"]
    assert found[0].at == datetime(2026, 10, 25, 1, tzinfo=UTC)


@pytest.mark.parametrize(
    ("text", "dialect", "zone"),
    [("30 2 * * *", "celery-beat", "UTC"), ("0 12 * * *", "fugit", "Europe/Berlin"), ("every 60s", "interval", "UTC")],
)
def test_where_all_agree_nothing_is_said(text, dialect, zone):
    assert told(text, dialect, zone) == []


def test_a_dialect_that_refuses_the_text_is_not_named():
    assert told("0 0 L * *", "fugit", "UTC") == []
    with pytest.raises(RefusedRule):
        told("0 0 L * *", "debian-cron", "UTC")


def test_a_period_ends():
    assert told("30 2 * * *", "celery-beat", "Europe/Berlin", period=timedelta(days=100)) == []


minutes = st.sampled_from(("0", "30", "*/20", "15,45"))
hours = st.sampled_from(("*", "0", "1", "2", "0-3", "*/2"))
days = st.sampled_from((("*", "*"), ("*", "*"), ("13", "5"), ("*/10", "1"), ("1-7", "*/3"), ("*", "0")))
zones = st.sampled_from(("Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Africa/Cairo", "UTC"))


@settings(max_examples=25, deadline=None)
@given(minutes, hours, days, zones, st.sampled_from(sorted(PRESETS)), st.sampled_from(sorted(PRESETS)))
def test_it_finds_what_a_walk_through_the_autumn_finds(minute, hour, day, zone, mine, theirs):
    text = f"{minute} {hour} {day[0]} * {day[1]}"
    start, period = SUMMER + timedelta(days=75), timedelta(days=60)
    ours, other = (
        {due.due_at for due in parse_rule(text, dialect, zone).due_times(start, start + period)}
        for dialect in (mine, theirs)
    )
    expected = min(ours ^ other, default=None)
    found = dialect_differences(text, mine, zone, start, others=(theirs,), period=period)
    assert [difference.at for difference in found] == ([] if expected is None else [expected])


def test_a_page_does_not_wait_for_it():
    began = time.perf_counter()
    for text in ("* * * * *", "*/15 2 * * 1-5", "0 0 13 * 5"):
        dialect_differences(text, "celery-beat", "Europe/Berlin", SUMMER)
    assert time.perf_counter() - began < 3
