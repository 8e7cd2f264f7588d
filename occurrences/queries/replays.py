"""Replays as the rules read them."""

from datetime import datetime

from occurrences.contract.handoffs import Handoff
from occurrences.contract.judging import Judgement, judge
from occurrences.contract.readbacks import ReplayFacts, ReplayReading, state_of
from occurrences.models import Replay
from occurrences.queries.questions import Case, ask


def live_replays(limit: int) -> list[Replay]:
    """The replays that are not at an end yet, oldest first."""
    return list(Replay.objects.filter(closed_at__isnull=True).order_by("created_at")[:limit])


def readings(replays: list[Replay], *, as_of: datetime) -> list[tuple[Replay, ReplayReading]]:
    """The state of each replay as of a moment, in a constant number of statements."""
    cases = ask({r.occurrence_id for r in replays}, as_of=as_of)
    return [(r, reading(r, cases[r.occurrence_id])) for r in replays if r.occurrence_id in cases]


def reading(replay: Replay, case: Case) -> ReplayReading:
    """The state of one replay, from the case of its occurrence."""
    return state_of(facts_of(replay, case, judge(case.question)))


def facts_of(replay: Replay, case: Case, judgement: Judgement) -> ReplayFacts:
    """What is known of a replay; the original's state is compared with the one kept at the decision."""
    question = case.question
    at = {s.handoff: s.at for s in judgement.stations}
    seen_then = replay.original_then.get("seen", {})
    started = at[Handoff.START] is not None and Handoff.START.word not in seen_then
    return ReplayFacts(
        recovery_id=str(replay.recovery_id),
        number=replay.recovery_number,
        identity=question.identity,
        decided_at=replay.created_at,
        readback=question.allowances.readback,
        run=question.allowances.run,
        as_of=question.as_of,
        published_at=replay.published_at,
        not_after=replay.not_after,
        records=tuple(r for r in question.records if r.recovery == replay.recovery_number),
        original_then=replay.original_then,
        original_started_after=started,
        original_succeeded=any(_is_success(r) for r in question.records if r.recovery == 0),
    )


def _is_success(record: object) -> bool:
    return getattr(record, "handoff", None) is Handoff.TERMINAL and getattr(record, "outcome", None) == "succeeded"
