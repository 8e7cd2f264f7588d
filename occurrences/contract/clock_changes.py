"""Where the clock of a zone is changed: forward over local times that do not exist, or back over some again."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

from .local_times import HALF_A_DAY, REACH, Due
from .times import in_utc

SECOND = timedelta(seconds=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """One change of the offset of `zone` at the instant `at`, which is the first with the new offset."""

    at: datetime
    zone: ZoneInfo
    before: timedelta
    after: timedelta

    @property
    def forward(self) -> bool:
        """Whether local times are left out; else some come twice."""
        return self.after > self.before

    @property
    def wall_before(self) -> datetime:
        """The naive local time that the old offset would show at the change."""
        return self.at.replace(tzinfo=None) + self.before

    @property
    def wall_after(self) -> datetime:
        """The naive local time that the new offset shows at the change."""
        return self.at.replace(tzinfo=None) + self.after

    def touches(self, wall: datetime) -> bool:
        """Whether the naive local time does not exist (forward), or comes twice (back)."""
        low, high = sorted((self.wall_before, self.wall_after))
        return low <= wall < high

    def same_day(self, wall: datetime) -> bool:
        """Whether a local time that is left out or comes twice lies on the day of `wall`."""
        low, high = sorted((self.wall_before, self.wall_after))
        return low.date() <= wall.date() <= (high - SECOND).date()


def changes(zone: ZoneInfo, start: datetime, end: datetime) -> Iterator[Change]:
    """Yield the changes of the clock of `zone` from `start` (inclusive) to `end` (exclusive), ascending.

    Asked twice a day: no clock was ever changed there and back within that time.
    """
    low, stop = in_utc(start).replace(microsecond=0) - SECOND, in_utc(end)
    while low < stop:
        high = min(low + HALF_A_DAY, stop)
        before, after = _offset(zone, low), _offset(zone, high - SECOND if high == stop else high)
        if before != after:
            yield Change(at=_first_with_another(zone, before, low, high), zone=zone, before=before, after=after)
        low = high


def change_near(due: Due) -> Change | None:
    """Return the change of the clock on the local day of `due`, or the one that moved it; None on other days."""
    near = changes(ZoneInfo(due.zone), due.due_at - REACH, due.due_at + REACH)
    return next((change for change in near if due.gap_note or change.same_day(due.local)), None)


def _offset(zone: ZoneInfo, instant: datetime) -> timedelta:
    return instant.astimezone(zone).utcoffset() or timedelta(0)


def _first_with_another(zone: ZoneInfo, offset: timedelta, low: datetime, high: datetime) -> datetime:
    while high - low > SECOND:
        middle = low + ((high - low) / 2 // SECOND) * SECOND
        if _offset(zone, middle) == offset:
            low = middle
        else:
            high = middle
    return high
