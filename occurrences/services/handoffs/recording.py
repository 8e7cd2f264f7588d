"""One transaction per request: store the evidence, judge what it touches, write back what changed.

Lock order: occurrences in key order, then runs by reference, then processes and coverage.
"""

from collections.abc import Sequence
from datetime import datetime, timedelta

from django.db import OperationalError, transaction

from occurrences.contract.wire import CoverageIn, ProcessIn, ScheduleIn
from occurrences.models import Source
from occurrences.services import workers
from occurrences.services.handoffs.floating import begin_floating, follow_ticks
from occurrences.services.handoffs.homes import Homes, find_homes
from occurrences.services.handoffs.items import Counts, Filing, Item
from occurrences.services.handoffs.placing import Placing, name_occurrences, place
from occurrences.services.handoffs.storing import store
from occurrences.services.handoffs.waiting import file_waiting, hold_unlinked, quarantine
from occurrences.services.occurrences import judge_again
from occurrences.services.partitions import ensure_partitions
from occurrences.services.schedules import plan, take_snapshots

TRIES = 3
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
    placing = place(source=source.name, items=items, now=now)
    dues = [f.named.due_at for f in placing.filings if f.named is not None]
    if dues:
        ensure_partitions(min(dues), max(dues))
    for attempt in range(TRIES):
        try:
            counts, changed = _record(source, placing, counts, now)
            break
        except OperationalError as error:
            if getattr(error.__cause__, "sqlstate", None) not in RETRIED:
                raise
            if attempt == TRIES - 1:
                raise Busy from error
    if changed:  # after the commit: planning makes transactions, and now and then partitions, of its own
        plan(now=now, ahead=plan_ahead, only=changed)
    return counts


@transaction.atomic
def _record(source: Source, placing: Placing, before: Counts, now: datetime) -> tuple[Counts, set[int]]:
    counts = Counts(duplicate=placing.repeated, refused=list(before.refused))
    changed = take_snapshots(source=source, snapshots=placing.of(ScheduleIn), now=now)
    counts.accepted += len(placing.of(ScheduleIn))
    if changed:
        begin_floating(schedules=changed, now=now)
    if placing.filings:
        _record_handoffs(source, placing, counts, now)
    taken = workers.take(source=source, processes=placing.of(ProcessIn), coverages=placing.of(CoverageIn), now=now)
    told = len(placing.of(ProcessIn)) + len(placing.of(CoverageIn))
    counts.accepted += told - taken.duplicates - len(taken.unknown_spools)
    counts.duplicate += taken.duplicates
    quarantined = [*placing.quarantined, *placing.unknown_spools(taken.unknown_spools)]
    counts.quarantined += quarantine(source=source, rows=quarantined, now=now)
    counts.duplicate += len(quarantined) - counts.quarantined
    return counts, changed


def _record_handoffs(source: Source, placing: Placing, counts: Counts, now: datetime) -> None:
    touched = name_occurrences(source=source, filings=placing.filings, now=now)
    homes = find_homes(source=source, filings=placing.filings, touched=touched)
    filings = [*placing.filings, *file_waiting(source=source, homes=homes)]
    _fill_in_homes(filings, homes)
    homeless = [f for f in filings if f.key is None]
    placed = [f for f in filings if f.key is not None]
    stored = store(source=source, filings=placed, homes=homes, now=now)
    held = hold_unlinked(source=source, filings=homeless)
    counts.accepted += stored.accepted
    counts.duplicate += stored.duplicate + len(homeless) - held
    counts.discrepancy += stored.discrepancy
    counts.unlinked += held
    gaps = follow_ticks(source=source, ticks=stored.new_ticks, now=now)
    keys = sorted({*homes.to_judge, *stored.touched, *gaps.touched})
    judge_again(keys=keys, now=now, with_new_evidence={*stored.touched, *homes.moved, *gaps.touched})


def _fill_in_homes(filings: Sequence[Filing], homes: Homes) -> None:
    for filing in filings:
        if filing.key is None and filing.said.job_ref is not None:
            filing.key = homes.home_of(filing.said.job_ref)
