"""Builders for window documents: one schedule of every hour, and evidence in seconds after its due times."""

import json
from datetime import datetime, timedelta

from occurrences.contract.window_files import read_window
from occurrences.contract.window_judging import Answer, judged
from occurrences.contract.windows import Window, named

MIDNIGHT = datetime.fromisoformat("2025-03-03T00:00:00+00:00")
PATH = {"tick": 1, "enqueue": 2, "ready": 3, "claim": 4, "start": 5, "terminal": 40}
OWNERS = {"tick": "beat", "enqueue": "beat", "ready": "queue"}


def moment(hour: float, seconds: float = 0) -> str:
    """The text of the moment `seconds` after an hour of the day."""
    return (MIDNIGHT + timedelta(hours=hour, seconds=seconds)).isoformat().replace("+00:00", "Z")


def name(hour: float) -> str:
    """How a window names the occurrence of an hour."""
    return f"hourly@{moment(hour)}"


def event(kind: str, hour: float, seconds: float, run: str | None = "run", **fields) -> dict:
    """One event at `seconds` after the hour that a scheduler, but no queue or worker, names."""
    usual = {
        "event_id": f"{run}/{kind}/{hour}/{seconds}",
        "kind": kind,
        "at": moment(hour, seconds),
        "recorded_at": moment(hour, seconds),
        "identity": None if kind == "tick" else run,
        "owner": OWNERS.get(kind, "w1"),
        "outcome": "succeeded" if kind == "terminal" else None,
    }
    if kind in ("tick", "enqueue"):
        usual["occurrence"] = name(hour)
    return usual | fields


def path(hour: float, last: str = "terminal", run: str | None = None, **times: float) -> list[dict]:
    """Events of one run up to the `last` handoff at their usual moments; `claim=200` moves one."""
    kinds = list(PATH)[: list(PATH).index(last) + 1]
    return [event(kind, hour, times.get(kind, PATH[kind]), run or f"run-{hour}") for kind in kinds]


def worker(up_from: float = -1, up_to: float | None = None, capacity: int = 2, worker: str = "w1") -> dict:
    """A worker that is up from one hour of the day to another."""
    ended = None if up_to is None else moment(up_to)
    return {"id": worker, "up_from": moment(up_from), "up_to": ended, "capacity": capacity}


def document(*events: dict, until: float = 3, observed: float = 3, **fields) -> dict:
    """A window from midnight to `until`, observed at the hour `observed`; it expects nothing."""
    usual = {
        "id": "built",
        "schedule": {
            "key": "hourly",
            "cron": "0 * * * *",
            "timezone": "UTC",
            "dst_policy": {"gap": "skip", "fold": "first"},
        },
        "policy": {
            "tick_grace_s": 60,
            "enqueue_grace_s": 30,
            "ready_grace_s": 30,
            "claim_age_s": 120,
            "start_grace_s": 60,
            "run_time_limit_s": 900,
            "expires_s": None,
        },
        "window": {"from": moment(0), "to": moment(until)},
        "workers": [worker()],
        "handoffs": list(events),
        "observe_at": moment(observed),
        "expected": {"occurrences": []},
    }
    return usual | fields


def window(*events: dict, **fields) -> Window:
    """The window that such a document makes."""
    return read_window(json.dumps(document(*events, **fields)).encode())


def answers(*events: dict, **fields) -> dict[str, Answer]:
    """What is said at the observing moment, by the name of the occurrence."""
    built = window(*events, **fields)
    return {named(answer.identity): answer for answer in judged(built, built.moments[-1].as_of)}


def said(*events: dict, of: float = 1, **fields) -> tuple[str, str | None, object]:
    """Verdict, first absent handoff and replay_safe of the occurrence of one hour."""
    answer = answers(*events, **fields)[name(of)]
    absent = answer.judgement.first_absent
    return answer.judgement.verdict.value, absent.word if absent is not None else None, answer.safety.value
