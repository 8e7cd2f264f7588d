"""Where the clock is changed: forward and back, by an hour, by half of one, by a whole day."""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from occurrences.contract.clock_changes import change_near, changes
from occurrences.contract.local_times import due_of

HOUR = timedelta(hours=1)
LORD_HOWE = "Australia/Lord_Howe"


def year(zone: str, of: int) -> list[tuple[str, str, str]]:
    found = changes(ZoneInfo(zone), datetime(of, 1, 1, tzinfo=UTC), datetime(of + 1, 1, 1, tzinfo=UTC))
    return [(f"{c.at:%m-%d %H:%M}Z", f"{c.wall_before:%d %H:%M}", f"{c.wall_after:%d %H:%M}") for c in found]


@pytest.mark.parametrize(
    ("zone", "of", "expected"),
    [
        ("Europe/Berlin", 2026, [("03-29 01:00Z", "29 02:00", "29 03:00"), ("10-25 01:00Z", "25 03:00", "25 02:00")]),
        ("America/Chicago", 2026, [("03-08 08:00Z", "08 02:00", "08 03:00"), ("11-01 07:00Z", "01 02:00", "01 01:00")]),
        (LORD_HOWE, 2026, [("04-04 15:00Z", "05 02:00", "05 01:30"), ("10-03 15:30Z", "04 02:00", "04 02:30")]),
        ("Africa/Cairo", 2026, [("04-23 22:00Z", "24 00:00", "24 01:00"), ("10-29 21:00Z", "30 00:00", "29 23:00")]),
        ("Asia/Tokyo", 2026, []),
        ("UTC", 2026, []),
    ],
)  # fmt: skip
def test_each_change_is_found_to_the_second(zone: str, of: int, expected: list[tuple[str, str, str]]):
    assert year(zone, of) == expected


def test_a_day_that_was_lost_is_one_change():
    assert ("12-30 10:00Z", "30 00:00", "31 00:00") in year("Pacific/Apia", 2011)


def test_the_end_is_excluded_and_the_start_is_not():
    at = datetime(2026, 10, 25, 1, tzinfo=UTC)
    assert not list(changes(ZoneInfo("Europe/Berlin"), at - HOUR, at))
    assert [c.at for c in changes(ZoneInfo("Europe/Berlin"), at, at + HOUR)] == [at]


@pytest.mark.parametrize(
    ("zone", "due", "touched"),
    [
        ("Europe/Berlin", "2026-10-25T00:30", True),
        ("Europe/Berlin", "2026-10-25T02:30", False),
        ("Europe/Berlin", "2026-10-24T21:30", None),
        ("Europe/Berlin", "2026-10-26T00:30", None),
        ("America/Santiago", "2026-04-05T02:30", True),  # 23:30 on the day before the clock shows midnight
        ("America/Santiago", "2026-04-05T04:30", None),
    ],
)
def test_the_change_of_the_local_day_is_near_and_no_other(zone: str, due: str, touched: bool | None):
    change = change_near(shown := due_of(datetime.fromisoformat(due).replace(tzinfo=UTC), ZoneInfo(zone)))
    assert (None if change is None else change.touches(shown.local)) is touched
