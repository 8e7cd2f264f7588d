"""Times at the borders of the contract: aware, in UTC, and written the same way everywhere."""

from datetime import UTC, date, datetime, timedelta

from .errors import InvalidQuestion

EARLIEST = datetime(2000, 1, 1, tzinfo=UTC)
LATEST = datetime(2100, 1, 1, tzinfo=UTC)


def in_utc(value: datetime) -> datetime:
    """Return `value` in UTC; a naive time raises InvalidQuestion, because nobody can say when it was."""
    if value.tzinfo is None:
        raise InvalidQuestion("a time without an offset cannot be judged")
    return value.astimezone(UTC)


def clock_text(value: datetime, day: date) -> str:
    """Return `02:30:02Z`, with the date in front when it is not `day` (the UTC day of the due time)."""
    moment = value.astimezone(UTC)
    pattern = "%H:%M:%SZ" if moment.date() == day else "%Y-%m-%d %H:%M:%SZ"
    return moment.strftime(pattern)


def span_text(span: timedelta) -> str:
    """Return a duration for a person: `45 s`, `12 min`, `3 h 20 min`, `2 d 4 h`."""
    seconds = int(abs(span).total_seconds())
    if seconds < 120:
        return f"{seconds} s"
    minutes, rest = divmod(seconds, 60)
    if minutes < 60:
        return f"{minutes} min" if not rest else f"{minutes} min {rest} s"
    hours, minutes = divmod(minutes, 60)
    if hours < 48:
        return f"{hours} h" if not minutes else f"{hours} h {minutes} min"
    days, hours = divmod(hours, 24)
    return f"{days} d" if not hours else f"{days} d {hours} h"


def next_second(value: datetime) -> datetime:
    """Return `value` in UTC, rounded up to a whole second; a naive time raises InvalidQuestion."""
    whole = in_utc(value).replace(microsecond=0)
    return whole if whole == value else whole + timedelta(seconds=1)
