"""Wire records as a tap would send them, and a batch recorded the way the API records it."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from occurrences.contract.errors import Refused
from occurrences.models import Source
from occurrences.services import installation, sources
from occurrences.services.handoffs import Counts, record_batch
from occurrences.services.handoffs.items import parse

SOURCE = "celery:billing"
HOST = "app-1"
T0 = datetime(2026, 10, 25, 1, 30, tzinfo=UTC)
Body = dict[str, Any]


def text(moment: datetime) -> str:
    return moment.astimezone(UTC).isoformat().replace("+00:00", "Z")


def source(name: str = SOURCE, *, now: datetime = T0, give_up: timedelta | None = None) -> Source:
    installation.prepare(by="tests", now=now)
    return sources.register(name=name, by="tests", now=now, give_up=give_up)


def handoff(
    word: str,
    at: datetime,
    *,
    key: str | None = "nightly",
    due: datetime | None = T0,
    run: str | None = "run-1",
    delivery: int = 1,
    owner: str | None = None,
    pid: int = 10,
    outcome: str | None = None,
    name: str = SOURCE,
    **more: Any,
) -> Body:
    scheduler = word in ("tick", "enqueue")
    base = run if run and word != "tick" else f"{key}@{text(due) if due else ''}"
    body: Body = {
        "v": 1,
        "kind": "handoff",
        "source": name,
        "record_id": f"{base}/{word}/{delivery}",
        "handoff": word,
        "outcome": outcome or ("succeeded" if word == "terminal" else "ok"),
        "observed_at": text(at),
        "clock": {"host": HOST, "basis": "host", "uncertainty_ms": 0},
        "owner": {
            "role": "scheduler" if scheduler else "worker",
            "name": owner or ("beat-1" if scheduler else "w1"),
            "host": HOST,
            "pid": pid,
        },
        "delivery": delivery,
        **more,
    }
    if key is not None and due is not None:
        body |= {"schedule_key": key, "due_at": text(due)}
    if run is not None and word != "tick":
        body["job_ref"] = run
    return body


def full_path(due: datetime = T0, *, key: str = "nightly", run: str = "run-1", name: str = SOURCE) -> list[Body]:
    seconds = {"tick": 0.1, "enqueue": 0.2, "claim": 1, "start": 1.5, "terminal": 3}
    return [handoff(w, due + timedelta(seconds=s), key=key, due=due, run=run, name=name) for w, s in seconds.items()]


def schedule(key: str = "nightly", *, at: datetime = T0 - timedelta(hours=1), **more: Any) -> Body:
    body: Body = {
        "v": 1,
        "kind": "schedule",
        "source": SOURCE,
        "schedule_key": key,
        "observed_at": text(at),
        "target": {"task": "billing.run", "queue": "billing", "options": {}, "has_arguments": False},
        "rule": "every 60s",
        "dialect": "interval",
        "tz": "UTC",
        "anchor": "1970-01-01T00:00:00Z",
        "grain": "s",
        "expires_after": None,
        "catch_up": "none",
        "enabled": True,
    }
    body |= more
    import hashlib
    import json

    return body | {"definition_hash": hashlib.sha256(json.dumps(body, sort_keys=True).encode()).hexdigest()}


def process(role: str, at: datetime, *, spool: str, state: str = "online", pid: int = 10, **more: Any) -> Body:
    return {
        "v": 1,
        "kind": "process",
        "source": SOURCE,
        "name": "beat-1" if role == "scheduler" else "w1",
        "role": role,
        "host": HOST,
        "pid": pid,
        "spool": spool,
        "started_at": text(at),
        "queues": ["billing"] if role == "workers" else [],
        "capacity": 2 if role == "workers" else 0,
        "active": 0,
        "last_seen": text(at),
        "state": state,
        "refused": 0,
    } | more


def coverage(role: str, up_to: datetime, *, spool: str, first: int | None = None, last: int | None = None) -> Body:
    return {
        "v": 1,
        "kind": "coverage",
        "source": SOURCE,
        "role": role,
        "spool": spool,
        "seq_first": first,
        "seq_last": last,
        "up_to": text(up_to),
    }


def record(bodies: Sequence[object], *, now: datetime, of: Source | None = None) -> Counts:
    owner = of or Source.objects.get(name=SOURCE)
    counts, items = Counts(), []
    for index, body in enumerate(bodies):
        try:
            items.append(parse(index, body, source=owner.name))
        except Refused as refused:
            counts.refuse(index, refused)
    return record_batch(source=owner, items=items, counts=counts, plan_ahead=timedelta(minutes=10), by="tests", now=now)


def watched(at: datetime) -> list[Body]:
    """Both roles of the source announced and covered from `at` on."""
    return [process("scheduler", at, spool="beat"), process("workers", at, spool="worker")]


def covered(up_to: datetime) -> list[Body]:
    return [coverage("scheduler", up_to, spool="beat"), coverage("workers", up_to, spool="worker")]
