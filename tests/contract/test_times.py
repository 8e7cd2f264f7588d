"""Times and durations as a person reads them."""

from datetime import datetime, timedelta

import pytest

from occurrences.contract.errors import InvalidQuestion
from occurrences.contract.times import clock_text, in_utc, next_second, span_text
from tests.contract.evidence import DUE, at


def test_a_moment_of_the_same_day_needs_no_date():
    assert clock_text(DUE, DUE.date()) == "02:30:00Z"
    assert clock_text(at(86_400), DUE.date()) == "2025-01-16 02:30:00Z"


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (0, "0 s"),
        (119, "119 s"),
        (120, "2 min"),
        (190, "3 min 10 s"),
        (3600, "1 h"),
        (12_000, "3 h 20 min"),
        (172_800, "2 d"),
        (187_200, "2 d 4 h"),
    ],
)
def test_durations_are_short(seconds, words):
    assert span_text(timedelta(seconds=seconds)) == words


def test_a_time_without_an_offset_is_refused():
    with pytest.raises(InvalidQuestion):
        in_utc(datetime(2025, 1, 15))  # noqa: DTZ001


def test_a_time_is_rounded_up_to_a_whole_second():
    assert next_second(DUE) == DUE
    assert next_second(DUE + timedelta(microseconds=1)) == DUE + timedelta(seconds=1)
