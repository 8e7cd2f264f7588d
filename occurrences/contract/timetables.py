"""The timetable of a schedule: the rules in force one after the other, its pauses, its beginning and its end."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

from .errors import RefusedRule
from .local_times import Due, due_of
from .schedules import FloatingRule, Rule
from .times import in_utc, next_second

__all__ = ["Pause", "Revision", "Timetable", "last_before", "next_after"]

# Leap days that fall on a given weekday come back within 40 years, even over a year like 2100 that has none.
HORIZON = timedelta(days=365 * 50)
SECOND = timedelta(seconds=1)
FIRST_PART, PART = timedelta(hours=2), timedelta(days=366)

DueTimes = Callable[[datetime, datetime], Iterator[Due]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Revision:
    """A rule that is in force from `since` on (None: always was); `rule` None means that nothing is due."""

    rule: Rule | None
    since: datetime | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "since", _or_open(self.since))


@dataclass(frozen=True, slots=True, kw_only=True)
class Pause:
    """Due times from `start` (inclusive) to `end` (exclusive; None: still open) are suppressed."""

    start: datetime
    end: datetime | None = None
    reason: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "start", in_utc(self.start))
        object.__setattr__(self, "end", _or_open(self.end))

    def covers(self, instant: datetime) -> bool:
        """Whether a due time at `instant` is suppressed."""
        return self.start <= instant and (self.end is None or instant < self.end)


@dataclass(frozen=True, slots=True, kw_only=True)
class Timetable:
    """What a schedule makes due (handoff contract, section 2).

    Each revision rules from its instant up to the next one's and makes nothing due before it. Paused due times are
    listed like any other: they are suppressed, not absent. `begin` is inclusive, `end` exclusive. Two revisions from
    the same instant raise RefusedRule, a naive time anywhere InvalidQuestion.
    """

    revisions: tuple[Revision, ...]
    pauses: tuple[Pause, ...] = ()
    begin: datetime | None = None
    end: datetime | None = None

    def __post_init__(self) -> None:
        starts = [revision.since for revision in self.revisions]
        if len(set(starts)) != len(starts):
            raise RefusedRule("two rules are in force from the same instant")
        ordered = sorted(self.revisions, key=lambda r: (r.since is not None, r.since))
        object.__setattr__(self, "revisions", tuple(ordered))
        object.__setattr__(self, "begin", _or_open(self.begin))
        object.__setattr__(self, "end", _or_open(self.end))

    def due_times(self, start: datetime, end: datetime) -> Iterator[Due]:
        """Yield the due times from `start` (inclusive) to `end` (exclusive), ascending, paused ones included.

        A floating interval has none: what it makes due hangs on its last run.
        """
        start = max(filter(None, (in_utc(start), self.begin)))
        end = min(filter(None, (in_utc(end), self.end)))
        ends = [revision.since for revision in self.revisions[1:]]
        for revision, stop in zip(self.revisions, [*ends, None], strict=True):
            since, until = max(filter(None, (start, revision.since))), min(filter(None, (end, stop)))
            if since < until and revision.rule is not None and not isinstance(revision.rule, FloatingRule):
                yield from revision.rule.due_times(since, until)

    def contains(self, instant: datetime) -> bool:
        """Whether the rule in force makes `instant` due, to the second; a pause does not change that."""
        second = in_utc(instant).replace(microsecond=0)
        return next(self.due_times(second, second + SECOND), None) is not None

    def paused(self, instant: datetime) -> Pause | None:
        """Return the first pause that suppresses a due time at `instant`, or None."""
        instant = in_utc(instant)
        return next((pause for pause in self.pauses if pause.covers(instant)), None)

    def rule_at(self, instant: datetime) -> Rule | None:
        """Return the rule in force at `instant`; None before the first, and while the schedule is switched off."""
        instant = in_utc(instant)
        ruling = [r for r in self.revisions if r.since is None or r.since <= instant]
        return ruling[-1].rule if ruling else None

    def shown(self, instant: datetime) -> Due:
        """Return `instant`, due or not, as the clock of the rule in force shows it; UTC where none is."""
        rule = self.rule_at(instant)
        return due_of(in_utc(instant).replace(microsecond=0), ZoneInfo("UTC") if rule is None else rule.zone)

    def next_after(self, instant: datetime) -> Due | None:
        """Return the first due time after `instant`; None when there is none within fifty years."""
        return next_after(self.due_times, instant)

    def last_before(self, instant: datetime) -> Due | None:
        """Return the last due time before `instant`; None when there is none within fifty years."""
        return last_before(self.due_times, instant)


def _or_open(instant: datetime | None) -> datetime | None:
    return None if instant is None else in_utc(instant)


def next_after(due_times: DueTimes, instant: datetime) -> Due | None:
    """Return the first of `due_times` after `instant`; None when there is none within fifty years."""
    start = in_utc(instant).replace(microsecond=0) + SECOND
    return next(due_times(start, start + HORIZON), None)


def last_before(due_times: DueTimes, instant: datetime) -> Due | None:
    """Return the last of `due_times` before `instant`; None when there is none within fifty years.

    Looked for backwards in parts that grow: a rule of every minute costs two hours of it, a leap day some years.
    """
    end, step = next_second(instant), FIRST_PART
    earliest = end - HORIZON
    while end > earliest:
        start = end - step
        if next(due_times(start, end), None) is not None:
            return _last_between(due_times, start, end)
        end, step = start, min(2 * step, PART)
    return None


def _last_between(due_times: DueTimes, start: datetime, end: datetime) -> Due:
    """Return the last due time of a part that has one, by halves: a part of a year may hold half a million."""
    while end - start > FIRST_PART:
        middle = start + ((end - start) / 2 // SECOND) * SECOND
        if next(due_times(middle, end), None) is None:
            end = middle
        else:
            start = middle
    return list(due_times(start, end))[-1]
