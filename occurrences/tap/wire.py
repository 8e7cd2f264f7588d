"""Records in wire format v1: plain dictionaries, ready for JSON. Nothing here reads a clock or a file."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from .clock import due_text, instant_text
from .identity import Tagged

Record = dict[str, Any]
ROLE_ON_HANDOFF = {"scheduler": "scheduler", "workers": "worker"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Owner:
    """The process that writes: its source, its role (scheduler or workers), name, host and pid."""

    source: str
    role: str
    name: str
    host: str
    pid: int

    def on_handoff(self) -> Record:
        """The `owner` object of a handoff record."""
        role = ROLE_ON_HANDOFF[self.role]
        return {"role": role, "name": self.name, "host": self.host, "pid": self.pid}


def handoff_record(
    owner: Owner, handoff: str, tags: Tagged, *, at: datetime, outcome: str = "ok", **more: Any
) -> Record:
    """One handoff. `more` are further fields of the format; those that are None are left out.

    The record id is deterministic, so that a line sent twice is one record. A redelivered message keeps
    its run id and its number of retries, so there the process is part of the id.
    """
    record_id = f"{tags.job_ref or f'{tags.schedule_key}@{tags.due_at}'}/{handoff}/{tags.delivery}"
    if tags.redelivered:
        record_id += f"@{owner.host}:{owner.pid}"
    record: Record = {
        "v": 1,
        "kind": "handoff",
        "source": owner.source,
        "record_id": record_id,
        "handoff": handoff,
        "outcome": outcome,
        "observed_at": instant_text(at),
        "clock": {"host": owner.host, "basis": "host", "uncertainty_ms": 0},
        "owner": owner.on_handoff(),
        "schedule_key": tags.schedule_key,
        "due_at": tags.due_at,
        "delivery": tags.delivery,
    }
    optional = {"job_ref": tags.job_ref, "queue": tags.queue, "recovery": tags.recovery, **more}
    record.update({name: value for name, value in optional.items() if value is not None})
    return record


def dues_text(dues: Sequence[datetime]) -> list[str]:
    """The older dues a tick stands for, as the format wants them."""
    return [due_text(due) for due in dues]


def process_record(owner: Owner, state: str, *, spool: str, started_at: str, at: datetime, **more: Any) -> Record:
    """The state of a process: `online`, `offline` (said by itself) or `lost` (said by a neighbour)."""
    record: Record = {
        "v": 1,
        "kind": "process",
        "source": owner.source,
        "role": owner.role,
        "name": owner.name,
        "host": owner.host,
        "pid": owner.pid,
        "spool": spool,
        "started_at": started_at,
        "queues": [],
        "capacity": 0,
        "active": 0,
        "last_seen": instant_text(at),
        "state": state,
        "refused": 0,
    }
    record.update(more)
    return record


def coverage_record(header: Mapping[str, Any], *, first: int | None, last: int | None, up_to: str) -> Record:
    """Proof that the lines `first` to `last` of a spool were sent, and that it is complete up to `up_to`."""
    return {
        "v": 1,
        "kind": "coverage",
        "source": header["source"],
        "role": header["role"],
        "spool": header["spool"],
        "seq_first": first,
        "seq_last": last,
        "up_to": up_to,
    }
