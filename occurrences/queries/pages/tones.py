"""The eight tones of the screens: each is one colour pair, one silhouette and never the only sign."""

from collections.abc import Mapping
from types import MappingProxyType

from occurrences.contract.judging import StationState
from occurrences.contract.verdicts import Verdict

PRESENT, LATE, ABSENT, NOT_YET, OFF, BLIND, IMPLIED, DECIDED = (
    "present",
    "late",
    "absent",
    "notyet",
    "off",
    "blind",
    "implied",
    "decided",
)

# What may still happen by itself is late; what will not is absent. That is the difference at three in the morning.
VERDICT_TONES: Mapping[Verdict, str] = MappingProxyType(
    {
        Verdict.PENDING: NOT_YET,
        Verdict.NOT_DUE: OFF,
        Verdict.PAUSED: OFF,
        Verdict.ON_TIME: PRESENT,
        Verdict.MISSING_TICK: ABSENT,
        Verdict.MISSING_ENQUEUE: ABSENT,
        Verdict.MISSING_READY: ABSENT,
        Verdict.LATE_ENQUEUE: LATE,
        Verdict.DELAYED_CLAIM: LATE,
        Verdict.MISSING_CLAIM: ABSENT,
        Verdict.EXPIRED_UNCLAIMED: ABSENT,
        Verdict.RAN_AFTER_EXPIRY: LATE,
        Verdict.DELAYED_START: LATE,
        Verdict.LOST_AFTER_CLAIM: ABSENT,
        Verdict.OVERRAN: ABSENT,
        Verdict.FAILED: ABSENT,
        Verdict.DUPLICATE: ABSENT,
        Verdict.RECOVERED: PRESENT,
        Verdict.RECOVERY_UNVERIFIED: LATE,
        Verdict.SKIPPED: DECIDED,
        Verdict.RAN_AFTER_SKIP: ABSENT,
        Verdict.UNKNOWN: BLIND,
    }
)

STATE_TONES: Mapping[StationState, str] = MappingProxyType(
    {
        StationState.ON_TIME: PRESENT,
        StationState.LATE: LATE,
        StationState.ABSENT: ABSENT,
        StationState.NOT_YET: NOT_YET,
        StationState.NOT_EXPECTED: OFF,
        StationState.NOT_OBSERVED: BLIND,
        StationState.IMPLIED: IMPLIED,
        StationState.NOT_REPORTED: OFF,
    }
)


def tone_of(verdict: str) -> str:
    """The tone of a verdict, given as the value or as stored."""
    return VERDICT_TONES[Verdict(verdict)]
