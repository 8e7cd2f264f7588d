"""The application of these tests: a grid every second, quick and slow tasks. Started as a process."""

import os
import time

from celery import Celery

from occurrences.tap.grid import Grid

PERIOD = int(os.environ.get("DEMO_PERIOD", "1"))

app = Celery("demo", broker=os.environ.get("DEMO_BROKER"))
app.conf.update(
    task_ignore_result=True,
    task_default_queue="demo",
    task_publish_retry=False,
    worker_prefetch_multiplier=1,
    worker_cancel_long_running_tasks_on_connection_loss=False,
    broker_connection_retry_on_startup=True,
    broker_transport_options={"global_keyprefix": os.environ.get("DEMO_PREFIX", "demo:")},
    beat_max_loop_interval=0.2,
    timezone="UTC",
)


@app.task
def quick() -> None:
    time.sleep(0.01)


@app.task
def slow() -> None:
    time.sleep(60)


@app.task
def broken() -> None:
    raise LookupError("nothing there")


@app.task(bind=True, max_retries=1)
def unlucky(self: object) -> None:
    raise self.retry(countdown=0)  # type: ignore[attr-defined]


@app.task(time_limit=1)
def endless() -> None:
    time.sleep(60)


@app.task(bind=True, acks_late=True, reject_on_worker_lost=True)
def suicidal(self: object) -> None:
    if not self.request.delivery_info["redelivered"]:  # type: ignore[attr-defined]
        os.kill(os.getpid(), 9)


TASKS = os.environ.get("DEMO_TASKS", "quick").split(",")
EXPIRES = os.environ.get("DEMO_EXPIRES")

app.conf.beat_schedule = {
    name: {
        "task": f"tests.tap.demo.{name}",
        "schedule": Grid(PERIOD),
        "options": {"expires": float(EXPIRES)} if EXPIRES else {},
    }
    for name in TASKS
}
