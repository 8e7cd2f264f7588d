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
    ("Pacific/Chatham", "2026-04-04T11:30", "2026-04-04T16:30"),
    ("Pacific/Chatham", "2026-09-26T12:00", "2026-09-26T17:00"),
    ("Asia/Tehran", "2022-03-21T18:00", "2022-03-22T00:00"),
    ("Asia/Tehran", "2022-09-21T17:30", "2022-09-21T23:30"),
    ("America/Santiago", "2025-09-07T02:00", "2025-09-07T07:30"),
    ("America/Santiago", "2025-04-06T00:30", "2025-04-06T06:30"),
    ("America/Havana", "2025-03-09T03:00", "2025-03-09T08:30"),
    ("America/Havana", "2025-11-02T03:00", "2025-11-02T08:30"),
    ("America/Sao_Paulo", "2018-11-04T01:00", "2018-11-04T06:30"),
    ("America/Sao_Paulo", "2018-02-17T23:30", "2018-02-18T05:30"),
    ("Africa/Casablanca", "2025-02-22T23:00", "2025-02-23T04:30"),
    ("Africa/Casablanca", "2025-04-05T23:00", "2025-04-06T04:30"),
    ("America/Nuuk", "2024-03-30T23:00", "2024-03-31T05:00"),
    ("Atlantic/Azores", "2026-03-28T23:30", "2026-03-29T04:00"),
    ("Atlantic/Azores", "2026-10-24T22:30", "2026-10-25T04:00"),
    ("Europe/Moscow", "2014-10-25T19:30", "2014-10-26T01:30"),
    ("America/St_Johns", "2026-03-08T03:00", "2026-03-08T08:00"),
    ("Antarctica/Troll", "2026-03-28T23:30", "2026-03-29T04:00"),
    ("America/Caracas", "2016-05-01T04:30", "2016-05-01T08:30"),
    ("Asia/Pyongyang", "2018-05-04T13:00", "2018-05-04T17:30"),
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
    ("Asia/Kathmandu", "2026-05-31T16:15", "2026-05-31T20:15"),
    ("Pacific/Kiritimati", "2026-12-31T08:00", "2026-12-31T12:00"),
    ("Pacific/Honolulu", "2027-01-01T08:00", "2027-01-01T12:00"),
    ("Pacific/Auckland", "2028-02-28T09:00", "2028-02-28T13:00"),
    ("Asia/Tokyo", "2026-01-31T13:00", "2026-01-31T17:00"),
    ("America/St_Johns", "2026-03-01T01:30", "2026-03-01T05:30"),
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
    ("0 7 28,31 1,2 *", "Pacific/Kiritimati", "2026-01-01T00:00", "2026-03-02T00:00"),
    # A midnight that is skipped on a Sunday, on the first of a month, and on a day that only its date names.
    ("30 0 * * sun", "America/Asuncion", "2024-09-20T00:00", "2024-10-20T00:00"),
    ("30 0 6 10 *", "America/Asuncion", "2024-09-20T00:00", "2024-10-20T00:00"),
    ("25 0 6 10 sun", "America/Asuncion", "2024-09-20T00:00", "2024-10-20T00:00"),
    ("30 0 5,6 10 sun", "America/Asuncion", "2024-09-20T00:00", "2024-10-20T00:00"),
    ("30 0 1 * *", "America/Asuncion", "2017-08-15T00:00", "2017-11-15T00:00"),
    ("30 0 1 8,10 *", "America/Asuncion", "2017-07-15T00:00", "2017-11-15T00:00"),
    ("30 0 * 8,10 sun", "America/Asuncion", "2017-08-15T00:00", "2017-10-20T00:00"),
    # The days after a change.
    ("20 0 * * *", "Europe/Berlin", "2026-03-27T00:00", "2026-04-03T00:00"),
    ("20 0 * * *", "Europe/London", "2026-10-23T00:00", "2026-10-30T00:00"),
    ("0 0 1 * *", "Europe/Berlin", "2026-01-01T00:00", "2026-12-02T00:00"),
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
