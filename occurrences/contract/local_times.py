"""From naive local times to the instants a scheduler means by them."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

from .clock_rules import ClockRule

# The longest jump on record skipped a whole day; times further than this from an instant cannot mean it.
REACH = timedelta(hours=26)
SECOND, AN_HOUR, HALF_A_DAY = timedelta(seconds=1), timedelta(hours=1), timedelta(hours=12)
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
    return AN_HOUR if clock.gap_times == "none_counted" else timedelta(0)


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


def instants(
    walls: Iterable[datetime],
    zone: ZoneInfo,
    clock: ClockRule,
    *,
    wildcard: bool,
    counts_to: Callable[[date], bool] = lambda day: False,
) -> Iterator[Due]:
    """Yield the due times meant by ascending naive `walls`; not sorted, and one instant may come twice.

    What is due in a gap may hang on the walls before it: they begin at the gap, or `before_a_gap` earlier. It may
    also hang on whether a scheduler that counts its way through the fields `counts_to` the day.
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
            due = _in_gap(wall, before, first, second, zone, clock, counts_to)
            if due is not None:
                passed = passed if clock.gap_times == "each" else due.local
                yield due


def _in_fold(first: datetime, second: datetime, clock: ClockRule, *, wildcard: bool) -> list[datetime]:
    if first == second:
        return [first]
    which = clock.fold_wildcard if wildcard else clock.fold_fixed
    return {"first": [first], "second": [second], "both": [first, second]}[which]


def _in_gap(
    wall: datetime,
    before: datetime,
    late: datetime,
    early: datetime,
    zone: ZoneInfo,
    clock: ClockRule,
    counts_to: Callable[[date], bool],
) -> Due | None:
    """Return the due time meant by a wall time that does not exist; `late` reads it with the old offset."""
    if clock.gap == "skip" or (clock.longest_jump is not None and late - early > clock.longest_jump):
        return None
    jump = _jump(early, late, zone)
    gap = wall - (late - jump)
    if clock.gap_times == "none_counted" and (
        _next_hour_lost(before, gap, wall) or _midnight_lost(gap, wall, counts_to)
    ):
        return None
    note = f"{wall:%H:%M} does not exist on this day in {zone.key}"
    return due_of(late if clock.gap == "shift" else jump, zone, note)


def _next_hour_lost(before: datetime, gap: datetime, wall: datetime) -> bool:
    """Whether a scheduler that was due at `before` counts up to an hour in the `gap`, and so jumps over `wall`."""
    return gap <= before.replace(minute=0, second=0) + AN_HOUR <= wall


def _midnight_lost(gap: datetime, wall: datetime, counts_to: Callable[[date], bool]) -> bool:
    """Whether a scheduler counts up to the midnight of `wall`, and that midnight is in the `gap` too."""
    return gap <= datetime.combine(wall, time.min) and counts_to(wall.date())


def _jump(before: datetime, after: datetime, zone: ZoneInfo) -> datetime:
    """Return the first instant with the new offset, between one that has the old and one that has the new."""
    old = offset_at(before, zone)
    low, high = before, after
    while high - low > SECOND:
        middle = (low + (high - low) / 2).replace(microsecond=0)
        if offset_at(middle, zone) == old:
            low = middle
        else:
            high = middle
    return high
