"""Which occurrence a tick stands for: its due instant, and the older ones it swallowed.

A tick that comes late stands for the newest due not after it (handoff contract, section 4 of the
evidence format): naming the oldest would leave the newest without any record.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import islice
from typing import Any

from celery.schedules import crontab

from .grid import Grid

LISTED = 500  # older dues named in one tick record; beyond it the record would outgrow its size limit
LOOK_BACK = (timedelta(hours=2), timedelta(days=2), timedelta(days=62), timedelta(days=366 * 5))


@dataclass(frozen=True, slots=True, kw_only=True)
class Due:
    """One due instant (aware UTC, whole seconds), how it is known, and the older ones collapsed into it."""

    due_at: datetime
    basis: str
    collapsed: tuple[datetime, ...] = ()


def due_of(schedule: Any, last_run_at: datetime, ticked_at: datetime) -> Due:
    """The due a tick at `ticked_at` stands for, given the run before it (both aware)."""
    if isinstance(schedule, Grid):
        return _grid_due(schedule, last_run_at, ticked_at)
    if isinstance(schedule, crontab):
        return _crontab_due(schedule, last_run_at, ticked_at)
    # Plain intervals, and every schedule whose rule we cannot read, have no due of their own.
    return Due(due_at=_whole(ticked_at), basis="floating")


def _whole(moment: datetime) -> datetime:
    return moment.astimezone(UTC).replace(microsecond=0)


def _grid_due(grid: Grid, last_run_at: datetime, ticked_at: datetime) -> Due:
    newest = grid.slot(ticked_at)
    oldest = max(grid.slot(last_run_at) + 1, newest - LISTED)
    older = tuple(_whole(grid.instant(slot)) for slot in range(oldest, newest))
    return Due(due_at=_whole(grid.instant(newest)), basis="nominal", collapsed=older)


def _crontab_due(rule: Any, last_run_at: datetime, ticked_at: datetime) -> Due:
    dues = list(islice(_crontab_dues(rule, last_run_at, ticked_at), LISTED + 1))
    if len(dues) > LISTED:  # a long sleep: look for the newest from the near end instead
        dues = _recent_dues(rule, last_run_at, ticked_at) or dues
    if not dues:
        return Due(due_at=_whole(ticked_at).replace(second=0), basis="derived")
    return Due(due_at=dues[-1], basis="derived", collapsed=tuple(dues[:-1][-LISTED:]))


def _recent_dues(rule: Any, last_run_at: datetime, ticked_at: datetime) -> list[datetime]:
    for back in LOOK_BACK:
        start = max(last_run_at, ticked_at - back)
        dues = list(_crontab_dues(rule, start, ticked_at))
        if dues:
            return dues
    return []


def _crontab_dues(rule: Any, after: datetime, until: datetime) -> Iterator[datetime]:
    """Walk Celery's own arithmetic, so that gaps and folds of a zone come out as Celery means them."""
    last = after
    while True:
        start, delta, _ = rule.remaining_delta(last)
        following = start + delta
        due = following.astimezone(UTC)
        if due > until.astimezone(UTC) or due <= last.astimezone(UTC):
            return
        yield _whole(due)
        last = following
