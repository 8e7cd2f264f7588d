"""The Celery application of the console itself. Its messages are wake-ups; they carry no truth."""

import os

from celery import Celery
from celery.signals import setup_logging

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "aglet_recovery.settings")

app = Celery("aglet_recovery")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks(["occurrences"])


@setup_logging.connect
def keep_our_logging(**_: object) -> None:
    """Leave logging to settings.LOGGING; a connected receiver is what stops Celery from taking it over."""


from aglet_recovery import beat  # noqa: E402  the table needs `app`

app.conf.beat_schedule = beat.table()
