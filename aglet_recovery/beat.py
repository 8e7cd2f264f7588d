"""The beat table: which task runs how often, and nothing else.

One entry per task, never one per schedule. A message that waited longer than its interval is
worthless, because the next one asks the same question of the same evidence.
"""

from typing import Any

from django.conf import settings

from occurrences.tap.grid import Grid


def table() -> dict[str, dict[str, Any]]:
    """Return the entries by name; periods in seconds on the epoch-aligned grid."""
    periods = {"plan": 10, "sweep": settings.SWEEP_SECONDS, "dispatch": 10, "housekeeping": 60}
    return {
        name: {
            "task": f"occurrences.{name}",
            "schedule": Grid(period),
            "options": {"expires": period, "queue": settings.CELERY_TASK_DEFAULT_QUEUE},
        }
        for name, period in periods.items()
    }
