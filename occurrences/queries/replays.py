"""Replays as the rules read them."""

from collections.abc import Sequence
from datetime import datetime

from occurrences.contract.judging import judge
from occurrences.contract.readbacks import ReplayReading
from occurrences.models import Replay
from occurrences.queries.questions import ask


def live_replays(limit: int) -> list[Replay]:
    """The replays that are not at an end yet, oldest first."""
    return list(Replay.objects.filter(closed_at__isnull=True).order_by("created_at")[:limit])


def readings(replays: Sequence[Replay], *, as_of: datetime) -> list[tuple[Replay, ReplayReading]]:
    """What the judge says of each replay as of a moment, in a constant number of statements."""
    cases = ask({r.occurrence_id for r in replays}, as_of=as_of)
    found = {
        (key, rail.number): rail.reading for key, case in cases.items() for rail in judge(case.question).recoveries
    }
    known = ((r, found.get((r.occurrence_id, r.recovery_number))) for r in replays)
    return [(replay, reading) for replay, reading in known if reading is not None]
