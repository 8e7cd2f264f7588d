"""Where another scheduler would read the rule of a schedule differently within a year."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from occurrences.contract.dialect_differences import dialect_differences
from occurrences.contract.errors import RefusedRule
from occurrences.contract.local_times import Due
from occurrences.contract.schedules import CronRule
from occurrences.queries.schedules import InForce

DUES_SHOWN = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Dues:
    """Some due times, and how many more there are."""

    shown: Sequence[Due]
    more: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """Dialects that agree with each other and not with the one of the source, for the first time at `at`."""

    dialects: str
    at: datetime
    zone: str
    ours: Dues
    theirs: Dues


@dataclass(frozen=True, slots=True, kw_only=True)
class Compared:
    """The dialect of the source against the others; the soonest difference first, none where all agree."""

    dialect: str
    differences: Sequence[Difference]


def compared(ruling: InForce | None, now: datetime) -> Compared | None:
    """The comparison for the rule in force as of `now`; None where the rule is no crontab that is read by dialect."""
    if ruling is None or not isinstance(ruling.rule, CronRule):
        return None
    revision = ruling.revision
    try:
        found = dialect_differences(revision.rule, revision.dialect, revision.zone, now)
    except RefusedRule:
        return None
    return Compared(
        dialect=revision.dialect,
        differences=[
            Difference(
                dialects=", ".join(each.dialects),
                at=each.at,
                zone=revision.zone,
                ours=_dues(each.only_ours),
                theirs=_dues(each.only_theirs),
            )
            for each in found
        ],
    )


def _dues(dues: Sequence[Due]) -> Dues:
    return Dues(shown=dues[:DUES_SHOWN], more=max(len(dues) - DUES_SHOWN, 0))
