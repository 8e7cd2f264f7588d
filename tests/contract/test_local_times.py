"""Local times that do not exist, or come twice."""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from occurrences.contract.clock_rules import ClockRule, preset
from occurrences.contract.local_times import clock_changes, due_of, instants, offsets

BERLIN = ZoneInfo("Europe/Berlin")
HOUR = timedelta(hours=1)


def meant(wall: str, *, gap="skip", fold="first", wildcard=False, zone=BERLIN):
    clock = ClockRule(gap=gap, fold_fixed=fold, fold_wildcard="both", day_rule="or")
    return [
        f"{due.due_at:%H:%M:%S}" for due in instants([datetime.fromisoformat(wall)], zone, clock, wildcard=wildcard)
    ]


@pytest.mark.parametrize(("gap", "expected"), [("skip", []), ("after", ["01:00:00"]), ("shift", ["01:30:00"])])
def test_a_time_in_the_gap_follows_the_rule(gap, expected):
    assert meant("2026-03-29T02:30", gap=gap) == expected
    assert meant("2026-03-29T02:30", gap=gap, wildcard=True) == []


@pytest.mark.parametrize(
    ("fold", "expected"),
    [("first", ["00:30:00"]), ("second", ["01:30:00"]), ("both", ["00:30:00", "01:30:00"])],
)
def test_a_time_that_comes_twice_follows_the_rule(fold, expected):
    assert meant("2026-10-25T02:30", fold=fold) == expected


def test_the_first_instant_after_a_jump_is_found_for_a_jump_of_half_an_hour_and_of_a_day():
    assert meant("2026-10-04T02:10", gap="after", zone=ZoneInfo("Australia/Lord_Howe")) == ["15:30:00"]
    assert meant("2011-12-30T12:00", gap="after", zone=ZoneInfo("Pacific/Apia")) == ["10:00:00"]


def test_a_due_time_knows_its_wall_clock():
    due = due_of(datetime(2026, 10, 25, 1, 30, tzinfo=UTC), BERLIN)
    assert (due.zone, due.offset, due.fold) == ("Europe/Berlin", timedelta(hours=1), 1)


def test_the_changes_of_a_clock_are_found_to_the_second():
    year = (datetime(2026, 1, 1, tzinfo=UTC), datetime(2027, 1, 1, tzinfo=UTC))
    assert list(clock_changes(BERLIN, *year)) == [
        (datetime(2026, 3, 29, 1, tzinfo=UTC), timedelta(hours=1)),
        (datetime(2026, 10, 25, 1, tzinfo=UTC), timedelta(hours=-1)),
    ]
    assert [by for _, by in clock_changes(ZoneInfo("Africa/Casablanca"), *year)] == [-HOUR, HOUR]
    assert offsets(BERLIN, *year) == (HOUR, 2 * HOUR)
    assert offsets(ZoneInfo("UTC"), *year) == (timedelta(0), timedelta(0))


def test_a_jump_may_be_too_long_to_make_up_for():
    clock = ClockRule(
        gap="after", fold_fixed="first", fold_wildcard="both", day_rule="or", longest_jump=timedelta(hours=3)
    )
    lost = datetime(2011, 12, 30, 12)  # noqa: DTZ001
    assert list(instants([lost], ZoneInfo("Pacific/Apia"), clock, wildcard=False)) == []
    assert len(list(instants([datetime(2026, 3, 29, 2)], BERLIN, clock, wildcard=False))) == 1  # noqa: DTZ001


def test_a_scheduler_that_counts_up_to_a_gap_has_nothing_due_in_it():
    clock = ClockRule(
        gap="shift", fold_fixed="both", fold_wildcard="both", day_rule="or", wildcard="never", gap_times="none_counted"
    )
    walls = [datetime(2026, 3, 29, hour, 30) for hour in (0, 1, 2)]  # noqa: DTZ001
    assert len(list(instants(walls, BERLIN, clock, wildcard=False))) == 2
    assert len(list(instants([walls[0], walls[2]], BERLIN, clock, wildcard=False))) == 2


def test_a_time_of_the_hour_that_ran_already_is_not_counted_to():
    zone, clock = ZoneInfo("Pacific/Chatham"), preset("apscheduler")
    quarters = [datetime(2026, 9, 27, 2, minute) for minute in (15, 30, 45)]  # noqa: DTZ001
    assert [f"{due.local:%H:%M}" for due in instants(quarters, zone, clock, wildcard=False)] == [
        "02:15",
        "02:30",
        "03:45",
    ]


@pytest.mark.parametrize(("counted", "expected"), [(True, 0), (False, 1)])
def test_a_lost_midnight_takes_with_it_what_the_scheduler_counts_up_to(counted, expected):
    lost, zone = datetime(2024, 10, 6, 0, 30), ZoneInfo("America/Asuncion")  # noqa: DTZ001
    found = instants([lost], zone, preset("apscheduler"), wildcard=False, counts_to=lambda day: counted)
    assert len(list(found)) == expected
