"""Moments and texts as they come in."""

from datetime import UTC, datetime

import pytest

from occurrences.contract.errors import Refused
from occurrences.contract.wire_fields import Fields, OutOfRangeError, check_deep, read_moment


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2026-10-25T01:30:00Z", datetime(2026, 10, 25, 1, 30, tzinfo=UTC)),
        ("2026-10-25 03:30:00+02:00", datetime(2026, 10, 25, 1, 30, tzinfo=UTC)),
        ("2026-10-25T01:30:00.123456789Z", datetime(2026, 10, 25, 1, 30, 0, 123_456, tzinfo=UTC)),
        ("1999-12-31T23:30:00-01:00", datetime(2000, 1, 1, 0, 30, tzinfo=UTC)),
    ],
)
def test_rfc_3339_is_read_in_utc(text, expected):
    assert read_moment(text, "at") == expected


@pytest.mark.parametrize(
    "text",
    [
        "30000-01-01T00:00:00Z",
        "+012026-01-01T00:00:00Z",
        "1999-12-31T23:59:59Z",
        "2100-01-01T00:00:00Z",
        "0001-01-01T00:00:00Z",
    ],
)
def test_another_century_is_well_formed(text):
    with pytest.raises(OutOfRangeError):
        read_moment(text, "at")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "now",
        "2026-10-25t01:30:00z",
        "NaN",
        "2026-10-25",
        "2026-10-25T01:30Z",
        "2026-10-25T25:30:00Z",
        "2026-02-29T00:00:00Z",
        "2026-10-25T01:30:00+25:00",
        "30000-13-01T00:00:00Z",
        "2026-10-25T01:30:00Z ",
        "２026-10-25T01:30:00Z",  # noqa: RUF001
    ],
)
def test_what_is_no_moment_is_refused(text):
    with pytest.raises(Refused, match=r"^at"):
        read_moment(text, "at")


def test_a_naive_time_is_told_so():
    with pytest.raises(Refused, match="no offset"):
        read_moment("2026-10-25T01:30:00", "at")


def test_names_that_are_no_text_and_values_too_deep_to_store_are_refused():
    with pytest.raises(Refused):
        Fields({1: "x"})
    with pytest.raises(Refused):
        check_deep({"a": ["\ud800"]}, "detail")
    with pytest.raises(Refused):
        check_deep({"a\0": 1}, "detail")


def test_lists_are_bounded():
    with pytest.raises(Refused, match="1000"):
        Fields({"queues": ["q"] * 1001}).texts("queues")
