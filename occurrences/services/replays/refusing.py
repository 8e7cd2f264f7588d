"""Refuse a replay that was overtaken between its decision and its sending."""

from datetime import datetime

from django.db import transaction

from occurrences.contract.handoffs import Handoff
from occurrences.contract.judging import judge
from occurrences.models import Occurrence, Replay
from occurrences.queries.questions import ask
from occurrences.services.occurrences import judge_again
from occurrences.services.work_items.timeline import note_on_items


@transaction.atomic
def refuse_if_pointless(*, replay: Replay, now: datetime) -> bool:
    """Close the replay as refused when the original has started or succeeded since, or its source was disabled.

    The evidence is read under the lock of the occurrence, as at the decision. Returns whether it was refused.
    """
    row = (
        Occurrence.objects.select_for_update(no_key=True, of=("self",))
        .select_related("source")
        .get(key=replay.occurrence_id)
    )
    case = ask([row.key], as_of=now)[row.key]
    seen = {s.handoff for s in judge(case.question).stations if s.at is not None}
    then = replay.original_then.get("seen", {})
    started = [h for h in (Handoff.START, Handoff.TERMINAL) if h in seen and h.word not in then]
    if started:
        why = "the original has started since it was decided"
    elif not row.source.enabled:
        why = "the source was disabled since it was decided"
    else:
        return False
    _close(replay, why, now)
    return True


@transaction.atomic
def refused_by_target(*, replay: Replay, why: str, now: datetime) -> None:
    """Close the replay as refused by its target, which certainly took nothing; `why` is the adapter's own word."""
    Occurrence.objects.select_for_update(no_key=True).get(key=replay.occurrence_id)
    _close(replay, f"its target refused it: {why}", now)


def _close(replay: Replay, why: str, now: datetime) -> None:
    key = replay.occurrence_id
    replay.closed_at, replay.closed_as = max(now, replay.created_at), "refused"
    replay.save(update_fields=["closed_at", "closed_as"])
    note_on_items(key=key, kind="recovery refused", text=f"Not sent: {why}.", by="dispatch", now=now)
    judge_again(keys=[key], now=now, with_new_evidence=[key])
