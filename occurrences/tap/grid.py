"""A schedule whose due instants anybody can compute: whole periods since the Unix epoch."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

from celery.schedules import BaseSchedule, schedstate


class Grid(BaseSchedule):  # type: ignore[misc]  # Celery ships no types
    """Due exactly when floor(now / period) grew since the last run; `period` in seconds.

    Unlike Celery's plain interval it neither drifts nor changes its phase with a restart,
    so its occurrences have an identity that does not depend on beat.
    """

    def __init__(self, period: float, nowfun: Callable[[], datetime] | None = None, app: Any = None) -> None:
        if period <= 0:
            raise ValueError("the period of a grid is a positive number of seconds")
        self.period = period
        super().__init__(nowfun=nowfun, app=app)

    def slot(self, moment: datetime) -> int:
        """How many whole periods lie between the epoch and `moment` (aware, or naive in UTC)."""
        aware = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
        return int(aware.timestamp() // self.period)

    def instant(self, slot: int) -> datetime:
        """The due instant of one slot."""
        return datetime.fromtimestamp(slot * self.period, UTC)

    def remaining_estimate(self, last_run_at: datetime) -> timedelta:
        """Time until the next slot; zero when it has already begun."""
        wait: timedelta = self.instant(self.slot(last_run_at) + 1) - self.now()
        return max(wait, timedelta(0))

    def is_due(self, last_run_at: datetime) -> Any:
        """Celery's question: (due now?, seconds until beat should look again)."""
        now = self.now()
        current = self.slot(now)
        wait = (self.instant(current + 1) - now).total_seconds()
        return schedstate(is_due=current > self.slot(last_run_at), next=max(wait, 0.001))

    def __repr__(self) -> str:
        return f"<grid: every {self.period:g}s>"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Grid) and other.period == self.period

    __hash__ = None  # type: ignore[assignment]  # like Celery's own schedules: compared, never a key

    def __reduce__(self) -> tuple[type, tuple[float, Any]]:
        return self.__class__, (self.period, self.nowfun)
