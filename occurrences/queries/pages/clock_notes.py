"""What a person has to know of the clock on the days it changes."""

from datetime import UTC, datetime
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError


def zone_named(name: str) -> ZoneInfo:
    """The zone; UTC where the name is none that we know."""
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return ZoneInfo("UTC")


def clock_note(due_at: datetime, zone: str, gap_note: str) -> str:
    """The note for this due time; empty on a day like any other."""
    if gap_note:
        return gap_note
    local = due_at.astimezone(zone_named(zone))
    first, second = local.replace(fold=0), local.replace(fold=1)
    if first.utcoffset() == second.utcoffset():
        return ""
    return _twice(local, first, second, zone)


def _twice(local: datetime, first: datetime, second: datetime, zone: str) -> str:
    this, other = ("second", first) if local.fold else ("first", second)
    which = "first" if local.fold else "second"
    return (
        f"{local:%H:%M} happens twice on {local.day} {local:%b %Y} in {zone}. This is the {this} one "
        f"({local:%Z}); the {which} is {other.astimezone(UTC):%H:%M}Z ({other:%Z}). "
        "The identity is the due time in UTC, so the two cannot be mixed up."
    )
