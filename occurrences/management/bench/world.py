"""The made-up source that the bench watches, its schedules and its evidence, as a tap would send them."""

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from occurrences.contract.occurrences import Identity
from occurrences.services import installation, sources
from occurrences.services.handoffs import Counts, Item, record_batch
from occurrences.services.handoffs.items import parse

NAME, HOST = "celery:bench", "bench-1"
START = datetime(2026, 3, 2, tzinfo=UTC)
PERIOD = timedelta(minutes=5)
# When each handoff of a run that went well came, in seconds after its due time.
STEPS = {"tick": 0.1, "enqueue": 0.2, "claim": 1.0, "start": 1.1, "terminal": 3.0}
Body = dict[str, Any]


def text(moment: datetime) -> str:
    """The moment as it stands on the wire."""
    return moment.isoformat().replace("+00:00", "Z")


class World:
    """The source, made anew in the scratch database, and a door for its records."""

    def __init__(self) -> None:
        installation.prepare(by="bench", now=START)
        self.source = sources.register(name=NAME, by="bench", now=START - timedelta(hours=1))
        self.take([process("scheduler", "beat"), process("workers", "worker")], now=START)

    def take(self, bodies: Iterable[Body], *, now: datetime, ahead: timedelta = timedelta(0)) -> Counts:
        """Record the bodies as one request would."""
        return self.record(parsed(bodies), now=now, ahead=ahead)

    def record(self, items: Sequence[Item], *, now: datetime, ahead: timedelta = timedelta(0)) -> Counts:
        """Record what is parsed already."""
        return record_batch(source=self.source, items=items, counts=Counts(), plan_ahead=ahead, by="bench", now=now)


def parsed(bodies: Iterable[Body]) -> list[Item]:
    """The bodies parsed by the contract's own parser."""
    return [parse(index, body, source=NAME) for index, body in enumerate(bodies)]


def schedule_keys(count: int) -> list[str]:
    """The keys of so many schedules."""
    return [f"job-{number:05}" for number in range(count)]


def snapshot(key: str, *, rule: str = "*/5 * * * *") -> Body:
    """The definition of one schedule."""
    body: Body = {
        "v": 1, "kind": "schedule", "source": NAME, "schedule_key": key, "observed_at": text(START),
        "target": {"task": "bench.run", "queue": "bench", "options": {}, "has_arguments": False},
        "rule": rule, "dialect": "celery-beat", "tz": "Europe/Berlin", "grain": "s",
        "catch_up": "none", "enabled": True,
    }  # fmt: skip
    return body | {"definition_hash": hashlib.sha256(f"{key} {rule}".encode()).hexdigest()}


def process(role: str, spool: str) -> Body:
    """A process that is up from the start on."""
    return {
        "v": 1, "kind": "process", "source": NAME, "name": spool, "role": role, "host": HOST, "pid": 10,
        "spool": spool, "started_at": text(START), "queues": ["bench"], "capacity": 8, "active": 0,
        "last_seen": text(START), "state": "online", "refused": 0,
    }  # fmt: skip


def full_paths(keys: Sequence[str], due: datetime) -> Iterator[Body]:
    """The records of one run of each schedule, due at `due`, that went well."""
    for key in keys:
        for word, seconds in STEPS.items():
            yield handoff(key, due, word, due + timedelta(seconds=seconds))


def handoff(key: str, due: datetime, word: str, at: datetime) -> Body:
    """One record, as Celery's tap writes it."""
    identity = Identity(source=NAME, schedule_key=key, due_at=due)
    run, scheduler = str(identity.key), word in ("tick", "enqueue")
    body: Body = {
        "v": 1, "kind": "handoff", "source": NAME, "handoff": word, "observed_at": text(at),
        "record_id": f"{key}@{text(due)}/tick/1" if word == "tick" else f"{run}/{word}/1",
        "outcome": "succeeded" if word == "terminal" else "ok",
        "clock": {"host": HOST, "basis": "host", "uncertainty_ms": 0},
        "owner": {
            "role": "scheduler" if scheduler else "worker", "name": "beat" if scheduler else "worker",
            "host": HOST, "pid": 10,
        },
        "schedule_key": key, "due_at": text(due), "delivery": 1, "queue": "bench",
    }  # fmt: skip
    return body if word == "tick" else body | {"job_ref": run}
