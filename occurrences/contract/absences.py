"""Which verdicts open a work item, when late evidence closes an absence, and which absences fold together."""

from collections.abc import Mapping
from datetime import datetime, timedelta
from types import MappingProxyType

from .verdicts import Verdict

# The roles of a source fall silent together, but not in the same instant: within this they are one gap.
SAME_GAP = timedelta(seconds=60)

OPENING: Mapping[Verdict, bool] = MappingProxyType(
    {
        Verdict.PENDING: False,
        Verdict.NOT_DUE: False,
        Verdict.PAUSED: False,
        Verdict.ON_TIME: False,
        Verdict.MISSING_TICK: True,
        Verdict.MISSING_ENQUEUE: True,
        Verdict.MISSING_READY: True,
        Verdict.LATE_ENQUEUE: False,
        Verdict.DELAYED_CLAIM: True,
        Verdict.MISSING_CLAIM: True,
        Verdict.EXPIRED_UNCLAIMED: True,
        Verdict.RAN_AFTER_EXPIRY: True,
        Verdict.DELAYED_START: True,
        Verdict.LOST_AFTER_CLAIM: True,
        Verdict.OVERRAN: True,
        Verdict.FAILED: True,
        Verdict.DUPLICATE: True,
        Verdict.RECOVERED: False,
        Verdict.RECOVERY_UNVERIFIED: True,
        Verdict.SKIPPED: False,
        Verdict.RAN_AFTER_SKIP: True,
        Verdict.UNKNOWN: True,
    }
)

# These are said of a handoff that came late as well; then nothing is missing and nobody needs to be called.
ONLY_WHILE_ABSENT = frozenset({Verdict.DELAYED_CLAIM, Verdict.DELAYED_START})

# These are known at once to need a person: the work was, or may have been, done twice.
STARTS_URGENT = frozenset({Verdict.DUPLICATE, Verdict.RAN_AFTER_SKIP})


def opens_work_item(verdict: Verdict, *, still_absent: bool = True, watch_failed: bool = True) -> bool:
    """Return whether `verdict` opens a work item.

    `still_absent` says that the handoff the verdict speaks of has no record; `watch_failed` is the schedule's
    own switch, which covers `failed` and nothing else.
    """
    if verdict is Verdict.FAILED and not watch_failed:
        return False
    if verdict in ONLY_WHILE_ABSENT and not still_absent:
        return False
    return OPENING[verdict]


def closes_as_arrived(raised: Verdict, now: Verdict, *, still_absent: bool = True, watch_failed: bool = True) -> bool:
    """Return whether an absence raised as `raised` is answered by what is known now (`now` as above).

    An absence whose verdict only changed its word stays with the person who has it: it does not end.
    """
    if raised is Verdict.UNKNOWN and now is not Verdict.UNKNOWN:
        return True
    return not opens_work_item(now, still_absent=still_absent, watch_failed=watch_failed)


def folds(item_last_due: datetime, due: datetime, fold: timedelta) -> bool:
    """Return whether an absence due at `due` joins a work item whose last absence was due at `item_last_due`.

    Earlier ones fold as well: evidence of one outage comes in any order. Exactly the window is inside.
    """
    return abs(due - item_last_due) <= fold
