"""Whether our own watch runs, for the top of every page."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from django.conf import settings

from occurrences.contract.occurrences import key_floor
from occurrences.models import Occurrence
from occurrences.queries.health import detector_lateness
from occurrences.queries.sweeps import newest_sweep


@dataclass(frozen=True, slots=True, kw_only=True)
class Detector:
    """`late` with the time of the last sweep; `ran_at` is None where none ever ended."""

    late: bool
    ran_at: datetime | None
    every: int


def detector(now: datetime) -> Detector:
    """How the detector stands, in one statement; `ran_at` is given when it is late."""
    behind = detector_lateness(now)
    ran_at = now - behind if behind is not None and behind != timedelta.max else None
    return Detector(late=behind is not None, ran_at=ran_at, every=settings.SWEEP_SECONDS)


def last_sweep_at() -> datetime | None:
    """When the newest sweep ended."""
    newest = newest_sweep()
    return None if newest is None else newest.ended_at


def came_due(since: datetime, until: datetime) -> int:
    """How many occurrences came due in [since, until)."""
    return Occurrence.objects.filter(key__gte=key_floor(since), key__lt=key_floor(until)).count()
