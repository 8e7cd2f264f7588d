"""Crontab texts in the tongue of each dialect, and the naive local times they name."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import date, datetime, time, timedelta

from cronsim import CronSim, CronSimError

from .clock_rules import ClockRule
from .cron_fields import CronField, parse_field
from .errors import RefusedRule
from .grammars import BOUNDS, DAY, FIVE, HOUR, MINUTE, SECOND, WEEKDAY, Grammar

TRIAL = datetime(2000, 1, 1)  # noqa: DTZ001  (a wall clock without a zone; any day will do)
A_DAY, FIFTY_YEARS = timedelta(days=1), timedelta(days=365 * 50)
LONGEST = 512


@dataclass(frozen=True, slots=True, kw_only=True)
class Crontab:
    """A parsed crontab: what cronsim walks, and whether a day has to fit both the day of month and the weekday."""

    text: str
    walked: str
    both_days: bool
    wildcard: bool

    def walls(self, start: datetime, end: datetime) -> Iterator[datetime]:
        """Yield the naive local times from `start` (inclusive) to `end` (exclusive), ascending."""
        walk = CronSim(self.walked, start - timedelta(seconds=1))
        walk.day_and = self.both_days
        for wall in walk:
            if wall >= end:
                return
            yield wall

    def days(self, start: datetime, end: datetime) -> Iterator[date]:
        """Yield the days from `start` (inclusive) to `end` (exclusive) on which it names any time at all."""
        midnights = replace(self, walked=" ".join(["0", "0", *self.walked.split()[-3:]]))
        return (wall.date() for wall in midnights.walls(start, end))

    def counts_to(self, day: date) -> bool:
        """Whether someone who counts through the fields comes to `day` from the day or the month before it.

        That one has to fit but for its weekday; on the first of a month its month alone, on that of a year nothing.
        """
        before = datetime.combine(day, time.min) - A_DAY
        *_, day_of_month, month, _ = self.walked.split()
        if day.day == 1:
            day_of_month, month = "*", "*" if day.month == 1 else month
        fitting = replace(self, walked=f"0 0 {day_of_month} {month} *", both_days=True)
        return next(fitting.walls(before, before + A_DAY), None) is not None

    @property
    def times(self) -> str:
        """The times of a day it names, the same on each of its days."""
        return " ".join(self.walked.split()[:-3])

    def in_words(self) -> str:
        """Return what a person would say; the text itself where cronsim would read it in another way."""
        try:
            read = CronSim(self.text, TRIAL)
        except CronSimError:
            return self.text
        same = _read(read) == _read(CronSim(self.walked, TRIAL)) and read.day_and == self.both_days
        return read.explain() if same else self.text


def _read(crontab: CronSim) -> tuple[object, ...]:
    weekdays = {0 if weekday == 7 else weekday for weekday in crontab.weekdays}
    return crontab.seconds, crontab.minutes, crontab.hours, crontab.days, crontab.months, weekdays


def parse_crontab(text: str, grammar: Grammar, clock: ClockRule) -> Crontab:
    """Return the crontab that `text` means; RefusedRule says which part of which field is refused, and why."""
    written = _split(text, grammar)
    fields = {name: parse_field(field, name, grammar) for name, field in written.items()}
    both_days = _both_days(fields[DAY], fields[WEEKDAY], clock.day_rule)
    crontab = Crontab(
        text=" ".join(written.values()),
        walked=" ".join(fields[name].walked() for name in BOUNDS if name in fields),
        both_days=both_days,
        wildcard=_wildcard(fields[MINUTE], fields[HOUR], clock.wildcard),
    )
    if not _fits_a_day(crontab):
        raise RefusedRule(f"{text!r}: no day of any year fits")
    return crontab


def _fits_a_day(crontab: Crontab) -> bool:
    try:
        return next(crontab.walls(TRIAL, TRIAL + FIFTY_YEARS), None) is not None
    except CronSimError:  # which sees at once that no month is as long
        return False


def _split(text: str, grammar: Grammar) -> dict[str, str]:
    """Return the text of each field by its name."""
    if len(text) > LONGEST:
        raise RefusedRule(f"a crontab has at most {LONGEST} characters")
    fields = text.split()
    if len(fields) == 1 and fields[0].startswith("@"):
        if fields[0].lower() not in grammar.nicknames:
            known = ", ".join(grammar.nicknames) or "no such names at all"
            raise RefusedRule(f"{fields[0]!r} is not known here; there are {known}")
        fields = grammar.nicknames[fields[0].lower()].split()
    names = [*FIVE]
    if len(fields) == 6 and grammar.seconds:
        names.insert(0 if grammar.seconds == "first" else 5, SECOND)
    if len(fields) != len(names):
        wanted = "five, or six with seconds" if grammar.seconds else "five"
        raise RefusedRule(f"{text!r} has {len(fields)} fields, a crontab has {wanted}")
    return dict(zip(names, fields, strict=True))


def _both_days(day: CronField, weekday: CronField, rule: str) -> bool:
    """Whether a date has to fit both; with one of them unrestricted the other decides alone."""
    if day.star or weekday.star or rule == "and":
        return True
    return rule == "star_and" and (day.starred or weekday.starred)


def _wildcard(minute: CronField, hour: CronField, rule: str) -> bool:
    if rule == "starred":
        return minute.starred or hour.starred
    return rule == "every_hour" and len(hour.numbers) == 24
