"""Crontab texts in the tongue of each dialect."""

from datetime import date, datetime, timedelta

import pytest

from occurrences.contract.clock_rules import clock_rule
from occurrences.contract.crontabs import Crontab, parse_crontab
from occurrences.contract.errors import RefusedRule
from occurrences.contract.grammars import grammar_of

BOTH = {"gap": "skip", "fold_fixed": "both", "fold_wildcard": "both", "day_rule": "and"}


def read(text, dialect) -> Crontab:
    return parse_crontab(text, grammar_of(dialect), clock_rule(dialect))


def walls(text, dialect, days=1):
    start = datetime(2026, 7, 6)  # noqa: DTZ001  (a Monday)
    crontab = read(text, dialect)
    return [f"{wall:%d %H:%M}" for wall in crontab.walls(start, start + timedelta(days=days))]


def test_celery_runs_a_range_over_midnight():
    assert walls("0 22-1 * * *", "celery-beat") == ["06 00:00", "06 01:00", "06 22:00", "06 23:00"]


def test_the_start_is_inside_and_the_end_is_not():
    assert walls("0 0 * * *", "debian-cron", days=2) == ["06 00:00", "07 00:00"]


def test_nicknames_are_read_where_the_dialect_has_them():
    assert walls("@daily", "debian-cron") == ["06 00:00"]
    assert walls("@NOON", "fugit") == ["06 12:00"]
    with pytest.raises(RefusedRule, match="'@reboot' is not known here; there are @yearly"):
        read("@reboot", "debian-cron")
    with pytest.raises(RefusedRule, match="no such names at all"):
        read("@daily", "celery-beat")


def test_apscheduler_counts_its_weekdays_from_monday_and_reads_names_as_they_are():
    assert walls("0 0 * * 0", "apscheduler", days=7) == ["06 00:00"]
    assert walls("0 0 * * mon", "apscheduler", days=7) == ["06 00:00"]
    assert walls("0 0 * * mon,6", "apscheduler", days=7) == ["06 00:00", "12 00:00"]
    with pytest.raises(RefusedRule, match="'5-1' in the day of week: it runs backwards"):
        read("0 0 * * 5-1", "apscheduler")


def test_wildcards_are_told_by_their_star_or_by_their_hours():
    assert read("*/5 3 * * *", "debian-cron").wildcard
    assert read("0 */2 * * *", "debian-cron").wildcard
    assert not read("0 1-3 * * *", "debian-cron").wildcard
    assert not read("*/5 3 * * *", "croniter").wildcard
    assert read("5 0-23 * * *", "croniter").wildcard
    assert not read("*/5 3 * * *", "celery-beat").wildcard


def test_four_knobs_can_ask_for_both_days():
    assert walls("0 0 6-12 * 3", BOTH, days=20) == ["08 00:00"]
    assert walls("0 0 6-12 * 3#2", BOTH, days=20) == ["08 00:00"]


@pytest.mark.parametrize(
    ("text", "dialect", "days", "expected"),
    [
        ("0 0 L * *", "fugit", 26, ["31 00:00"]),
        ("0 0 last * *", "fugit", 26, ["31 00:00"]),
        ("0 0 l * *", "croniter", 26, ["31 00:00"]),
        ("0 0 last * *", "apscheduler", 26, ["31 00:00"]),
        ("0 0 LW * *", BOTH, 26, ["31 00:00"]),
        ("0 0 * * 5#3", "fugit", 26, ["17 00:00"]),
        ("0 0 * * fri#3", "croniter", 26, ["17 00:00"]),
        ("0 0 * * fri#last", "fugit", 26, ["31 00:00"]),
        ("0 0 * * L5", "croniter", 26, ["31 00:00"]),
        ("0 0 * * 5L", BOTH, 26, ["31 00:00"]),
        ("0 0 * * 7", "debian-cron", 7, ["12 00:00"]),
        ("0 0 * * 5-7", "debian-cron", 7, ["10 00:00", "11 00:00", "12 00:00"]),
        ("0 0 * * sat-mon", "fugit", 7, ["06 00:00", "11 00:00", "12 00:00"]),
        ("0 24 * * *", "fugit", 1, ["06 00:00"]),
        ("50/4 0 ? * *", "kubernetes", 1, ["06 00:50", "06 00:54", "06 00:58"]),
        ("0 0 * 7 monday", "celery-beat", 7, ["06 00:00"]),
        ("0 0 */1 * 5", "kubernetes", 7, ["10 00:00"]),
        ("0 0 1-31 * 5", "kubernetes", 3, ["06 00:00", "07 00:00", "08 00:00"]),
        ("0 0 */10 * 5", "kubernetes", 7, ["10 00:00", "11 00:00"]),
        ("0 0 */10 * 6", "debian-cron", 7, ["11 00:00"]),
    ],
)
def test_each_dialect_has_words_of_its_own(text, dialect, days, expected):
    assert walls(text, dialect, days) == expected


