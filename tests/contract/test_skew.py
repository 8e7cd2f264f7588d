"""A clock ahead is shown from five seconds on and calls a person from ten minutes on."""

from datetime import UTC, datetime, timedelta

import pytest

from occurrences.contract.skew import ahead, alarming, shows_right_clock

NOW = datetime(2026, 3, 2, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("seconds", "shown"),
    [(-315_360_000, False), (-1, False), (0, False), (4.999, False), (5, True), (600, True), (315_360_000, True)],
)
def test_five_seconds_ahead_are_shown(seconds, shown):
    span = ahead(NOW + timedelta(seconds=seconds), NOW)
    assert span == (timedelta(seconds=seconds) if shown else None)


def test_ten_minutes_call_a_person():
    assert alarming(timedelta(minutes=10))
    assert not alarming(timedelta(minutes=10) - timedelta(microseconds=1))


@pytest.mark.parametrize(("seconds", "right"), [(-61, False), (-60, True), (0, True), (4, True), (5, False)])
def test_only_a_fresh_record_shows_that_a_clock_is_right_again(seconds, right):
    assert shows_right_clock(NOW + timedelta(seconds=seconds), NOW) is right
