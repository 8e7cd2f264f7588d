"""A kept window: one schedule, its evidence and workers, and what is expected to be said at each moment."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

from .coverage import Coverage
from .decisions import Choice
from .handoffs import Capabilities, Handoff
from .occurrences import Identity
from .policies import Allowances
from .timetables import Timetable
from .workers import WorkerRow

# A window has one schedule of one source, so its identities are written without the name of the source.
SOURCE = "window"


def named(identity: Identity) -> str:
    """Return an identity as a window writes it: `nightly@2026-10-25T01:30:00Z`."""
    return str(identity).removeprefix(f"{SOURCE}/")


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """One line of evidence. `named` is the occurrence the sender named; None also where it named another schedule."""

    event_id: str
    handoff: Handoff
    at: datetime
    recorded_at: datetime
    run: str | None
    owner: str | None
    named: Identity | None
    outcome: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Decided:
    """A replay or a skip of one occurrence, made `at`; `number` counts the replays of it from 1 (0 = a skip)."""

    identity: Identity
    choice: Choice
    at: datetime
    number: int
    recovery_id: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Expected:
    """What should be said of one occurrence: the machine value of each field, and other values as good."""

    identity: Identity
    fields: Mapping[str, object]
    also: Mapping[str, tuple[object, ...]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Moment:
    """An observing moment with everything expected of it."""

    as_of: datetime
    expected: tuple[Expected, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class WallTime:
    """A local time of a zone; naive, it means every instant that shows it, with an offset only that one."""

    local: datetime
    zone: ZoneInfo

    def __str__(self) -> str:
        return f"{self.local.isoformat()} {self.zone.key}"

    @property
    def readings(self) -> tuple[datetime, datetime]:
        """The two instants in UTC that it can mean, the earlier pass first; turned round where it does not exist."""
        local = self.local if self.local.tzinfo is not None else self.local.replace(tzinfo=self.zone)
        return local.replace(fold=0).astimezone(UTC), local.replace(fold=1).astimezone(UTC)


@dataclass(frozen=True, slots=True, kw_only=True)
class Window:
    """One window file. Due times in [start, end) are judged; `moments` are in order of time, the final one last.

    `events` are in order of arrival. `never_due` are local times that must not make an occurrence. `choice` and
    `note` are what a person kept with it.
    """

    case: str
    schedule_key: str
    timetable: Timetable
    allowances: Allowances
    give_up: timedelta
    start: datetime
    end: datetime
    workers: tuple[WorkerRow, ...]
    capabilities: Capabilities
    coverage: Coverage
    events: tuple[Event, ...]
    decisions: tuple[Decided, ...]
    moments: tuple[Moment, ...]
    never_due: tuple[WallTime, ...]
    choice: Choice | None = None
    note: str = ""

    def identity(self, due: datetime) -> Identity:
        """Return the identity of the occurrence due at `due`."""
        return Identity(source=SOURCE, schedule_key=self.schedule_key, due_at=due)
