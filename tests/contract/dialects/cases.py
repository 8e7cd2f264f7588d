"""The days on which dialects differ, and the crontabs that are asked about them."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime


@dataclass(frozen=True, slots=True)
class Case:
    """A crontab in a zone, and the stretch of time (UTC; from inclusive, to exclusive) it is asked about."""

    text: str
    zone: str
    start: datetime
    end: datetime


# Zone, from and to (UTC): a change of the clock, or a turn of the calendar, in the middle.
CLOCK_CHANGES = (
    ("Europe/Berlin", "2026-03-28T22:00", "2026-03-29T04:00"),
    ("Europe/Berlin", "2026-10-24T22:00", "2026-10-25T04:00"),
    ("America/New_York", "2026-03-08T04:00", "2026-03-08T10:00"),
    ("America/New_York", "2026-11-01T03:00", "2026-11-01T09:00"),
    ("Europe/London", "2026-03-28T23:00", "2026-03-29T04:00"),
    ("Europe/London", "2026-10-24T22:00", "2026-10-25T04:00"),
    ("Australia/Lord_Howe", "2026-04-04T12:00", "2026-04-04T18:00"),
    ("Australia/Lord_Howe", "2026-10-03T13:00", "2026-10-03T18:00"),
    ("America/Asuncion", "2024-10-06T01:00", "2024-10-06T08:00"),
    ("America/Asuncion", "2024-03-24T00:00", "2024-03-24T07:00"),
    ("Asia/Beirut", "2026-03-28T19:00", "2026-03-29T02:00"),
    ("Asia/Beirut", "2026-10-24T18:00", "2026-10-25T02:00"),
    ("Africa/Cairo", "2026-04-23T19:00", "2026-04-24T02:00"),
    ("Africa/Cairo", "2026-10-29T18:00", "2026-10-30T02:00"),
    ("Pacific/Apia", "2011-12-30T04:00", "2011-12-31T02:00"),
)
AROUND_A_CHANGE = (
    "30 2 * * *",
    "0 2 * * *",
    "30 1 * * *",
    "15 0 * * *",
    "0 0 * * *",
    "45 23 * * *",
    "10,40 1-3 * * *",
    "*/15 2 * * *",
    "*/20 * * * *",
    "30 * * * *",
    "5 */2 * * *",
    "0,30 0-3 * * *",
    "0,30 2 * * *",
    "5,35 0 * * *",
)
# The same, around midnights that matter to a day rule.
DAY_TURNS = (
    ("Europe/Berlin", "2028-02-28T21:00", "2028-02-29T01:00"),
    ("America/New_York", "2026-02-01T03:00", "2026-02-01T07:00"),
    ("Europe/London", "2026-12-31T22:00", "2027-01-01T02:00"),
    ("Australia/Lord_Howe", "2025-12-31T11:00", "2025-12-31T15:00"),
    ("UTC", "2026-03-12T22:00", "2026-03-13T02:00"),
    ("UTC", "2026-05-31T22:00", "2026-06-01T02:00"),
    ("Asia/Beirut", "2026-06-10T19:00", "2026-06-10T23:00"),
    ("Africa/Cairo", "2026-07-05T19:00", "2026-07-05T23:00"),
)
AT_A_DAY_TURN = (
    "0 0 29 2 *",
    "30 0 31 * *",
    "59 23 31 12 *",
    "0 0 1 1 *",
    "0 0 13 * 5",
    "0 0 */10 * 1",
    "15 0 1-7 * mon",
    "20 0 28-31 * *",
    "5 0 * * sun",
    "40 0 * jan-mar 1-5",
)
CALENDAR = (
    ("0 12 30 12 *", "Pacific/Apia", "2011-12-29T00:00", "2012-01-01T00:00"),
    ("0 0 29 2 *", "Europe/Berlin", "2024-01-01T00:00", "2033-01-01T00:00"),
    ("30 2 29 2 *", "UTC", "2023-12-31T00:00", "2029-01-01T00:00"),
    ("0 0 31 * *", "America/New_York", "2026-01-01T00:00", "2027-01-02T00:00"),
    ("15 23 31 1,3,12 *", "Europe/London", "2025-12-01T00:00", "2027-01-02T00:00"),
    ("59 23 31 12 *", "America/New_York", "2025-12-01T00:00", "2027-01-02T00:00"),
    ("0 0 1 1 *", "Pacific/Apia", "2025-12-01T00:00", "2027-01-02T00:00"),
    ("0 0 1 jan *", "Australia/Lord_Howe", "2025-12-01T00:00", "2027-01-02T00:00"),
    ("0 0 13 * 5", "UTC", "2026-01-01T00:00", "2026-04-01T00:00"),
    ("0 0 1-7 * mon", "Europe/Berlin", "2026-01-01T00:00", "2026-04-01T00:00"),
    ("0 0 */10 * 1", "UTC", "2026-01-01T00:00", "2026-04-01T00:00"),
    ("0 6 * * sat,sun", "Europe/Berlin", "2026-03-20T00:00", "2026-04-10T00:00"),
    ("0 6 * feb,nov mon-fri", "America/New_York", "2026-01-25T00:00", "2026-02-25T00:00"),
    ("0 12 28-31 * *", "Asia/Beirut", "2026-01-01T00:00", "2026-05-01T00:00"),
    ("20 4 5-20/5 */3 *", "America/Asuncion", "2026-01-01T00:00", "2027-01-01T00:00"),
)


# Asked of each program for itself: not all of them understand these, and not all mean the same.
WORDS = (
    "@daily",
    "@noon",
    "@reboot",
    "0 0 L * *",
    "0 0 l * *",
    "0 0 last * *",
    "0 0 LW * *",
    "0 0 * * 5#3",
    "0 0 * * fri#1",
    "0 0 * * 5#6",
    "0 0 * * 5L",
    "0 0 * * L5",
    "0 0 * * 5#L",
    "0 0 * * 0",
    "0 0 * * 7",
    "0 0 * * 5-7",
    "0 0 * * fri-mon",
    "0 0 * * mon,wed",
    "0 0 * * monday",
    "0 0 * JUL *",
    "0 0 * july *",
    "50/4 0 1 * *",
    "0 22-1 * * *",
    "0 24 * * *",
    "0 0 0 * *",
    "0 0 ? * *",
    "0 0 */1 * 5",
    "0 0 1-31 * 5",
    "0 0 13 * 0-6",
    "0 0 5,*/20 * 5",
    "0 0 * * *,5",
    "15 0 0 1 * *",
    "0 0 1 * * 15",
    "60 * * * *",
    "0 0 32 * *",
    "0 0 1 13 *",
    "0 0 1 * 8",
    "*/0 * * * *",
    "5-1 0 1 * *",
    "x * * * *",
    "1,,2 0 1 * *",
    "1- 0 1 * *",
    "-5 0 1 * *",
    "1/ 0 1 * *",
    "* * * *",
    "0 0 1 * * 0 2026",
)


def moment(text: str) -> datetime:
    """Return a time of these tables, written in UTC without an offset."""
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


def _each(windows: Iterable[tuple[str, str, str]], texts: Iterable[str]) -> list[Case]:
    return [Case(text, zone, moment(start), moment(end)) for zone, start, end in windows for text in texts]


def short_cases() -> list[Case]:
    """Those of a few hours, which a daemon under a fast clock can live through."""
    return _each(CLOCK_CHANGES, AROUND_A_CHANGE) + _each(DAY_TURNS, AT_A_DAY_TURN)


def cases() -> list[Case]:
    """All of them; every dialect reads them in the same words."""
    return short_cases() + [Case(text, zone, moment(start), moment(end)) for text, zone, start, end in CALENDAR]


def word_cases() -> list[Case]:
    """The words, asked about one month in UTC."""
    return [Case(text, "UTC", moment("2026-07-01T00:00"), moment("2026-08-01T00:00")) for text in WORDS]


def night_cases() -> list[Case]:
    """The words, asked about the first night of a month and one before a Sunday, for the daemon."""
    nights = (("UTC", "2026-06-30T23:00", "2026-07-01T01:30"), ("UTC", "2026-07-04T23:00", "2026-07-05T01:30"))
    return _each(nights, WORDS)
