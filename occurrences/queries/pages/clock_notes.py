"""The clock of a schedule on a page: its zone, and the note on the days it changes."""

from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from occurrences.contract.clock_notes import ClockNote, clock_note
from occurrences.contract.local_times import due_of
from occurrences.models import Occurrence
from occurrences.queries.schedules import rule_of


def zone_named(name: str) -> ZoneInfo:
    """The zone; UTC where the name is none that we know."""
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return ZoneInfo("UTC")


def note_of(row: Occurrence) -> ClockNote | None:
    """The note for a stored occurrence, in the dialect it was planned in; its revision is loaded with it."""
    rule = None if row.revision is None else rule_of(row.revision)
    return clock_note(due_of(row.due_at, zone_named(row.zone), row.gap_note or None), rule, row.dialect)
