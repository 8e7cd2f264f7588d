"""What is known around an occurrence that decides whether a replay could run the work twice."""

from collections.abc import Collection
from datetime import datetime, timedelta
from uuid import UUID

from django.db.models import Q
from django.db.models.functions import Least

from occurrences.contract.handoffs import Handoff
from occurrences.contract.judging import Judgement
from occurrences.contract.replay_safety import Circumstances, ReplaySafety, has_gap, period, replay_safety
from occurrences.contract.verdicts import Verdict
from occurrences.models import HandoffRecord, Occurrence
from occurrences.queries.questions import Case

# How far from the period the due time may lie that a stray run was filed under: it is somebody's slip of hours.
ASTRAY = timedelta(days=1)
NOT_DUE = (Verdict.NOT_DUE.value, Verdict.PAUSED.value)


def safety_of(case: Case, said: Judgement, window: Collection[Occurrence]) -> ReplaySafety:
    """Whether a replay could run the work twice, compared with the `window`: due times of the same schedule around it.

    Two statements.
    """
    question = case.question
    due, tick, as_of = question.identity.due_at, question.allowances.tick, question.as_of
    following = min((o.due_at for o in window if o.due_at > due and o.planned), default=None)
    around = Circumstances(
        worker_up=any(row.capacity > 0 for row in question.workers if row.up_at(as_of)),
        another_succeeded=_succeeded([o.key for o in window if o.key != case.key and o.verdict not in NOT_DUE]),
        stray=_stray(case, *period(due, following, tick), as_of),
        blind=has_gap(question.coverage, due=due, tick=tick, as_of=as_of),
        provable=question.coverage.provable,
    )
    return replay_safety(said, around)


def _succeeded(keys: Collection[UUID]) -> bool:
    ended = HandoffRecord.objects.filter(occurrence_id__in=keys, handoff=int(Handoff.TERMINAL), outcome="succeeded")
    return ended.exists()


def _stray(case: Case, start: datetime, end: datetime | None, as_of: datetime) -> bool:
    """Whether a run of the schedule that was not due has a record in the period; a replay is none."""
    near = Q(due_at__gte=start - ASTRAY, due_at__lt=min(end or as_of, as_of) + ASTRAY)
    others = Occurrence.objects.filter(near, schedule_id=case.schedule_id, verdict=Verdict.NOT_DUE.value)
    records = HandoffRecord.objects.filter(occurrence__in=others.exclude(key=case.key), recovery_number=0)
    records = records.exclude(run_ref=None).annotate(event_at=Least("observed_at", "received_at"))
    within = Q(event_at__gte=start) & (Q(event_at__lt=end) if end is not None else Q())
    return records.filter(within).exists()
