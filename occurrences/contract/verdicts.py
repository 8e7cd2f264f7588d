"""The verdict vocabulary: machine value and words on screen."""

from collections.abc import Mapping
from enum import StrEnum
from types import MappingProxyType


class Verdict(StrEnum):
    """What is said of an occurrence; each has exactly one."""

    PENDING = "pending"
    NOT_DUE = "not-due"
    PAUSED = "paused"
    ON_TIME = "on-time"
    MISSING_TICK = "missing-tick"
    MISSING_ENQUEUE = "missing-enqueue"
    MISSING_READY = "missing-ready"
    LATE_ENQUEUE = "late-enqueue"
    DELAYED_CLAIM = "delayed-claim"
    MISSING_CLAIM = "missing-claim"
    EXPIRED_UNCLAIMED = "expired-unclaimed"
    RAN_AFTER_EXPIRY = "ran-after-expiry"
    DELAYED_START = "delayed-start"
    LOST_AFTER_CLAIM = "lost-after-claim"
    OVERRAN = "overran"
    FAILED = "failed"
    DUPLICATE = "duplicate"
    RECOVERED = "recovered"
    RECOVERY_UNVERIFIED = "recovery-unverified"
    SKIPPED = "skipped"
    RAN_AFTER_SKIP = "ran-after-skip"
    UNKNOWN = "unknown"

    @property
    def words(self) -> str:
        """The words on screen."""
        return WORDS[self]


WORDS: Mapping[Verdict, str] = MappingProxyType(
    {
        Verdict.PENDING: "Not yet",
        Verdict.NOT_DUE: "Not due",
        Verdict.PAUSED: "Paused",
        Verdict.ON_TIME: "On time",
        Verdict.MISSING_TICK: "Tick missing",
        Verdict.MISSING_ENQUEUE: "Enqueue missing",
        Verdict.MISSING_READY: "Never ready",
        Verdict.LATE_ENQUEUE: "Enqueued late",
        Verdict.DELAYED_CLAIM: "Claim delayed",
        Verdict.MISSING_CLAIM: "Claim missing",
        Verdict.EXPIRED_UNCLAIMED: "Expired before start",
        Verdict.RAN_AFTER_EXPIRY: "Ran after expiry",
        Verdict.DELAYED_START: "Start delayed",
        Verdict.LOST_AFTER_CLAIM: "Lost after claim",
        Verdict.OVERRAN: "No end recorded",
        Verdict.FAILED: "Failed",
        Verdict.DUPLICATE: "Ran twice",
        Verdict.RECOVERED: "Recovered",
        Verdict.RECOVERY_UNVERIFIED: "Recovery without readback",
        Verdict.SKIPPED: "Skipped",
        Verdict.RAN_AFTER_SKIP: "Ran after skip",
        Verdict.UNKNOWN: "Cannot tell",
    }
)
