"""Occurrences: making them, and writing back what the judge says of them."""

from occurrences.services.occurrences.inserting import NewOccurrence, insert
from occurrences.services.occurrences.judging import Judged, arm, judge_again

__all__ = ["Judged", "NewOccurrence", "arm", "insert", "judge_again"]
