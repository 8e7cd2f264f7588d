"""What the practice application runs, and when: the grid makes every due time computable from here."""

import math
from dataclasses import dataclass
from datetime import UTC, datetime

SOURCE = "celery:lab"
QUEUE = "lab"
KEY_PREFIX = "lab:"
USER = "lab"


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """One schedule: its period, how long one run takes, and after how long its message expires (seconds)."""

    key: str
    period: int
    takes: float
    expires: float | None = None

    def next_due(self, after: datetime) -> datetime:
        """The first due instant later than `after`."""
        slot = math.floor(after.timestamp() / self.period) + 1
        return datetime.fromtimestamp(slot * self.period, UTC)

    def dues(self, start: datetime, end: datetime) -> list[datetime]:
        """The due instants in [start, end)."""
        found, due = [], self.next_due(start)
        while due < end:
            found.append(due)
            due = self.next_due(due)
        return found

    def identity(self, due: datetime) -> str:
        """The occurrence's identity as the console writes it."""
        return f"{SOURCE}/{self.key}@{due.strftime('%Y-%m-%dT%H:%M:%SZ')}"


STATUS = Job(key="status-mail", period=3, takes=0.02)
ROLLUP = Job(key="invoice-rollup", period=5, takes=0.1)
REINDEX = Job(key="search-reindex", period=7, takes=0.1, expires=3)
BACKUP = Job(key="nightly-backup", period=10, takes=2)
JOBS = (STATUS, ROLLUP, REINDEX, BACKUP)
