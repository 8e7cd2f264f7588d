"""Worker with the tap: `celery -A app worker -I occurrences.tap.worker`. Importing connects the signals.

Only tasks that carry our identity headers are recorded. The thread that ships starts with the worker,
never at import: the pool forks afterwards, and threads do not survive a fork.
"""

import os
from collections import deque
from collections.abc import Mapping
from typing import Any

from celery import current_task, signals
from celery.exceptions import TimeLimitExceeded, WorkerLostError
from celery.worker import state as worker_state

from . import process
from .identity import Tagged, read_tags
from .process import Tap
from .quiet import quietly

ROLE = "workers"
OUTCOMES = {"SUCCESS": "succeeded", "FAILURE": "failed", "RETRY": "retrying", "IGNORED": "cancelled"}


def _tagged(fields: Mapping[str, Any] | None) -> tuple[Tap, Tagged] | None:
    tap = process.current(ROLE)
    tags = read_tags(fields, tap.configuration.source) if tap and fields else None
    return (tap, tags) if tap and tags else None


def _record(handoff: str, fields: Mapping[str, Any] | None, **more: Any) -> None:
    found = _tagged(fields)
    if found is not None:
        found[0].record_handoff(handoff, found[1], **more)


@quietly
def on_worker_init(sender: Any = None, **_: Any) -> None:
    """Before the pool and the consumer exist: announce this worker, then let it work."""

    def state() -> dict[str, Any]:
        slots = getattr(getattr(sender, "pool", None), "limit", None) or sender.concurrency
        return {
            "queues": sorted(str(name) for name in sender.app.amqp.queues.consume_from),
            "capacity": slots if isinstance(slots, int) else os.cpu_count() or 1,
            "active": len(worker_state.active_requests),
        }

    process.start(ROLE, str(sender.hostname), state=state)


@quietly
def on_child_start(sender: Any = None, **_: Any) -> None:
    """In a fresh pool child. The solo pool sends this in the main process, which has its tap already."""
    if process.current(ROLE) is None:
        process.start_child(ROLE, str(sender))


@quietly
def on_process_end(**_: Any) -> None:
    """A pool child or a worker ends in an orderly way."""
    tap = process.current(ROLE)
    if tap is not None:
        tap.stop()


@quietly
def on_received(request: Any = None, **_: Any) -> None:
    """Claim: this worker took the message."""
    _record("claim", request.request_dict)


@quietly
def on_prerun(task: Any = None, **_: Any) -> None:
    """Start: user code is about to begin, in the pool child or the solo worker."""
    if not task.request.is_eager:
        _record("start", vars(task.request))


@quietly
def on_postrun(task: Any = None, state: Any = None, retval: Any = None, **_: Any) -> None:
    """Terminal: user code ended. Without a state the process is being ended, and the main one will tell."""
    if task.request.is_eager or not state:
        return
    outcome = OUTCOMES.get(str(state), "failed")
    if state == "REJECTED" and getattr(retval, "requeue", False):
        outcome = "retrying"
    _record("terminal", vars(task.request), outcome=outcome, detail=_detail(state, retval))


def _detail(state: Any, retval: Any) -> dict[str, Any]:
    detail = {"state": str(state)}
    if isinstance(retval, BaseException):
        detail["error"] = type(retval).__name__
    return detail


@quietly
def on_failure(sender: Any = None, exception: Any = None, **_: Any) -> None:
    """Terminal told by the main process: its child was killed, by a time limit or from outside."""
    if not isinstance(exception, WorkerLostError | TimeLimitExceeded) or not _is_main():
        return
    request = vars(sender.request)
    if _first_end_of(request):
        outcome = "lost" if isinstance(exception, WorkerLostError) else "failed"
        detail = {"state": "FAILURE", "error": type(exception).__name__}
        _record("terminal", request, outcome=outcome, detail=detail)


@quietly
def on_retry(request: Any = None, **_: Any) -> None:
    """Terminal told by the main process: it ended the child itself and will have the task again.

    In the child and in the solo pool, where the task ends by itself, the end is told by `on_postrun`.
    """
    if _is_main() and not current_task and _first_end_of(vars(request)):
        _record("terminal", vars(request), outcome="retrying", detail={"state": "RETRY"})


@quietly
def on_revoked(request: Any = None, expired: bool = False, terminated: bool = False, **_: Any) -> None:
    """Expiration when its time ran out (at the fetch, too); otherwise somebody called the run off."""
    if expired:
        _record("expiration", vars(request))
    elif _first_end_of(vars(request)):
        state = "TERMINATED" if terminated else "REVOKED"
        _record("terminal", vars(request), outcome="cancelled", detail={"state": state})


@quietly
def on_unknown(message: Any = None, **_: Any) -> None:
    """No such task in this worker: Celery drops the message."""
    _record("terminal", _message_fields(message), outcome="failed", detail={"state": "UNKNOWN_TASK"})


@quietly
def on_rejected(message: Any = None, **_: Any) -> None:
    """A message this worker cannot read as a task: Celery drops it."""
    _record("terminal", _message_fields(message), outcome="failed", detail={"state": "REJECTED_MESSAGE"})


def _message_fields(message: Any) -> dict[str, Any]:
    return {**(message.headers or {}), "delivery_info": message.delivery_info or {}}


_ended: deque[tuple[Any, Any]] = deque(maxlen=1000)


def _first_end_of(request: Mapping[str, Any]) -> bool:
    """False when this process told the end of this delivery: Celery may report a killed child twice."""
    run = (request.get("id"), request.get("retries"))
    if run in _ended:
        return False
    _ended.append(run)
    return True


def _is_main() -> bool:
    tap = process.current(ROLE)
    return tap is not None and tap.ships


SIGNALS = {
    "worker_init": on_worker_init,
    "worker_process_init": on_child_start,
    "worker_process_shutdown": on_process_end,
    "worker_shutdown": on_process_end,
    "task_received": on_received,
    "task_prerun": on_prerun,
    "task_postrun": on_postrun,
    "task_failure": on_failure,
    "task_retry": on_retry,
    "task_revoked": on_revoked,
    "task_unknown": on_unknown,
    "task_rejected": on_rejected,
}

for _name, _receiver in SIGNALS.items():
    getattr(signals, _name).connect(_receiver, weak=False, dispatch_uid=f"aglet-tap-{_name}")
