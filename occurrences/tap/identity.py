"""The identity a message carries in its headers, from beat to whoever runs it."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from .clock import due_text

SOURCE, SCHEDULE, DUE, RECOVERY = "aglet_source", "aglet_schedule", "aglet_due", "aglet_recovery"


@dataclass(frozen=True, slots=True, kw_only=True)
class Tagged:
    """What one message says of itself: whose occurrence it is, and which delivery of which run."""

    schedule_key: str
    due_at: str
    job_ref: str | None
    delivery: int = 1
    redelivered: bool = False
    recovery: Any = None
    queue: str | None = None


def identity_headers(source: str, schedule_key: str, due_at: datetime) -> dict[str, str]:
    """The headers put on a message so that every later handoff can name its occurrence."""
    return {SOURCE: source, SCHEDULE: schedule_key, DUE: due_text(due_at)}


def read_tags(fields: Mapping[str, Any], source: str) -> Tagged | None:
    """The tags of a message, or None when it is not an occurrence of `source`.

    `fields` are the message headers as Celery hands them on (a request dictionary, or the attributes
    of a task's request). Delivery counts from 1: Celery's retries, and one more for a redelivery,
    which Celery marks but does not number.
    """
    if fields.get(SOURCE) != source or not fields.get(SCHEDULE) or not fields.get(DUE):
        return None
    route = fields.get("delivery_info") or {}
    redelivered = bool(route.get("redelivered"))
    return Tagged(
        schedule_key=str(fields[SCHEDULE]),
        due_at=str(fields[DUE]),
        job_ref=fields.get("id"),
        delivery=1 + int(fields.get("retries") or 0) + redelivered,
        redelivered=redelivered,
        recovery=fields.get(RECOVERY),
        queue=route.get("routing_key"),
    )
