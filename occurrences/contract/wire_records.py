"""The four kinds of wire records as typed values; times are aware and in UTC."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from .handoffs import Handoff, Role
from .occurrences import Identity


@dataclass(frozen=True, slots=True, kw_only=True)
class HandoffIn:
    """A handoff record. `identity` is the occurrence the sender names, None where it names only its run."""

    source: str
    record_id: str
    handoff: Handoff
    outcome: str
    observed_at: datetime
    clock_host: str | None
    clock_basis: str | None
    uncertainty_ms: int | None
    owner_role: str
    owner_name: str | None
    owner_host: str | None
    owner_pid: int | None
    identity: Identity | None
    schedule_key: str | None
    due_at: datetime | None
    due_basis: str
    job_ref: str | None
    delivery: int
    expires_at: datetime | None
    eta: datetime | None
    collapsed: tuple[datetime, ...]
    recovery_id: str | None
    recovery: int
    queue: str | None
    detail: Mapping[str, object]


@dataclass(frozen=True, slots=True, kw_only=True)
class ScheduleIn:
    """A snapshot of one schedule's definition, as its scheduler holds it."""

    source: str
    schedule_key: str
    observed_at: datetime
    task: str | None
    queue: str | None
    options: Mapping[str, object]
    has_arguments: bool
    args: tuple[object, ...] | None
    kwargs: Mapping[str, object] | None
    rule: str
    dialect: str
    tz: str
    anchor: datetime | None
    grain: str
    expires_after: float | None
    catch_up: str
    enabled: bool
    definition_hash: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ProcessIn:
    """The state of one scheduler or worker process."""

    source: str
    name: str
    role: Role
    host: str
    pid: int
    spool: str
    started_at: datetime
    queues: tuple[str, ...]
    capacity: int
    active: int
    last_seen: datetime
    state: str
    refused: int


@dataclass(frozen=True, slots=True, kw_only=True)
class CoverageIn:
    """Proof that everything a spool held up to `up_to` was sent; the numbers are the lines since the last one."""

    source: str
    role: Role
    spool: str
    seq_first: int | None
    seq_last: int | None
    up_to: datetime
