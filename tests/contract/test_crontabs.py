"""Crontab texts in the tongue of each dialect."""

from datetime import datetime

import pytest

from occurrences.contract.crontabs import parse_crontab
from occurrences.contract.errors import RefusedRule


def walls(text, dialect, day_rule="or", days=1):
    start = datetime(2026, 7, 6)  # noqa: DTZ001  (a Monday)
    crontab = parse_crontab(text, dialect, day_rule)
    return [f"{wall:%d %H:%M}" for wall in crontab.walls(start, datetime(2026, 7, 6 + days))]  # noqa: DTZ001


def test_celery_runs_a_range_over_midnight():
    assert walls("0 22-1 * * *", "celery-beat", "and") == ["06 00:00", "06 01:00", "06 22:00", "06 23:00"]


def test_the_start_is_inside_and_the_end_is_not():
    assert walls("0 0 * * *", "debian-cron", days=2) == ["06 00:00", "07 00:00"]


def test_nicknames_are_read_where_the_dialect_has_them():
    assert walls("@daily", "debian-cron") == ["06 00:00"]
    with pytest.raises(RefusedRule, match="1 fields"):
        parse_crontab("@reboot", "debian-cron", "or")


def test_apscheduler_counts_its_weekdays_from_monday_and_reads_names_as_they_are():
    assert walls("0 0 * * 0", "apscheduler", "and", days=7) == ["06 00:00"]
    assert walls("0 0 * * mon", "apscheduler", "and", days=7) == ["06 00:00"]
    with pytest.raises(RefusedRule, match="backwards"):
        parse_crontab("0 0 * * 5-1", "apscheduler", "and")


def test_wildcards_are_told_by_their_star():
    assert parse_crontab("*/5 3 * * *", "celery-beat", "and").wildcard
    assert parse_crontab("0 */2 * * *", "debian-cron", "or").wildcard
    assert not parse_crontab("0 1-3 * * *", "debian-cron", "or").wildcard


def test_four_knobs_can_ask_for_both_days():
    assert walls("0 0 6-12 * 3", "", "and", days=20) == ["08 00:00"]
    with pytest.raises(RefusedRule, match="no L or #"):
        parse_crontab("0 0 1-7 * 5#1", "", "and")
