"""Due times, held against real Celery and against tables of days on which the clock jumps."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from occurrences.contract.crontabs import Crontab
from occurrences.contract.errors import RefusedRule
from occurrences.contract.schedules import FloatingRule, in_words, parse_rule
from tests.contract.beat import ticks


def moment(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


def dues(text, dialect, zone, start, end):
    rule = parse_rule(text, dialect, zone)
    return [f"{due.due_at:%d %H:%M}" for due in rule.due_times(moment(start), moment(end))]


JUMPS = [
    ("Europe/Berlin", "2026-03-28T12:00", "2026-03-30T00:00"),
    ("Europe/Berlin", "2026-10-24T12:00", "2026-10-26T00:00"),
    ("America/New_York", "2026-03-07T12:00", "2026-03-09T00:00"),
    ("America/New_York", "2026-10-31T12:00", "2026-11-02T00:00"),
    ("Australia/Lord_Howe", "2026-04-04T00:00", "2026-04-05T12:00"),
    ("Australia/Lord_Howe", "2026-10-03T00:00", "2026-10-04T12:00"),
    ("America/Sao_Paulo", "2018-11-03T12:00", "2018-11-05T00:00"),
    ("America/Sao_Paulo", "2018-02-17T00:00", "2018-02-18T12:00"),
    ("Pacific/Apia", "2011-12-29T00:00", "2012-01-01T00:00"),
    ("UTC", "2026-12-31T00:00", "2027-01-01T12:00"),
]
minutes = st.sampled_from(("0", "30", "59", "*/15", "*/20", "10,50", "0-30/10", "20,35", "15,20,50"))
hours = st.sampled_from(("*", "0", "1", "2", "23", "0-3", "2,3", "1-3", "*/2", "22-2"))
weekdays = st.sampled_from(("*", "*", "*", "sun", "fri-mon", "0,6"))


@settings(max_examples=60, deadline=None)
@given(minutes, hours, weekdays, st.sampled_from(JUMPS))
def test_celery_ticks_exactly_when_we_say_on_days_on_which_the_clock_jumps(minute, hour, weekday, jump):
    zone, start, end = jump[0], moment(jump[1]), moment(jump[2])
    text = f"{minute} {hour} * * {weekday}"
    expected = ticks(text, zone, start, end)
    rule = parse_rule(text, "celery-beat", zone)
    assert [due.due_at for due in rule.due_times(start + timedelta(seconds=1), end)] == expected


@pytest.mark.parametrize(
    ("text", "zone", "start", "end"),
    [
        ("0 0 29 2 *", "UTC", "2023-01-01", "2028-03-01"),
        ("0 0 31 * *", "Europe/Berlin", "2026-01-01", "2027-01-01"),
        ("30 23 28-31 * *", "America/New_York", "2026-01-01", "2026-07-01"),
        ("0 0 13 * fri", "UTC", "2026-01-01", "2027-01-01"),
        ("0 12 */10 * 1", "UTC", "2026-01-01", "2026-09-01"),
        ("15 3 * jan,jul sun", "Europe/Berlin", "2026-01-01", "2026-08-01"),
        ("59 23 31 12 *", "America/Sao_Paulo", "2025-01-01", "2027-01-02"),
        ("5 4 29-1 * 0", "UTC", "2026-01-01", "2026-07-01"),
    ],
)
def test_celery_ticks_exactly_when_we_say_over_leap_days_and_month_ends(text, zone, start, end):
    expected = ticks(text, zone, moment(start), moment(end), nap=86400)
    rule = parse_rule(text, "celery-beat", zone)
    found = rule.due_times(moment(start) + timedelta(seconds=1), moment(end))
    assert [due.due_at for due in found] == expected


@pytest.mark.parametrize(
    "text", ["* * * * 7", "60 * * * *", "5/10 * * * *", "* * 31 2 *", "* * *", "@daily", "x * * * *"]
)
def test_what_celery_refuses_is_refused(text):
    from celery.schedules import crontab

    with pytest.raises(ValueError, match=r"."):
        crontab.from_string(text)
    with pytest.raises(RefusedRule, match=r"."):
        parse_rule(text, "celery-beat", "UTC")


BERLIN_GAP = ("Europe/Berlin", "2026-03-28T23:00", "2026-03-29T03:00")
BERLIN_FOLD = ("Europe/Berlin", "2026-10-24T23:30", "2026-10-25T03:00")


@pytest.mark.parametrize(
    ("dialect", "text", "window", "expected"),
    [
        ("debian-cron", "30 2 * * *", BERLIN_GAP, ["29 01:00"]),
        ("croniter", "30 2 * * *", BERLIN_GAP, ["29 01:00"]),
        ("apscheduler", "30 2 * * *", BERLIN_GAP, ["29 01:30"]),
        ("celery-beat", "30 2 * * *", BERLIN_GAP, ["29 01:30"]),
        ("fugit", "30 2 * * *", BERLIN_GAP, []),
        ("kubernetes", "30 2 * * *", BERLIN_GAP, []),
        ("debian-cron", "30 1-3 * * *", BERLIN_GAP, ["29 00:30", "29 01:00", "29 01:30"]),
        ("celery-beat", "*/15 2 * * *", BERLIN_GAP, ["29 01:00"]),
        ("debian-cron", "30 2 * * *", BERLIN_FOLD, ["25 00:30"]),
        ("celery-beat", "30 2 * * *", BERLIN_FOLD, ["25 00:30"]),
        ("fugit", "30 2 * * *", BERLIN_FOLD, ["25 00:30", "25 01:30"]),
        ("croniter", "30 2 * * *", BERLIN_FOLD, ["25 00:30", "25 01:30"]),
        ("debian-cron", "30 * * * *", BERLIN_FOLD, ["24 23:30", "25 00:30", "25 01:30", "25 02:30"]),
        ("celery-beat", "30 * * * *", BERLIN_FOLD, ["24 23:30", "25 00:30", "25 02:30"]),
    ],
)
def test_each_dialect_keeps_its_own_clock_rule(dialect, text, window, expected):
    assert dues(text, dialect, *window) == expected


def test_days_combine_as_each_dialect_combines_them():
    july = ("UTC", "2026-07-01", "2026-08-01")
    assert dues("0 0 13 * 5", "celery-beat", *july) == []
    assert len(dues("0 0 13 * 5", "debian-cron", *july)) == 6
    assert dues("0 0 */10 * 1", "debian-cron", *july) == []
    assert len(dues("0 0 */10 * 1", "fugit", *july)) == 8
    # Monday is 1 for cron and 0 for APScheduler.
    assert dues("0 0 * * 1", "apscheduler", *july) == dues("0 0 * * 2", "debian-cron", *july)


def test_a_range_of_dues_is_half_open_and_falls_together_from_its_parts():
    whole = dues("0 */6 * * *", "celery-beat", "UTC", "2026-01-01", "2026-04-01")
    assert whole[0] == "01 00:00"
    assert whole[-1] == "31 18:00"
    assert len(whole) == 4 * 90
    parts = dues("0 */6 * * *", "celery-beat", "UTC", "2026-01-01", "2026-02-15") + dues(
        "0 */6 * * *", "celery-beat", "UTC", "2026-02-15", "2026-04-01"
    )
    assert parts == whole


def test_the_wall_clock_stands_beside_the_instant():
    rule = parse_rule("30 2 * * *", "fugit", "Europe/Berlin")
    first, second = rule.due_times(moment("2026-10-25T00:00"), moment("2026-10-25T02:00"))
    assert (first.local, first.offset, first.fold) == (
        datetime(2026, 10, 25, 2, 30),  # noqa: DTZ001
        timedelta(hours=2),
        0,
    )
    assert (second.local, second.offset, second.fold) == (first.local, timedelta(hours=1), 1)
    (gap,) = parse_rule("30 2 * * *", "celery-beat", "Europe/Berlin").due_times(
        moment("2026-03-29T00:00"), moment("2026-03-29T12:00")
    )
    assert gap.local == datetime(2026, 3, 29, 3, 30)  # noqa: DTZ001
    assert gap.gap_note == "02:30 does not exist on this day in Europe/Berlin"


def test_an_anchored_interval_counts_elapsed_seconds_across_a_fold():
    rule = parse_rule("every 3600s", "interval", "Europe/Berlin", anchor=moment("2026-01-01T00:30"))
    found = [due.due_at for due in rule.due_times(moment("2026-10-25T00:00"), moment("2026-10-25T03:00"))]
    assert found == [moment(f"2026-10-25T0{hour}:30") for hour in (0, 1, 2)]


@given(st.integers(1, 500_000), st.integers(-10_000, 10_000), st.integers(1, 5_000))
def test_an_interval_is_due_at_its_anchor_and_whole_periods_from_it(period, offset, length):
    anchor = moment("2026-01-01T00:00")
    start = anchor + timedelta(seconds=offset)
    rule = parse_rule(f"every {period}s", "interval", "UTC", anchor=anchor)
    found = [due.due_at for due in rule.due_times(start, start + timedelta(seconds=length))]
    first = -(-offset // period) * period
    expected = [anchor + timedelta(seconds=n) for n in range(first, offset + length, period)]
    assert found == expected


def test_a_period_that_is_no_whole_number_is_due_in_whole_seconds_each_once():
    rule = parse_rule("every 1.5s", "interval", "UTC", anchor=moment("1970-01-01T00:00"))
    found = [due.due_at.second for due in rule.due_times(moment("2026-01-01T00:00"), moment("2026-01-01T00:00:07"))]
    assert found == [0, 1, 3, 4, 6]


def test_a_floating_interval_has_a_longest_gap_of_two_periods():
    rule = parse_rule("every 90s", "interval-floating", "UTC")
    assert isinstance(rule, FloatingRule)
    assert rule.longest_gap == timedelta(seconds=180)
    assert rule.watched
    assert not parse_rule("every 0.5s", "interval-floating", "UTC").watched


@pytest.mark.parametrize(
    ("text", "dialect", "zone"),
    [
        ("every 3s", "interval", "UTC"),
        ("every 0s", "interval-floating", "UTC"),
        ("every -3s", "interval-floating", "UTC"),
        ("* * * * *", "solar", "UTC"),
        ("* * * * *", "celery-beat", "Europe/Atlantis"),
        ("* * * * *", "celery-beat", "../../etc/passwd"),
        ("0 0 31 2 *", "debian-cron", "UTC"),
        ("99 * * * *", "debian-cron", "UTC"),
    ],
)
def test_a_rule_that_is_not_understood_is_refused_with_words(text, dialect, zone):
    with pytest.raises(RefusedRule, match=r".{8}"):
        parse_rule(text, dialect, zone)


def test_rules_can_be_said_in_words():
    assert in_words(parse_rule("every 3s", "interval-floating", "UTC")) == "every 3 seconds, counted from the last run"
    assert in_words(parse_rule("every 1s", "interval", "UTC", anchor=moment("2026-01-01"))) == "every second"
    assert "02:30" in in_words(parse_rule("30 2 * * *", "celery-beat", "UTC"))
    assert in_words(parse_rule("0 22-2 * * *", "celery-beat", "UTC")) == "0 22-2 * * *"


def test_two_months_of_five_minute_dues_are_all_listed():
    rule = parse_rule("*/5 * * * *", "celery-beat", "Europe/Berlin")
    found = sum(1 for _ in rule.due_times(moment("2026-01-01"), moment("2026-03-01")))
    assert found == 59 * 288


def test_the_next_due_time_of_a_dense_rule_does_not_cost_a_month_of_minutes(monkeypatch):
    walked = []
    walls = Crontab.walls

    def counted(self, start, end):
        for wall in walls(self, start, end):
            walked.append(wall)
            yield wall

    monkeypatch.setattr(Crontab, "walls", counted)
    rule = parse_rule("* * * * *", "celery-beat", "Europe/Berlin")
    start = datetime(2026, 6, 1, tzinfo=UTC)
    assert next(rule.due_times(start, start + timedelta(days=400))).due_at == start
    assert len(walked) < 6000
