"""Schedules: taking their snapshots, planning their due times ahead, pausing a source."""

from occurrences.services.schedules.pausing import end_pause, pause_source
from occurrences.services.schedules.planning import plan
from occurrences.services.schedules.snapshots import take_snapshots

__all__ = ["end_pause", "pause_source", "plan", "take_snapshots"]
