"""Where two dialects read the same crontab differently: the first time within a year, and what each does there."""

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

from .clock_rules import PRESETS, ClockRule
from .errors import RefusedRule
from .local_times import Due, clock_changes
from .schedules import CronRule, parse_rule
from .times import in_utc

A_YEAR, A_DAY = timedelta(days=366), timedelta(days=1)
SECOND = timedelta(seconds=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class DialectDifference:
    """`dialects` all make the same other due times than the watched one, for the first time at `at`.

    `only_ours` and `only_theirs` are the due times that the other side does not have, in the hours of that change of
    the clock or on that day; at least one of them is not empty, and `at` is the earliest of them all.
    """

    dialects: tuple[str, ...]
    at: datetime
    only_ours: tuple[Due, ...]
    only_theirs: tuple[Due, ...]


def dialect_differences(
    text: str,
    dialect: str | ClockRule | Mapping[str, str],
    zone: str,
    start: datetime,
    *,
    others: Collection[str] = tuple(PRESETS),
    period: timedelta = A_YEAR,
) -> list[DialectDifference]:
    """Return how other presets would read a crontab differently within `period` from `start`, the soonest first.

    Presets that do the same are named together; one that refuses the text, or never differs, is not named. Looked at
    are the hours around each change of the clock and the first day that only one of the two names, not every minute:
    milliseconds for a page. An interval, which all read alike, gives an empty list; a text that `dialect` itself
    refuses raises RefusedRule.
    """
    ours = parse_rule(text, dialect, zone, start)
    if not isinstance(ours, CronRule):
        return []
    found: dict[CronRule, DialectDifference | None] = {}
    for name in others:
        theirs = _read(text, name, zone)
        if theirs is None:
            continue
        if theirs not in found:
            found[theirs] = _first(ours, theirs, in_utc(start), in_utc(start) + period)
        difference = found[theirs]
        if difference is not None:
            found[theirs] = replace(difference, dialects=(*difference.dialects, name))
    return sorted(_joined(filter(None, found.values())), key=lambda difference: difference.at)


def _read(text: str, dialect: str, zone: str) -> CronRule | None:
    try:
        rule = parse_rule(text, dialect, zone)
    except RefusedRule:
        return None
    return rule if isinstance(rule, CronRule) else None


def _first(ours: CronRule, theirs: CronRule, start: datetime, end: datetime) -> DialectDifference | None:
    if ours == theirs:
        return None
    looked_at = (_around_changes(ours.zone, start, end), _days_of_one(ours, theirs, start, end))
    firsts = (next(filter(None, (_between(ours, theirs, *part) for part in parts)), None) for parts in looked_at)
    return min(filter(None, firsts), key=lambda difference: difference.at, default=None)


def _between(ours: CronRule, theirs: CronRule, start: datetime, end: datetime) -> DialectDifference | None:
    mine, other = ({due.due_at: due for due in rule.due_times(start, end)} for rule in (ours, theirs))
    differing = mine.keys() ^ other.keys()
    if not differing:
        return None
    return DialectDifference(
        dialects=(),
        at=min(differing),
        only_ours=tuple(due for at, due in mine.items() if at in differing),
        only_theirs=tuple(due for at, due in other.items() if at in differing),
    )


def _around_changes(zone: ZoneInfo, start: datetime, end: datetime) -> Iterator[tuple[datetime, datetime]]:
    """Yield where the clock rules can matter: as far from a change as the clock is moved."""
    for change, moved in clock_changes(zone, start - A_DAY, end + A_DAY):
        yield max(change - abs(moved), start), min(change + abs(moved) + SECOND, end)


def _days_of_one(
    ours: CronRule, theirs: CronRule, start: datetime, end: datetime
) -> Iterator[tuple[datetime, datetime]]:
    """Yield the days that only one of them names, or that either names where their times of day are not the same."""
    mine, other = ours.crontab, theirs.crontab
    if (mine.times, mine.walked, mine.both_days) == (other.times, other.walked, other.both_days):
        return
    first, last = (instant.astimezone(ours.zone).replace(tzinfo=None) for instant in (start, end))
    begin = first.replace(hour=0, minute=0, second=0, microsecond=0)
    named = (set(crontab.days(begin, last)) for crontab in (mine, other))
    days = set.symmetric_difference(*named) if mine.times == other.times else set.union(*named)
    for day in sorted(days):
        yield max(_midnight(day, ours.zone), start), min(_midnight(day + A_DAY, ours.zone), end)


def _midnight(day: date, zone: ZoneInfo) -> datetime:
    return datetime.combine(day, time.min, tzinfo=zone).astimezone(UTC)


def _joined(differences: Iterable[DialectDifference]) -> list[DialectDifference]:
    """Return the differences with those that are the same named together."""
    joined: dict[tuple[object, ...], DialectDifference] = {}
    for difference in differences:
        same = (difference.only_ours, difference.only_theirs)
        held = joined.get(same)
        names = {*difference.dialects, *(held.dialects if held else ())}
        joined[same] = replace(difference, dialects=tuple(name for name in PRESETS if name in names))
    return list(joined.values())
