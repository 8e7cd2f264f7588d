"""Crontab texts in the tongue of each dialect, and the naive local times they name."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta

from cronsim import CronSim, CronSimError

from .errors import RefusedRule

MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
WEEKDAYS = ("sun", "mon", "tue", "wed", "thu", "fri", "sat")
NAMES = {name: number for number, name in enumerate(MONTHS, start=1)} | {
    name: number for number, name in enumerate(WEEKDAYS)
}
NICKNAMES = {
    "@yearly": "0 0 1 1 *",
    "@annually": "0 0 1 1 *",
    "@monthly": "0 0 1 * *",
    "@weekly": "0 0 * * 0",
    "@daily": "0 0 * * *",
    "@midnight": "0 0 * * *",
    "@hourly": "0 * * * *",
}
BOUNDS = ((0, 59), (0, 23), (1, 31), (1, 12), (0, 6))
FIELDS = ("minute", "hour", "day of month", "month", "day of week")
EXPANDED = ("celery-beat", "django-celery-beat", "apscheduler")
TRIAL = datetime(2000, 1, 1)  # noqa: DTZ001  (a wall clock without a zone; any day will do)


@dataclass(frozen=True, slots=True, kw_only=True)
class Crontab:
    """A parsed crontab: what cronsim walks, and the weekdays (Sunday = 0) that are sorted out afterwards."""

    text: str
    walked: str
    weekdays: frozenset[int] | None
    wildcard: bool

    def walls(self, start: datetime, end: datetime) -> Iterator[datetime]:
        """Yield the naive local times from `start` (inclusive) to `end` (exclusive), ascending."""
        for wall in CronSim(self.walked, start - timedelta(seconds=1)):
            if wall >= end:
                return
            if self.weekdays is None or wall.isoweekday() % 7 in self.weekdays:
                yield wall


def parse_crontab(text: str, dialect: str, day_rule: str) -> Crontab:
    """Return the crontab that `text` means in `dialect`; a text it refuses raises RefusedRule with its words."""
    fields = text.split()
    if len(fields) == 1 and dialect not in EXPANDED:
        fields = NICKNAMES.get(fields[0].lower(), text).split()
    if len(fields) != 5:
        raise RefusedRule(f"{text!r} has {len(fields)} fields, a crontab has five")
    wildcard = fields[0].startswith("*") or fields[1].startswith("*")
    walked, weekdays = _expanded(fields, dialect) if dialect in EXPANDED else _as_written(fields, day_rule)
    _try(walked)
    return Crontab(text=" ".join(fields), walked=walked, weekdays=weekdays, wildcard=wildcard)


def _as_written(fields: list[str], day_rule: str) -> tuple[str, frozenset[int] | None]:
    """Return the text for cronsim, which combines the days as cron does."""
    days, weekdays = fields[2], fields[4]
    if day_rule == "star_and" or "*" in (days, weekdays):
        return " ".join(fields), None
    if day_rule == "or":
        # Written out, a step is no star any more: then either day is enough.
        days, weekdays = days.replace("*", "1-31"), weekdays.replace("*", "0-6")
        return " ".join([*fields[:2], days, fields[3], weekdays]), None
    numbers = frozenset(number % 7 for number in _numbers_of(weekdays))
    return " ".join([*fields[:4], "*"]), numbers


def _numbers_of(weekdays: str) -> set[int]:
    _try(f"* * * * {weekdays}")
    items = CronSim(f"* * * * {weekdays}", TRIAL).weekdays
    if not all(isinstance(item, int) for item in items):
        raise RefusedRule("this dialect has no L or # beside a day of the month")
    return {item for item in items if isinstance(item, int)}


def _expanded(fields: list[str], dialect: str) -> tuple[str, frozenset[int]]:
    """Return explicit numbers: these dialects have rules of their own for ranges, names and weekdays."""
    wraps = dialect != "apscheduler"
    sets = [
        _numbers(field, name, low, high, wraps=wraps)
        for field, name, (low, high) in zip(fields, FIELDS, BOUNDS, strict=True)
    ]
    if dialect == "apscheduler":
        # There Monday is 0.
        sets[4] = {number if _named(fields[4]) else (number + 1) % 7 for number in sets[4]}
    written = [",".join(str(number) for number in sorted(numbers)) for numbers in sets[:4]]
    return " ".join([*written, "*"]), frozenset(sets[4])


def _named(field: str) -> bool:
    return any(name in field.lower() for name in WEEKDAYS)


def _numbers(field: str, name: str, low: int, high: int, *, wraps: bool) -> set[int]:
    found: set[int] = set()
    for part in field.split(","):
        span, slash, step = part.partition("/")
        numbers = _span(span, name, low, high, wraps=wraps)
        if not slash:
            found.update(numbers)
        elif not (step.isdecimal() and int(step) > 0) or (span != "*" and "-" not in span):
            raise RefusedRule(f"{part!r} is no step of the {name}")
        else:
            found.update(numbers[:: int(step)])
    return found


def _span(span: str, name: str, low: int, high: int, *, wraps: bool) -> list[int]:
    if span == "*":
        return list(range(low, high + 1))
    first, dash, last = span.partition("-")
    begin = _number(first, name, low, high)
    end = _number(last, name, low, high) if dash else begin
    if end >= begin:
        return list(range(begin, end + 1))
    if not wraps:
        raise RefusedRule(f"{span!r} runs backwards in the {name}")
    return [*range(begin, high + 1), *range(low, end + 1)]


def _number(text: str, name: str, low: int, high: int) -> int:
    # Celery reads the first three letters of a name, and takes any name in any field.
    plain = text.isdecimal() and text.isascii()
    number = int(text) if plain else NAMES.get(text[:3].lower(), -1)
    if not low <= number <= high:
        raise RefusedRule(f"{text!r} is no {name}: it goes from {low} to {high}")
    return number


def _try(text: str) -> None:
    try:
        found = next(CronSim(text, TRIAL), None)
    except CronSimError as error:
        raise RefusedRule(str(error)) from None
    if found is None:
        raise RefusedRule("no day of any year fits this rule")
