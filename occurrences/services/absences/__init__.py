"""Absences: the sweep finds them; opening, joining and closing happens here and nowhere else."""

from occurrences.services.absences.sweeping import sweep

__all__ = ["sweep"]
