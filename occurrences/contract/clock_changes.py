"""Where the clock of a zone is changed: forward over local times that do not exist, or back over some again."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

from .local_times import REACH, SECOND, Due, clock_changes, offset_at
from .times import in_utc


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
    """Yield the changes of the clock of `zone` from `start` (inclusive) to `end` (exclusive), ascending."""
    for at, moved in clock_changes(zone, in_utc(start) - SECOND, in_utc(end) - SECOND):
        after = offset_at(at, zone)
        yield Change(at=at, zone=zone, before=after - moved, after=after)


def change_near(due: Due) -> Change | None:
    """Return the change of the clock on the local day of `due`, or the one that moved it; None on other days."""
    near = changes(ZoneInfo(due.zone), due.due_at - REACH, due.due_at + REACH)
    return next((change for change in near if due.gap_note or change.same_day(due.local)), None)
