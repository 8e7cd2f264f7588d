"""Decisions: replay or skip, once, on the evidence the person looked at."""

from occurrences.services.decisions.deciding import Blocked, Conflict, NoReason, Outcome, decide

__all__ = ["Blocked", "Conflict", "NoReason", "Outcome", "decide"]
