"""Local times that do not exist, or come twice."""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from occurrences.contract.clock_rules import ClockRule
from occurrences.contract.local_times import due_of, instants

BERLIN = ZoneInfo("Europe/Berlin")


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
