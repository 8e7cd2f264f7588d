"""What the OpenAPI document says of the records. The parser in the contract is what checks them."""

from datetime import datetime
from typing import Any, Literal

from ninja import Schema


class Refusal(Schema):
    index: int
    field: str
    reason: str


class Counts(Schema):
    accepted: int
    duplicate: int
    discrepancy: int
    unlinked: int
    quarantined: int
    refused: list[Refusal]


class Problem(Schema):
    error: str
    reason: str


class Clock(Schema):
    host: str
    basis: Literal["host", "db"]
    uncertainty_ms: int


class Owner(Schema):
    role: Literal["scheduler", "broker", "worker", "operator"]
    name: str | None
    host: str | None
    pid: int | None


class Recovery(Schema):
    id: str
    n: int
    original_record_id: str | None = None


class HandoffRecord(Schema):
    v: Literal[1]
    kind: Literal["handoff"]
    source: str
    record_id: str
    handoff: Literal["tick", "enqueue", "ready", "claim", "start", "expiration", "terminal"]
    outcome: str
    observed_at: datetime
    clock: Clock
    owner: Owner
    schedule_key: str | None = None
    due_at: datetime | None = None
    job_ref: str | None = None
    due_local: str | None = None
    tz: str | None = None
    due_basis: Literal["nominal", "derived", "floating", "unknown"] = "nominal"
    aliases: dict[str, str] | list[str] = {}
    delivery: int = 1
    expires_at: datetime | None = None
    collapsed: list[datetime] = []
    recovery: Recovery | None = None
    queue: str | None = None
    detail: dict[str, Any] = {}


class ScheduleRecord(Schema):
    v: Literal[1]
    kind: Literal["schedule"]
    source: str
    schedule_key: str
    observed_at: datetime
    target: dict[str, Any]
    rule: str
    dialect: str
    tz: str
    anchor: datetime | None = None
    grain: Literal["s", "min"] = "s"
    expires_after: float | None = None
    catch_up: Literal["latest", "none"] = "none"
    enabled: bool = True
    definition_hash: str


class ProcessRecord(Schema):
    v: Literal[1]
    kind: Literal["process"]
    source: str
    name: str
    role: Literal["scheduler", "workers"]
    host: str
    pid: int
    spool: str
    started_at: datetime
    queues: list[str] = []
    capacity: int = 0
    active: int = 0
    last_seen: datetime
    state: Literal["online", "offline", "lost"]
    refused: int = 0


class CoverageRecord(Schema):
    v: Literal[1]
    kind: Literal["coverage"]
    source: str
    role: Literal["scheduler", "workers"]
    spool: str
    seq_first: int | None
    seq_last: int | None
    up_to: datetime


class Station(Schema):
    handoff: str
    state: str
    at: datetime | None
    owner: str | None
    record: str | None


class Path(Schema):
    identity: str
    due_at: datetime
    verdict: str
    first_absent: str | None
    handoffs: list[Station]
    next_deadline: datetime | None
    replay_safe: bool | Literal["needs-evidence"]
    replay_safe_reason: str


_KINDS = [k.model_json_schema(ref_template="#/components/schemas/{model}") for k in (
    HandoffRecord, ScheduleRecord, ProcessRecord, CoverageRecord
)]  # fmt: skip


def _inlined(schema: dict[str, Any]) -> dict[str, Any]:
    """The schema with its own definitions in place, since an operation cannot add components."""
    own = schema.pop("$defs", {})

    def resolve(value: Any) -> Any:
        if isinstance(value, dict):
            ref = value.get("$ref", "")
            return resolve(own[ref.rsplit("/", 1)[-1]]) if ref else {k: resolve(v) for k, v in value.items()}
        return [resolve(v) for v in value] if isinstance(value, list) else value

    return dict(resolve(schema))


_RECORD = {"oneOf": [_inlined(kind) for kind in _KINDS]}
RECORDS_BODY: dict[str, Any] = {
    "requestBody": {
        "required": True,
        "content": {
            "application/json": {"schema": {"type": "array", "minItems": 1, "maxItems": 1000, "items": _RECORD}},
            "application/x-ndjson": {"schema": _RECORD},
        },
    }
}
