"""Work items: what a person does with a review, each act with its line on the timeline and in the audit."""

from occurrences.services.work_items.triage import (
    assign,
    close,
    comment,
    reopen,
    set_next_decision,
    set_priority,
    snooze,
    wake,
)

__all__ = ["assign", "close", "comment", "reopen", "set_next_decision", "set_priority", "snooze", "wake"]
