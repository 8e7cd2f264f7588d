"""Put a replay into the outbox, in the transaction of its decision, and wake the dispatcher after it."""

import logging
from datetime import datetime
from typing import Any

from celery import current_app
from django.conf import settings
from django.db import transaction

from occurrences.contract.handoffs import Handoff
from occurrences.contract.judging import Judgement
from occurrences.contract.occurrences import recovery_id
from occurrences.models import Decision, Occurrence, Replay
from occurrences.queries.questions import Case

log = logging.getLogger("aglet.dispatch")
DISPATCH = "occurrences.dispatch"


def put_into_outbox(*, row: Occurrence, decision: Decision, case: Case, judgement: Judgement, now: datetime) -> Replay:
    """Make the replay of a decision. Its id follows from identity and number, so it can be made once only."""
    number = Replay.objects.filter(occurrence=row).count() + 1
    replay = Replay.objects.create(
        recovery_id=recovery_id(row.identity, number),
        occurrence=row,
        decision=decision,
        recovery_number=number,
        target=row.revision.target if row.revision else {},
        not_after=now + case.question.allowances.readback,
        created_at=now,
        original_then=original_of(judgement),
    )
    transaction.on_commit(wake)
    return replay


def original_of(judgement: Judgement) -> dict[str, Any]:
    """The state of the original at the decision: how far it had come, by station."""
    seen = {s.handoff: s.at for s in judgement.stations if s.handoff is not Handoff.DUE}
    return {
        "verdict": judgement.verdict.value,
        "seen": {h.word: at.isoformat() for h, at in seen.items() if at is not None},
    }


def wake() -> None:
    """Ask for a round of dispatch now. Losing this message costs seconds: beat asks every ten."""
    try:
        current_app.send_task(
            DISPATCH, queue=settings.CELERY_TASK_DEFAULT_QUEUE, expires=10, retry=False, ignore_result=True
        )
    except Exception:
        log.warning("the dispatcher was not woken; beat will", exc_info=True)
