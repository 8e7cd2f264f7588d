"""A small real Celery application to practise on: its own beat, worker, queue and broker user. No Django."""

import os
import time

from celery import Celery
from kombu import Queue

from occurrences.lab.plan import JOBS, KEY_PREFIX, QUEUE
from occurrences.tap.grid import Grid

TASK = "lab.work"

app = Celery("lab", broker=os.environ.get("LAB_BROKER_URL"))
app.conf.update(
    accept_content=["json"],
    task_serializer="json",
    task_ignore_result=True,
    task_default_queue=QUEUE,
    task_queues=[Queue(QUEUE)],
    # A refused enqueue has to be seen as one, not retried until the broker is kind again.
    task_publish_retry=False,
    worker_prefetch_multiplier=1,
    # Its channel would need rights that the lab's user has not; nobody asks these workers anything.
    worker_enable_remote_control=False,
    # A practice run that was cut off must not keep a stopping worker.
    worker_cancel_long_running_tasks_on_connection_loss=False,
    broker_connection_retry_on_startup=True,
    broker_connection_max_retries=None,
    broker_transport_options={"global_keyprefix": KEY_PREFIX},
    beat_max_loop_interval=0.5,
    timezone="UTC",
    beat_schedule={
        job.key: {
            "task": f"{TASK}.{job.key}",
            "schedule": Grid(job.period),
            "kwargs": {"window": job.key},
            "options": {"queue": QUEUE} | ({"expires": job.expires} if job.expires else {}),
        }
        for job in JOBS
    },
)


def _work(seconds: float) -> None:
    time.sleep(seconds)


def _make_task(key: str, seconds: float) -> None:
    @app.task(name=f"{TASK}.{key}")
    def work(window: str) -> None:
        _work(seconds)


for _job in JOBS:
    _make_task(_job.key, _job.takes)
