"""Replays: the outbox, its way to the target, and what was read back."""

from occurrences.services.replays.dispatching import dispatch
from occurrences.services.replays.reading_back import read_back

__all__ = ["dispatch", "read_back"]
