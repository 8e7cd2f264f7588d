"""When a work item that was put aside comes back."""

from datetime import datetime


def is_snoozed(
    *, until: datetime | None, snoozed_at: datetime | None, newest_evidence_at: datetime | None, now: datetime
) -> bool:
    """Return whether a work item still waits: until `until`, or until a handoff arrives after `snoozed_at`.

    `newest_evidence_at` is when the newest record of its occurrences was received (None = none ever was).
    """
    if until is None or now >= until:
        return False
    return newest_evidence_at is None or snoozed_at is None or newest_evidence_at <= snoozed_at
