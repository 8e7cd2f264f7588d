"""Claim-age policy: how long each handoff may take, and which version says so."""

from collections.abc import Iterable
from dataclasses import dataclass, fields
from datetime import datetime, timedelta

from .errors import InvalidPolicy
from .handoffs import Handoff

SCOPES = ("all", "source", "queue", "schedule")


@dataclass(frozen=True, slots=True, kw_only=True)
class Allowances:
    """How long each handoff may take after the one ahead of it (handoff contract, section 3)."""

    tick: timedelta
    enqueue: timedelta
    ready: timedelta
    claim: timedelta
    start: timedelta
    run: timedelta
    readback: timedelta
    expires: timedelta | None
    fold: timedelta

    def __post_init__(self) -> None:
        for item in fields(self):
            value = getattr(self, item.name)
            if value is not None and value < timedelta(0):
                raise InvalidPolicy(f"the allowance {item.name} is below zero")

    def of(self, handoff: Handoff) -> timedelta:
        """Return the allowance of one step of the path; due and expiration have none and raise KeyError."""
        by_step = {
            Handoff.TICK: self.tick,
            Handoff.ENQUEUE: self.enqueue,
            Handoff.READY: self.ready,
            Handoff.CLAIM: self.claim,
            Handoff.START: self.start,
            Handoff.TERMINAL: self.run,
        }
        return by_step[handoff]


DEFAULT_ALLOWANCES = Allowances(
    tick=timedelta(seconds=60),
    enqueue=timedelta(seconds=30),
    ready=timedelta(seconds=30),
    claim=timedelta(seconds=600),
    start=timedelta(seconds=60),
    run=timedelta(seconds=3600),
    readback=timedelta(seconds=900),
    expires=None,
    fold=timedelta(seconds=900),
)
DEFAULT_GIVE_UP = timedelta(minutes=30)


@dataclass(frozen=True, slots=True, kw_only=True)
class PolicyVersion:
    """One immutable version. Its target is empty for scope `all`, `source/schedule_key` for `schedule`."""

    id: int | None
    version: int
    scope: str
    target: str
    allowances: Allowances
    effective_from: datetime
    author: str
    reason: str

    def __post_init__(self) -> None:
        if self.scope not in SCOPES:
            raise InvalidPolicy(f"{self.scope!r} is none of {', '.join(SCOPES)}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Resolution:
    """The version that judges, and the chain it was chosen from, most specific first."""

    version: PolicyVersion
    chain: tuple[PolicyVersion, ...]


def resolve(
    versions: Iterable[PolicyVersion], *, due_at: datetime, source: str, queue: str | None, schedule: str
) -> Resolution:
    """Return the version in force at `due_at`: the most specific scope wins, in it the newest (section 7).

    `schedule` is the schedule key alone. With no version in force InvalidPolicy is raised.
    """
    targets = {"all": "", "source": source, "queue": queue, "schedule": f"{source}/{schedule}"}
    in_force: dict[str, PolicyVersion] = {}
    for version in versions:
        if version.effective_from > due_at or version.target != targets[version.scope]:
            continue
        held = in_force.get(version.scope)
        if held is None or _order(held) < _order(version):
            in_force[version.scope] = version
    chain = tuple(in_force[scope] for scope in reversed(SCOPES) if scope in in_force)
    if not chain:
        raise InvalidPolicy(f"no policy was in force at {due_at.isoformat()}")
    return Resolution(version=chain[0], chain=chain)


def _order(version: PolicyVersion) -> tuple[datetime, int]:
    return (version.effective_from, version.version)
