"""From naive local times to the instants a scheduler means by them."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, time, timedelta
from zoneinfo import ZoneInfo

from .clock_rules import ClockRule

# The longest jump on record skipped a whole day; times further than this from an instant cannot mean it.
REACH = timedelta(hours=26)
HALF_A_DAY, A_DAY = timedelta(hours=12), timedelta(days=1)
SECOND = timedelta(seconds=1)
LONG_AGO = datetime(1, 1, 1)  # noqa: DTZ001  (a wall clock)


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


def before_a_gap(clock: ClockRule) -> timedelta:
    """Return how much earlier than a gap the walls have to begin under `clock`."""
    return A_DAY if clock.gap_times == "none_counted" else timedelta(0)


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


def offsets(zone: ZoneInfo, start: datetime, end: datetime) -> tuple[timedelta, timedelta]:
    """Return the smallest and the greatest offset of `zone` from `start` to `end`, both inclusive.

    Asked twice a day: no clock was ever changed there and back within that time.
    """
    smallest = greatest = offset_at(end, zone)
    while start < end:
        offset = offset_at(start, zone)
        smallest, greatest = min(smallest, offset), max(greatest, offset)
        start += HALF_A_DAY
    return smallest, greatest


def offset_at(instant: datetime, zone: ZoneInfo) -> timedelta:
    """Return what the clock of `zone` is ahead of UTC at `instant`."""
    return instant.astimezone(zone).utcoffset() or timedelta(0)


def clock_changes(zone: ZoneInfo, start: datetime, end: datetime) -> Iterator[tuple[datetime, timedelta]]:
    """Yield the instants between `start` and `end` at which the clock of `zone` is changed, and by how much."""
    while start < end:
        step = min(start + HALF_A_DAY, end)
        change = offset_at(step, zone) - offset_at(start, zone)
        if change:
            yield _jump(start, step, zone), change
        start = step


def steady_due(wall: datetime, zone: ZoneInfo, offset: timedelta) -> Due:
    """Return the due time of a wall time that is far from any change of the clock."""
    return Due(due_at=(wall - offset).replace(tzinfo=UTC), local=wall, zone=zone.key, offset=offset, fold=0)


def instants(walls: Iterable[datetime], zone: ZoneInfo, clock: ClockRule, *, wildcard: bool) -> Iterator[Due]:
    """Yield the due times meant by ascending naive `walls`; not sorted, and one instant may come twice.

    What is due in a gap may hang on the walls before it: they begin at the gap, or `before_a_gap` earlier.
    """
    passed = before = LONG_AGO
    for wall in walls:
        first = wall.replace(tzinfo=zone, fold=0).astimezone(UTC)
        second = wall.replace(tzinfo=zone, fold=1).astimezone(UTC)
        if first <= second:
            before = wall
            if wall > passed:
                yield from (due_of(instant, zone) for instant in _in_fold(first, second, clock, wildcard=wildcard))
        elif wall > passed and not wildcard:
            due = _in_gap(wall, before, first, second, zone, clock)
            if due is not None:
                passed = passed if clock.gap_times == "each" else due.local
                yield due


def _in_fold(first: datetime, second: datetime, clock: ClockRule, *, wildcard: bool) -> list[datetime]:
    if first == second:
        return [first]
    which = clock.fold_wildcard if wildcard else clock.fold_fixed
    return {"first": [first], "second": [second], "both": [first, second]}[which]


def _in_gap(
    wall: datetime, before: datetime, late: datetime, early: datetime, zone: ZoneInfo, clock: ClockRule
) -> Due | None:
    """Return the due time meant by a wall time that does not exist; `late` reads it with the old offset."""
    if clock.gap == "skip" or (clock.longest_jump is not None and late - early > clock.longest_jump):
        return None
    jump = _jump(early, late, zone)
    if clock.gap_times == "none_counted" and _counted(before, wall - (late - jump)):
        return None
    note = f"{wall:%H:%M} does not exist on this day in {zone.key}"
    return due_of(late if clock.gap == "shift" else jump, zone, note)


def _counted(before: datetime, gap: datetime) -> bool:
    """Whether a scheduler that was due at `before` counts up to the `gap`, rather than to a time within it."""
    last = gap - SECOND
    return before >= last.replace(minute=0, second=0) or (gap.time() == time.min and before.date() == last.date())


def _jump(before: datetime, after: datetime, zone: ZoneInfo) -> datetime:
    """Return the first instant with the new offset, between one that has the old and one that has the new."""
    old = offset_at(before, zone)
    low, high = before, after
    while high - low > timedelta(seconds=1):
        middle = (low + (high - low) / 2).replace(microsecond=0)
        if offset_at(middle, zone) == old:
            low = middle
        else:
            high = middle
    return high
