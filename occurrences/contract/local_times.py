"""From naive local times to the instants a scheduler means by them."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

from .clock_rules import ClockRule

# The longest jump on record skipped a whole day; times further than this from an instant cannot mean it.
REACH = timedelta(hours=26)
HALF_A_DAY = timedelta(hours=12)


@dataclass(frozen=True, slots=True, kw_only=True)
class Due:
    """One due time: the instant, and the wall clock beside it (never part of the identity).

    `local` is the naive wall time at that instant; `gap_note` tells when the rule named another one that does
    not exist.
    """

    due_at: datetime
    local: datetime
    zone: str
    offset: timedelta
    fold: int
    gap_note: str | None = None


def due_of(instant: datetime, zone: ZoneInfo, gap_note: str | None = None) -> Due:
    """Return the due time at `instant` (whole seconds) as the clock of `zone` shows it."""
    local = instant.astimezone(zone)
    return Due(
        due_at=instant,
        local=local.replace(tzinfo=None, fold=0),
        zone=zone.key,
        offset=local.utcoffset() or timedelta(0),
        fold=local.fold,
        gap_note=gap_note,
    )


def steady_offset(zone: ZoneInfo, start: datetime, end: datetime) -> timedelta | None:
    """Return the one offset of `zone` from `start` to `end`, or None when its clock changes in between.

    Asked twice a day: no clock was ever changed there and back within that time.
    """
    offset, instant = end.astimezone(zone).utcoffset(), start
    while instant < end:
        if instant.astimezone(zone).utcoffset() != offset:
            return None
        instant += HALF_A_DAY
    return offset


def steady_due(wall: datetime, zone: ZoneInfo, offset: timedelta) -> Due:
    """Return the due time of a wall time that is far from any change of the clock."""
    return Due(due_at=(wall - offset).replace(tzinfo=UTC), local=wall, zone=zone.key, offset=offset, fold=0)


def instants(walls: Iterable[datetime], zone: ZoneInfo, clock: ClockRule, *, wildcard: bool) -> Iterator[Due]:
    """Yield the due times meant by ascending naive `walls`; not sorted, and one instant may come twice."""
    passed: datetime | None = None
    for wall in walls:
        if passed is not None and wall <= passed:
            continue
        first = wall.replace(tzinfo=zone, fold=0).astimezone(UTC)
        second = wall.replace(tzinfo=zone, fold=1).astimezone(UTC)
        if first <= second:
            yield from (due_of(instant, zone) for instant in _in_fold(first, second, clock, wildcard=wildcard))
            continue
        due = _in_gap(wall, first, second, zone, clock, wildcard=wildcard)
        if due is None:
            continue
        yield due
        if clock.counts_on:
            passed = due.local


def _in_fold(first: datetime, second: datetime, clock: ClockRule, *, wildcard: bool) -> list[datetime]:
    if first == second:
        return [first]
    which = clock.fold_wildcard if wildcard else clock.fold_fixed
    return {"first": [first], "second": [second], "both": [first, second]}[which]


def _in_gap(
    wall: datetime, late: datetime, early: datetime, zone: ZoneInfo, clock: ClockRule, *, wildcard: bool
) -> Due | None:
    """Return the due time meant by a wall time that does not exist; `late` reads it with the old offset."""
    if clock.gap == "skip" or (wildcard and not clock.counts_on):
        return None
    note = f"{wall:%H:%M} does not exist on this day in {zone.key}"
    return due_of(late if clock.gap == "shift" else _jump(early, late, zone), zone, note)


def _jump(before: datetime, after: datetime, zone: ZoneInfo) -> datetime:
    """Return the first instant with the new offset, between one that has the old and one that has the new."""
    old = before.astimezone(zone).utcoffset()
    low, high = before, after
    while high - low > timedelta(seconds=1):
        middle = (low + (high - low) / 2).replace(microsecond=0)
        if middle.astimezone(zone).utcoffset() == old:
            low = middle
        else:
            high = middle
    return high
