"""Which occurrence a tick stands for."""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from celery import Celery
from celery.schedules import crontab, schedule
from hypothesis import given, settings
from hypothesis import strategies as st

from occurrences.tap.due import LISTED, due_of
from occurrences.tap.grid import Grid

NEW_YORK = "America/New_York"


def rule(text: str, zone: str = "UTC") -> crontab:
    app = Celery("dues", set_as_current=False)
    app.conf.timezone = zone
    made = crontab.from_string(text)
    made.app = app
    return made


def utc(*fields: int) -> datetime:
    return datetime(*fields, tzinfo=UTC)


def test_a_late_tick_stands_for_the_newest_due_and_names_the_older_ones() -> None:
    due = due_of(rule("* * * * *"), utc(2026, 3, 1, 13, 50, 0), utc(2026, 3, 1, 13, 53, 4))
    assert due.due_at == utc(2026, 3, 1, 13, 53)
    assert due.collapsed == (utc(2026, 3, 1, 13, 51), utc(2026, 3, 1, 13, 52))
    assert due.basis == "derived"


def test_a_tick_after_a_long_sleep_still_stands_for_the_newest_due() -> None:
    due = due_of(rule("*/5 * * * *"), utc(2023, 1, 1), utc(2026, 3, 1, 13, 53, 4))
    assert due.due_at == utc(2026, 3, 1, 13, 50)
    assert 0 < len(due.collapsed) <= LISTED


def test_a_yearly_due_is_found_after_a_sleep_of_years() -> None:
    due = due_of(rule("0 3 29 2 *"), utc(2019, 1, 1), utc(2026, 3, 1))
    assert due.due_at == utc(2024, 2, 29, 3)
    assert due.collapsed == (utc(2020, 2, 29, 3),)


@settings(max_examples=60, deadline=None)
@given(
    st.integers(0, 480_000).map(lambda minutes: utc(2026, 1, 1) + timedelta(minutes=minutes)),
    st.integers(1, 2000),
    st.sampled_from(["*/7 * * * *", "30 * * * *", "15 3 * * *", "0 4 * * 1-5", "59 23 1,15 * *"]),
)
def test_the_due_is_what_stepping_celery_itself_minute_by_minute_finds(
    start: datetime, minutes: int, text: str
) -> None:
    last = start
    tick = last + timedelta(minutes=minutes, seconds=3)
    made, newest, seen = rule(text), None, last
    for step in range(1, minutes + 1):
        now = last + timedelta(minutes=step)
        made.nowfun = lambda now=now: now
        if made.is_due(seen).is_due:
            newest, seen = now, now
    if newest is not None:
        assert due_of(made, last, tick).due_at == newest


def test_a_local_time_that_does_not_exist_is_named_with_the_offset_before_the_jump() -> None:
    due = due_of(rule("30 2 * * *", NEW_YORK), utc(2026, 3, 7, 12), utc(2026, 3, 8, 7, 30, 1))
    assert due.due_at == utc(2026, 3, 8, 7, 30)


def test_a_local_time_that_comes_twice_is_due_the_first_time() -> None:
    last = datetime(2026, 10, 31, 12, tzinfo=ZoneInfo(NEW_YORK))
    due = due_of(rule("30 1 * * *", NEW_YORK), last, utc(2026, 11, 1, 5, 30, 1))
    assert due.due_at == utc(2026, 11, 1, 5, 30)


@given(st.integers(0, 10_000), st.integers(1, 4000), st.sampled_from([1, 3, 5, 7]))
def test_a_grid_tick_stands_for_the_last_whole_period(offset: int, later: int, period: int) -> None:
    last = utc(2026, 3, 1) + timedelta(milliseconds=offset)
    tick = last + timedelta(milliseconds=later * 100)
    grid = Grid(period)
    if grid.slot(tick) == grid.slot(last):
        return
    due = due_of(grid, last, tick)
    assert due.basis == "nominal"
    assert due.due_at <= tick < due.due_at + timedelta(seconds=period)
    assert all(last < older < due.due_at for older in due.collapsed)
    assert len(due.collapsed) == min(grid.slot(tick) - grid.slot(last) - 1, LISTED)


@pytest.mark.parametrize("plan", [schedule(4), object()], ids=["plain interval", "a class of somebody's own"])
def test_a_schedule_without_dues_of_its_own_is_named_by_the_second_of_its_tick(plan: object) -> None:
    due = due_of(plan, utc(2026, 3, 1, 12), utc(2026, 3, 1, 12, 0, 4).replace(microsecond=700_000))
    assert (due.due_at, due.basis, due.collapsed) == (utc(2026, 3, 1, 12, 0, 4), "floating", ())
