"""Recurrence rules: from the text of a schedule to its due times, in the dialect of its scheduler."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

from .clock_rules import ClockRule, clock_rule
from .crontabs import Crontab, parse_crontab
from .errors import RefusedRule
from .grammars import grammar_of
from .local_times import REACH, Due, before_a_gap, due_of, instants, offsets, steady_due
from .times import in_utc, next_second

__all__ = ["CronRule", "Due", "FloatingRule", "IntervalRule", "Rule", "in_words", "parse_rule"]

INTERVAL = re.compile(r"every (\d{1,10}(?:\.\d{1,6})?)s")
MICROSECOND = timedelta(microseconds=1)
SHORTEST_WATCHED = timedelta(seconds=1)
# Walked in parts, so that a long look ahead neither waits for its end nor holds it in memory.
# The first part is small: who asks for the next due time alone does not pay for a month of minutes.
FIRST_PART, PART = timedelta(hours=2), timedelta(days=31)


@dataclass(frozen=True, slots=True, kw_only=True)
class CronRule:
    """A crontab in a zone, under the clock rule of its scheduler."""

    crontab: Crontab
    zone: ZoneInfo
    clock: ClockRule

    @property
    def watched(self) -> bool:
        """Whether occurrences of this rule are watched; a crontab's always are."""
        return True

    def due_times(self, start: datetime, end: datetime) -> Iterator[Due]:
        """Yield the due times from `start` (inclusive) to `end` (exclusive), ascending, each once."""
        start, end, step = next_second(start), next_second(end), FIRST_PART
        while start < end:
            stop = min(start + step, end)
            yield from self._part(start, stop)
            start, step = stop, min(2 * step, PART)

    def _part(self, start: datetime, end: datetime) -> Iterable[Due]:
        smallest, greatest = offsets(self.zone, start - REACH, end + REACH)
        begin, stop = start.replace(tzinfo=None) + smallest, end.replace(tzinfo=None) + greatest
        change = greatest - smallest
        if not change:
            return (steady_due(wall, self.zone, smallest) for wall in self.crontab.walls(begin, stop))
        # One change further back a gap begins whose times may be due from `start` on.
        walls = self.crontab.walls(begin - change - before_a_gap(self.clock), stop)
        return self._around_a_change(walls, start, end)

    def _around_a_change(self, walls: Iterable[datetime], start: datetime, end: datetime) -> list[Due]:
        by_instant: dict[datetime, Due] = {}
        crontab = self.crontab
        for due in instants(walls, self.zone, self.clock, wildcard=crontab.wildcard, counts_to=crontab.counts_to):
            held = by_instant.get(due.due_at)
            # A time that exists explains an instant better than one that does not.
            if start <= due.due_at < end and (held is None or held.gap_note is not None):
                by_instant[due.due_at] = due
        return [by_instant[instant] for instant in sorted(by_instant)]


@dataclass(frozen=True, slots=True, kw_only=True)
class IntervalRule:
    """Elapsed seconds counted from an anchor: the clocks of people do not matter to it."""

    period: timedelta
    anchor: datetime
    zone: ZoneInfo

    @property
    def watched(self) -> bool:
        """Whether occurrences of this rule are watched: not below one second, the grain of an identity."""
        return self.period >= SHORTEST_WATCHED

    def due_times(self, start: datetime, end: datetime) -> Iterator[Due]:
        """Yield the due times from `start` (inclusive) to `end` (exclusive), in whole seconds, ascending."""
        start, end = in_utc(start), in_utc(end)
        step, before = self.period // MICROSECOND, (start - self.anchor) // MICROSECOND
        number = before // step
        last: datetime | None = None
        while True:
            instant = (self.anchor + number * self.period).replace(microsecond=0)
            if instant >= end:
                return
            if instant >= start and instant != last:
                yield due_of(instant, self.zone)
                last = instant
            number += 1


@dataclass(frozen=True, slots=True, kw_only=True)
class FloatingRule:
    """An interval counted from the last run: it has no nominal due times, only a longest gap."""

    period: timedelta
    zone: ZoneInfo

    @property
    def watched(self) -> bool:
        """Whether gaps of this rule are watched: not below one second, the grain of an identity."""
        return self.period >= SHORTEST_WATCHED

    @property
    def longest_gap(self) -> timedelta:
        """How long the scheduler may be silent: two periods, because a restart begins the period anew."""
        return 2 * self.period


Rule = CronRule | IntervalRule | FloatingRule


def parse_rule(
    text: str, dialect: str | ClockRule | Mapping[str, str], zone: str, anchor: datetime | None = None
) -> Rule:
    """Return the rule that `text` means in `dialect`: the name of a preset, the four knobs, or an interval.

    An interval is written `every 3s` and, unless it floats, needs an `anchor`. What is not understood raises
    RefusedRule in the parser's words.
    """
    place = _zone(zone)
    if dialect == "interval-floating":
        return FloatingRule(period=_period(text), zone=place)
    if dialect == "interval":
        if anchor is None:
            raise RefusedRule("an anchored interval needs the moment it is counted from")
        return IntervalRule(period=_period(text), anchor=in_utc(anchor), zone=place)
    clock = clock_rule(dialect)
    return CronRule(crontab=parse_crontab(text, grammar_of(dialect), clock), zone=place, clock=clock)


def in_words(rule: Rule) -> str:
    """Return the rule as a person would say it; the zone is not part of it."""
    if isinstance(rule, CronRule):
        return rule.crontab.in_words()
    seconds = f"{rule.period.total_seconds():g}"
    every = f"every {seconds} seconds" if seconds != "1" else "every second"
    return f"{every}, counted from the last run" if isinstance(rule, FloatingRule) else every


def _period(text: str) -> timedelta:
    match = INTERVAL.fullmatch(text.strip())
    if match is None:
        raise RefusedRule(f"{text!r} is not an interval like 'every 3s'")
    whole, _, part = match[1].partition(".")
    period = timedelta(seconds=int(whole), microseconds=int(part.ljust(6, "0") or 0))
    if not period or period > timedelta(days=3660):
        raise RefusedRule(f"{text!r} is not between a microsecond and ten years")
    return period


def _zone(name: str) -> ZoneInfo:
    try:
        return ZoneInfo(name)
    except (KeyError, ValueError, OSError):
        raise RefusedRule(f"{name!r} is no time zone of the tz database") from None
