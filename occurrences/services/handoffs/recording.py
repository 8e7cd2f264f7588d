"""One transaction per request: store the evidence, judge what it touches, write back what changed.

Lock order: occurrences in key order, then runs by reference, then processes and coverage.
"""

import logging
from collections.abc import Sequence
from datetime import datetime, timedelta
from uuid import UUID

from django.db import DataError, OperationalError, transaction

from occurrences.contract.errors import Refused
from occurrences.contract.wire import CoverageIn, ProcessIn, ScheduleIn
from occurrences.models import Source
from occurrences.services import workers
from occurrences.services.handoffs.afterwards import note_after_decision
from occurrences.services.handoffs.floating import begin_floating, follow_ticks
from occurrences.services.handoffs.homes import Homes, find_homes, lock_occurrences, note_claimants
from occurrences.services.handoffs.items import Counts, Filing, Item
from occurrences.services.handoffs.placing import Placing, name_occurrences, place
from occurrences.services.handoffs.skew import note_skew
from occurrences.services.handoffs.storing import leave_where_they_lie, store
from occurrences.services.handoffs.waiting import file_waiting, hold_unlinked, quarantine
from occurrences.services.occurrences import judge_again
from occurrences.services.partitions import ensure_partitions
from occurrences.services.schedules import plan, take_snapshots

TRIES = 3
log = logging.getLogger("aglet.records")
RETRIED = {"40P01", "40001", "55P03"}  # deadlock, serialization failure, lock not available


class Busy(Exception):
    """The database could not take the batch just now; nothing of it was stored, send it again."""


def record_batch(
    *, source: Source, items: Sequence[Item], counts: Counts, plan_ahead: timedelta, by: str, now: datetime
) -> Counts:
    """Record the batch `by` its source and return the counts with what became of each record added.

    Raises Busy when locks could not be had in three tries. The number of statements does not depend on
    the size of the batch.
    """
    try:
        counts, changed = _record_patiently(source, items, counts, now)
    except DataError as error:
        return _record_in_halves(source, items, counts, plan_ahead, by, now, error)
    if changed:
        _plan_changed(changed, plan_ahead, now)
    return counts


def _record_patiently(source: Source, items: Sequence[Item], counts: Counts, now: datetime) -> tuple[Counts, set[int]]:
    placing = place(source=source.name, items=items, now=now)
    dues = [f.named.due_at for f in placing.filings if f.named is not None]
    for attempt in range(TRIES):
        try:
            if dues:
                ensure_partitions(min(dues), max(dues))
            return _record(source, placing, counts, now)
        except OperationalError as error:
            if getattr(error.__cause__, "sqlstate", None) not in RETRIED:
                raise
            if attempt == TRIES - 1:
                raise Busy from error
    raise Busy


def _record_in_halves(
    source: Source,
    items: Sequence[Item],
    counts: Counts,
    plan_ahead: timedelta,
    by: str,
    now: datetime,
    error: DataError,
) -> Counts:
    """Find the record that the database cannot hold although the parser let it pass; refuse it and keep the rest."""
    if len(items) == 1:
        log.error("a record the parser let pass could not be stored: %s", error)
        counts.refuse(items[0].index, Refused("record", "holds a value that cannot be stored"))
        return counts
    for half in (items[: len(items) // 2], items[len(items) // 2 :]):
        counts = record_batch(source=source, items=half, counts=counts, plan_ahead=plan_ahead, by=by, now=now)
    return counts


def _plan_changed(changed: set[int], ahead: timedelta, now: datetime) -> None:
    """Plan the changed schedules a page ahead; what does not fit, or cannot be locked now, is left to beat."""
    try:
        plan(now=now, ahead=ahead, only=changed, pages=1)
    except OperationalError:
        log.warning("planning is left to beat", exc_info=True)


@transaction.atomic
def _record(source: Source, placing: Placing, before: Counts, now: datetime) -> tuple[Counts, set[int]]:
    counts = before.copy()
    counts.duplicate += placing.repeated
    processes, coverages = placing.of(ProcessIn), placing.of(CoverageIn)
    changed = take_snapshots(source=source, snapshots=placing.of(ScheduleIn), now=now)
    counts.accepted += len(placing.of(ScheduleIn))
    if changed:
        begin_floating(schedules=changed, now=now)
    to_arm = workers.to_arm(source=source, processes=processes, coverages=coverages, now=now)
    if placing.filings:
        _record_handoffs(source, placing, to_arm, counts, now)
    elif to_arm:
        lock_occurrences(to_arm)
    taken = workers.take(source=source, processes=processes, coverages=coverages, now=now)
    told = len(processes) + len(coverages)
    counts.accepted += told - taken.duplicates - len(taken.unknown_spools)
    counts.duplicate += taken.duplicates
    _quarantine(source, placing, taken.unknown_spools, counts, now)
    note_skew(source=source, filings=placing.filings, now=now)
    return counts, changed


def _quarantine(source: Source, placing: Placing, spools: Sequence[int], counts: Counts, now: datetime) -> None:
    rows = [*placing.quarantined, *placing.unknown_spools(spools)]
    new = quarantine(source=source, rows=rows, now=now)
    counts.quarantined += new
    counts.duplicate += len(rows) - new


def _record_handoffs(source: Source, placing: Placing, to_arm: set[UUID], counts: Counts, now: datetime) -> None:
    name_occurrences(source=source, filings=placing.filings, now=now)
    homes = find_homes(source=source, filings=placing.filings, touched=to_arm)
    filings = [*placing.filings, *file_waiting(source=source, homes=homes)]
    _fill_in_homes(filings, homes)
    leave_where_they_lie(filings=filings, homes=homes)
    homeless = [f for f in filings if f.key is None]
    stored = store(source=source, filings=[f for f in filings if f.key is not None], homes=homes, now=now)
    held, differing = hold_unlinked(source=source, filings=homeless, now=now)
    note_claimants(homes=homes, new=stored.new)
    note_after_decision(homes=homes, new=stored.new, by=source.name, now=now)
    counts.accepted += stored.accepted
    counts.duplicate += stored.duplicate + len(homeless) - held - differing
    counts.discrepancy += stored.discrepancy + differing
    counts.unlinked += held
    gaps = follow_ticks(source=source, ticks=stored.new_ticks, now=now)
    keys = sorted({*homes.to_judge, *stored.touched, *gaps.touched})
    judge_again(keys=keys, now=now, with_new_evidence={*stored.touched, *homes.moved, *gaps.touched})


def _fill_in_homes(filings: Sequence[Filing], homes: Homes) -> None:
    for filing in filings:
        if filing.key is None and filing.said.job_ref is not None:
            filing.key = homes.home_of(filing.said.job_ref)
