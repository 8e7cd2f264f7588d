"""The grid schedule."""

import pickle
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from occurrences.tap.grid import Grid

MOMENTS = st.integers(1_000_000_000_000, 4_000_000_000_000).map(lambda ms: datetime.fromtimestamp(ms / 1000, UTC))


def at(moment: datetime, period: float) -> Grid:
    return Grid(period, nowfun=lambda: moment)


@given(MOMENTS, st.integers(0, 10_000_000), st.sampled_from([1, 3, 5, 7, 60, 86_400]))
def test_it_is_due_exactly_when_the_number_of_whole_periods_grew(last: datetime, later: int, period: int) -> None:
    now = last + timedelta(milliseconds=later)
    grew = int(now.timestamp() // period) > int(last.timestamp() // period)
    assert at(now, period).is_due(last).is_due is grew


@given(MOMENTS, st.sampled_from([1, 5, 7, 3600]))
def test_it_asks_to_be_looked_at_again_at_the_next_grid_instant(now: datetime, period: int) -> None:
    again = now + timedelta(seconds=at(now, period).is_due(now).next)
    assert again.timestamp() % period < 0.002 or again.timestamp() % period > period - 0.001


def test_a_naive_last_run_is_read_as_utc() -> None:
    grid = at(datetime(2026, 1, 1, 12, 0, 5, tzinfo=UTC), 5)
    assert grid.is_due(datetime(2026, 1, 1, 12, 0, 4)).is_due  # noqa: DTZ001
    assert grid.remaining_estimate(datetime(2026, 1, 1, 12, 0, 4)) == timedelta(0)  # noqa: DTZ001


def test_it_survives_the_schedule_file_of_the_persistent_scheduler() -> None:
    assert pickle.loads(pickle.dumps(Grid(5))) == Grid(5)
    assert Grid(5) != Grid(6)


def test_a_period_that_is_not_positive_is_refused() -> None:
    with pytest.raises(ValueError, match="positive"):
        Grid(0)