@pytest.mark.parametrize(
    ("text", "dialect"), [("15 0 0 * * *", "fugit"), ("0 0 * * * 15", "croniter"), ("15 0 0 * * *", BOTH)]
)
def test_seconds_stand_where_the_dialect_has_them(text, dialect):
    (wall,) = read(text, dialect).walls(datetime(2026, 7, 6), datetime(2026, 7, 7))  # noqa: DTZ001
    assert (wall.hour, wall.minute, wall.second) == (0, 0, 15)


@pytest.mark.parametrize(
    ("text", "dialect", "words"),
    [
        ("61 * * * *", "debian-cron", "'61' in the minute: 61 is not between 0 and 59"),
        ("0 1,25 * * *", "celery-beat", "'25' in the hour: 25 is not between 0 and 23"),
        ("0 0 L * *", "debian-cron", "'L' in the day of month: 'L' is no number and no name"),
        ("0 0 1- * *", "debian-cron", "'1-' in the day of month: a number is missing"),
        ("0 0 * * 7", "kubernetes", "'7' in the day of week: 7 is not between 0 and 6"),
        ("0 0 * * 5#6", "fugit", "'5#6' in the day of week: a month has its first to its fifth"),
        ("0 0 * xyz *", "fugit", "'XYZ' in the month: 'XYZ' is no number and no name"),
        ("*/0 * * * *", "croniter", "'*/0' in the minute: '0' is no step"),
        ("5/10 * * * *", "celery-beat", "'5/10' in the minute: a step needs a range or a star"),
        ("15 0 0 * * *", "kubernetes", "has 6 fields, a crontab has five"),
        ("0 0 * *", "fugit", "has 4 fields, a crontab has five, or six with seconds"),
        ("0 0 31 2 *", "debian-cron", "'0 0 31 2 *': no day of any year fits"),
        ("0 " * 300, "debian-cron", "a crontab has at most 512 characters"),
        ("\u0663 * * * *", "debian-cron", "is no number and no name"),
    ],
)
def test_a_refusal_says_where_and_why(text, dialect, words):
    with pytest.raises(RefusedRule) as refused:
        read(text, dialect)
    assert words in str(refused.value)


def test_words_are_said_only_where_they_are_true():
    assert "02:30" in read("30 2 * * *", "celery-beat").in_words()
    assert read("0 0 13 * 5", "celery-beat").in_words() == "0 0 13 * 5"
    assert "Friday" in read("0 0 13 * 5", "fugit").in_words()
    assert read("0 0 * * 0", "apscheduler").in_words() == "0 0 * * 0"


@pytest.mark.parametrize(
    ("text", "day", "counted"),
    [
        ("30 0 * * sun", date(2024, 10, 6), True),
        ("30 0 5,6 * *", date(2024, 10, 6), True),
        ("30 0 6 10 *", date(2024, 10, 6), False),
        ("30 0 1 * *", date(2017, 10, 1), True),
        ("30 0 1 8,10 *", date(2017, 10, 1), False),
        ("30 0 1 1 *", date(2017, 1, 1), True),
    ],
)
def test_a_day_is_counted_to_from_the_day_before_or_the_month_before(text, day, counted):
    assert read(text, "apscheduler").counts_to(day) is counted
