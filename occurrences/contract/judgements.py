"""The one value a judgement is: pages, tables and logs render it and compute nothing."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from types import MappingProxyType

from .handoffs import Handoff, Role
from .readbacks import ReplayReading, ReplayState
from .verdicts import Verdict


class StationState(StrEnum):
    """How one of the eight stations stands."""

    ON_TIME = "on-time"
    LATE = "late"
    ABSENT = "absent"
    NOT_YET = "not-yet"
    NOT_EXPECTED = "not-expected"
    NOT_OBSERVED = "not-observed"
    IMPLIED = "implied"
    NOT_REPORTED = "not-reported"

    @property
    def words(self) -> str:
        """The words on screen."""
        return STATE_WORDS[self]


STATE_WORDS: Mapping[StationState, str] = MappingProxyType(
    {
        StationState.ON_TIME: "On time",
        StationState.LATE: "Late",
        StationState.ABSENT: "Absent",
        StationState.NOT_YET: "Not yet",
        StationState.NOT_EXPECTED: "Not expected",
        StationState.NOT_OBSERVED: "Not observed",
        StationState.IMPLIED: "Implied",
        StationState.NOT_REPORTED: "Not reported",
    }
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Station:
    """One station of the rail. `owner` is who recorded it, else whom to look for first.

    `stands_with` is the handoff whose record also stands for this one, where the source merges the two.
    """

    handoff: Handoff
    state: StationState
    at: datetime | None = None
    expected_by: datetime | None = None
    late_by: timedelta | None = None
    owner: str | None = None
    run: str | None = None
    record_id: str | None = None
    note: str | None = None
    stands_with: Handoff | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ArithmeticLine:
    """One line of the reckoning: what, when, and how it came to that moment."""

    label: str
    at: datetime
    note: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Counted:
    """The one deadline that named the verdict: `since` + `allowance` = `at`, held against `until`.

    `label` is its line of the reckoning. Where no allowance was added (a worker that went down) `since` is None.
    `met` says that what was due came after all, at `until`; else `until` is the observing moment.
    """

    label: str
    at: datetime
    until: datetime
    met: bool = False
    since_label: str = ""
    since: datetime | None = None
    allowance_label: str = ""

    @property
    def allowance(self) -> timedelta | None:
        """What was added to `since`."""
        return None if self.since is None else self.at - self.since

    @property
    def past(self) -> timedelta:
        """How far `until` lies behind the deadline; negative while it lies ahead."""
        return self.until - self.at

    @property
    def ahead(self) -> bool:
        """Whether the deadline has not passed yet; exactly at a limit is inside."""
        return self.until <= self.at


@dataclass(frozen=True, slots=True, kw_only=True)
class RecoveryRail:
    """The stations of one replay, and what was read back of it and of the original since."""

    number: int
    recovery_id: str
    decided_at: datetime
    readback_by: datetime
    stations: tuple[Station, ...]
    reading: ReplayReading

    @property
    def state(self) -> ReplayState:
        """How far it came."""
        return self.reading.state

    @property
    def sentence(self) -> str:
        """The same, for a person."""
        return self.reading.sentence

    @property
    def mismatching(self) -> tuple[str, ...]:
        """What its worker reports otherwise than it was decided."""
        return self.reading.mismatching


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """What a judgement decides: all that is stored of it, and all that absences hang on.

    `named` is the handoff the verdict speaks of and `expected_by` its deadline; `still_absent` says that it has no
    record: a late one is said in the same word. `next_deadline` is the next moment at which time alone can change
    the answer, once the coverage of `next_role` has reached it; None that there is none. `blind_from` is where the
    observer's view of an unknown ended, `unproven_from` where it ended for anything that only a coverage record
    closing the gap can still prove, whatever the verdict. `recoveries` has one rail for each replay; `of_recovery`
    is the number of the one that the verdict's handoff belongs to (0 = the original). `first_absent` is always the
    original's.
    """

    verdict: Verdict
    first_absent: Handoff | None
    named: Handoff | None
    expected_by: datetime | None
    still_absent: bool
    next_deadline: datetime | None
    next_role: Role | None
    blind_from: datetime | None
    unproven_from: datetime | None = None
    recoveries: tuple[RecoveryRail, ...] = ()
    of_recovery: int = 0

    @property
    def closed(self) -> bool:
        """Whether time alone can change nothing any more."""
        return self.next_deadline is None


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgement(Finding):
    """The whole answer to a question: the finding and what a person reads. `stations` are the original's.

    `counted` is the sum behind the deadline that named the verdict, None where none did.
    """

    sentence: str
    stations: tuple[Station, ...]
    arithmetic: tuple[ArithmeticLine, ...]
    trust: str
    counted: Counted | None = None
