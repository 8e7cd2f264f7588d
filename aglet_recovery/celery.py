"""The Celery application of the console itself. Its messages are wake-ups; they carry no truth."""

import logging
import os
import time
from typing import Any

from celery import Celery, signals

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "aglet_recovery.settings")

app = Celery("aglet_recovery")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks(["occurrences"])

log = logging.getLogger("aglet.task")
_began: dict[str, float] = {}


@signals.setup_logging.connect
def keep_our_logging(**_: object) -> None:
    """Leave logging to settings.LOGGING; a connected receiver is what stops Celery from taking it over."""
    import django

    django.setup(set_prefix=False)


@signals.task_prerun.connect
def note_start(task_id: str, **_: Any) -> None:
    """Remember when the task began."""
    _began[task_id] = time.monotonic()


@signals.task_postrun.connect
def write_line(task_id: str, task: Any, state: str | None = None, **_: Any) -> None:
    """Write the one line of a task: name, end, milliseconds, and the occurrence it was a run of."""
    took = (time.monotonic() - _began.pop(task_id, time.monotonic())) * 1000
    headers = task.request.headers or {}
    due, key = headers.get("aglet_due"), headers.get("aglet_schedule")
    identity = f"{headers.get('aglet_source')}/{key}@{due}" if key and due else f"task {task_id}"
    log.info("%s %s %.0f ms %s", task.name, state or "unknown", took, identity)


from aglet_recovery import beat  # noqa: E402  the table needs `app`

app.conf.beat_schedule = beat.table()
