"""Evidence in: record a batch of wire records, each once, in one transaction."""

from occurrences.services.handoffs.items import Counts, Item
from occurrences.services.handoffs.recording import Busy, record_batch

__all__ = ["Busy", "Counts", "Item", "record_batch"]
