"""Judge what time alone may have changed, and open, join or close what follows from it."""

import logging
from datetime import datetime, timedelta
from uuid import UUID

from django.db import connection, transaction

from occurrences.models import Sweep, SweepGap
from occurrences.queries.clock import database_now
from occurrences.queries.sweeps import START, lock_overdue, newest_sweep, overdue
from occurrences.services.absences.clocks import watch_clocks
from occurrences.services.absences.closing import close_answered, close_gaps_seen_again
from occurrences.services.absences.opening import make_urgent, open_gaps, open_or_join
from occurrences.services.occurrences import Judged, judge_again

log = logging.getLogger("aglet.sweep")
PAGE = 500  # about half a second of judging, well inside the time a transaction may idle


def sweep(*, by: str, now: datetime, page: int = PAGE, every: timedelta | None = None) -> Sweep:
    """Run one sweep at `now` and return its row.

    With `every`, the time between two sweeps, a predecessor older than two of them leaves a gap on record.

    Each page is a transaction of its own, so a crash loses one page; rows somebody else holds are left to
    them. The sweep goes forward by (deadline, key) and looks at no occurrence twice.
    """
    if every is not None:
        _note_gap(now, every)
    row = Sweep.objects.create(as_of=now)
    after, seen = START, set[UUID]()
    while found := overdue(now=now, after=after, limit=page):
        after = found[-1]
        keys = [key for _, key in found if key not in seen]
        seen.update(keys)
        _one_page(row, keys, by, now)
    row.closed += close_gaps_seen_again(by=by, now=now)
    opened, closed = watch_clocks(by=by, now=now)
    row.opened, row.closed = row.opened + opened, row.closed + closed
    row.ended_at = max(now, database_now())
    row.save()
    return row


def _note_gap(now: datetime, every: timedelta) -> None:
    before = newest_sweep()
    if before is None or before.ended_at is None or now - before.ended_at <= 2 * every:
        return
    # What was due by then was looked at. Of two sweeps that start at once one writes it, and one that comes after a
    # death on the way makes it longer.
    gap = SweepGap(start=before.as_of, end=now)
    SweepGap.objects.bulk_create([gap], update_conflicts=True, unique_fields=["start"], update_fields=["end"])
    log.warning("nobody looked from %s; making up for it", gap)


@transaction.atomic
def _one_page(row: Sweep, keys: list[UUID], by: str, now: datetime) -> None:
    held = lock_overdue(keys)
    judged = judge_again(keys=held, now=now, arms=False)
    row.judged += len(judged)
    row.unjudged += _set_aside({*held} - {j.case.key for j in judged}, now)
    raised = [j for j in judged if j.wants_absence and not j.case.has_open_absence]
    answered = [j for j in judged if j.case.has_open_absence and not j.wants_absence]
    make_urgent(judged=[j for j in judged if j.case.has_open_absence], by=by, now=now)
    row.closed += close_answered(judged=answered, by=by, now=now)
    opened, joined = open_or_join(judged=_in_order(raised), by=by, now=now)
    row.opened += opened + open_gaps(judged=judged, by=by, now=now)
    row.joined += joined


def _in_order(judged: list[Judged]) -> list[Judged]:
    # Due order, so that one outage folds into one work item whatever page it is met in.
    return sorted(judged, key=lambda j: j.case.key)


def _set_aside(keys: set[UUID], now: datetime) -> int:
    """Look again in an hour at what could not be judged, so that it does not come first for ever."""
    if keys:
        with connection.cursor() as cursor:
            cursor.execute(
                "UPDATE occurrences_occurrence SET next_deadline = %s + interval '1 hour', next_role = 'clock' "
                "WHERE key = ANY(%s)",
                [now, list(keys)],
            )
    return len(keys)
