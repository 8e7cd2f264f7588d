"""What is known around an occurrence that decides whether a replay could run the work twice."""

from datetime import datetime, timedelta

from django.db.models import Q, QuerySet
from django.db.models.functions import Least

from occurrences.contract.handoffs import Handoff
from occurrences.contract.judging import Judgement
from occurrences.contract.replay_safety import (
    UNASKED,
    Circumstances,
    ReplaySafety,
    hangs_on_circumstances,
    has_gap,
    period,
    replay_safety,
)
from occurrences.contract.verdicts import Verdict
from occurrences.models import HandoffRecord, Occurrence
from occurrences.queries.questions import Case

# The window of a live occurrence: a day around it and, where that holds fewer, four due times on either side.
AROUND = timedelta(days=1)
BESIDE = 4


def safety_of(case: Case, said: Judgement) -> ReplaySafety:
    """Whether a replay could run the work twice, as of the moment the case was judged at.

    Four statements where that hangs on what is around the occurrence, else none.
    """
    return replay_safety(said, _circumstances(case) if hangs_on_circumstances(said) else UNASKED)


def _circumstances(case: Case) -> Circumstances:
    question = case.question
    due, as_of, tick = question.identity.due_at, question.as_of, question.allowances.tick
    before = _planned(case).filter(due_at__lt=due).order_by("-due_at").values_list("due_at", flat=True)[:BESIDE]
    after = list(_planned(case).filter(due_at__gt=due).order_by("due_at").values_list("due_at", flat=True)[:BESIDE])
    serving = (row for row in question.workers if row.up_at(as_of) and row.serves(question.queue))
    return Circumstances(
        worker_up=any(row.capacity > 0 for row in serving),
        another_succeeded=_another_succeeded(case, min([due - AROUND, *before]), max([due + AROUND, *after])),
        stray=_stray(case, *period(due, after[0] if after else None, tick)),
        blind=has_gap(question.coverage, due=due, tick=tick, as_of=as_of),
        provable=question.coverage.provable,
    )


def _planned(case: Case) -> QuerySet[Occurrence]:
    return Occurrence.objects.filter(schedule_id=case.schedule_id, planned=True).exclude(key=case.key)


def _another_succeeded(case: Case, start: datetime, end: datetime) -> bool:
    """Whether another due time from `start` to `end` has a recorded success; a paused one is none."""
    others = _planned(case).filter(due_at__gte=start, due_at__lte=end)
    others = others.exclude(verdict__in=(Verdict.NOT_DUE.value, Verdict.PAUSED.value))
    return others.filter(records__handoff=int(Handoff.TERMINAL), records__outcome="succeeded").exists()


def _stray(case: Case, start: datetime, end: datetime | None) -> bool:
    """Whether a run whose own occurrence is not due, by the rule or by a pause, has a record in the period.

    However far from the period the time lies that it was filed under, and be it still ahead.
    """
    not_due = Q(occurrence__planned=False) | Q(
        # a due time that lies ahead is called not-due, too, and has no first absent handoff
        occurrence__verdict=Verdict.NOT_DUE.value,
        occurrence__first_absent=int(Handoff.DUE),
    )
    records = HandoffRecord.objects.annotate(event_at=Least("observed_at", "received_at")).filter(
        not_due,
        occurrence__schedule_id=case.schedule_id,
        run_ref__isnull=False,
        recovery_number=0,
        event_at__gte=start,
    )
    return (records if end is None else records.filter(event_at__lt=end)).exists()
