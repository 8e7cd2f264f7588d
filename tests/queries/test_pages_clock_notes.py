"""Notes on the days the clock changes, and on no other."""

from datetime import UTC, datetime

import pytest

from occurrences.queries.pages.clock_notes import clock_note, zone_named

BERLIN = "Europe/Berlin"


def at(hour: int, minute: int = 30, *, day: int = 25) -> datetime:
    return datetime(2026, 10, day, hour, minute, tzinfo=UTC)


def test_each_of_two_equal_local_times_knows_which_it_is():
    assert "This is the first one (CEST); the second is 01:30Z (CET)." in clock_note(at(0), BERLIN, "")
    assert "This is the second one (CET); the first is 00:30Z (CEST)." in clock_note(at(1), BERLIN, "")


@pytest.mark.parametrize("due", [at(2), at(0, day=24), at(1, day=26)])
def test_an_ordinary_hour_has_no_note(due: datetime):
    assert clock_note(due, BERLIN, "") == ""


def test_half_an_hour_is_a_fold_too():
    due = datetime(2026, 4, 4, 14, 45, tzinfo=UTC)
    assert "01:45 happens twice on 5 Apr 2026 in Australia/Lord_Howe" in clock_note(due, "Australia/Lord_Howe", "")


def test_what_the_rule_said_of_a_gap_is_the_note():
    assert clock_note(at(1), BERLIN, "02:30 does not exist") == "02:30 does not exist"


@pytest.mark.parametrize("name", ["", "Nowhere/Land", "../../etc/passwd", "\0"])
def test_a_zone_that_is_none_is_utc(name: str):
    assert zone_named(name).key == "UTC"
