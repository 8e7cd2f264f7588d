"""What has been decided of occurrences, and what the checks before a decision look at."""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from datetime import datetime, timedelta
from uuid import UUID

from django.db.models import Exists, Max, OuterRef, Q

from occurrences.contract.checks import CheckFacts
from occurrences.contract.decisions import Choice, DecisionFact
from occurrences.contract.handoffs import Handoff
from occurrences.contract.judging import Judgement
from occurrences.contract.readbacks import ReplayState
from occurrences.contract.verdicts import Verdict
from occurrences.models import Decision, HandoffRecord, Occurrence, Replay


def decision_facts(keys: Collection[UUID]) -> dict[UUID, tuple[DecisionFact, ...]]:
    """The decisions of each occurrence in order, as the judge reads them."""
    rows = Decision.objects.filter(occurrence_id__in=list(keys)).order_by("occurrence_id", "number")
    found: dict[UUID, list[DecisionFact]] = defaultdict(list)
    for row in rows.select_related("replay"):
        replay: Replay | None = getattr(row, "replay", None)
        found[row.occurrence_id].append(
            DecisionFact(
                choice=Choice(row.choice),
                at=row.decided_at,
                recovery_number=replay.recovery_number if replay else 0,
                recovery_id=str(replay.recovery_id) if replay else None,
                published_at=replay.published_at if replay else None,
                not_after=replay.not_after if replay else None,
            )
        )
    return {key: tuple(facts) for key, facts in found.items()}


def overtaken(decisions: Sequence[Decision]) -> set[int]:
    """Those of the decisions after which evidence of the original came, by their id; in one statement."""
    received = (
        HandoffRecord.objects.filter(occurrence_id__in={d.occurrence_id for d in decisions}, recovery_number=0)
        .values_list("occurrence_id")
        .annotate(Max("received_at"))
    )
    newest = dict(received) if decisions else {}
    return {d.pk for d in decisions if d.occurrence_id in newest and newest[d.occurrence_id] > d.decided_at}


def check_facts(
    row: Occurrence,
    judgement: Judgement,
    targets: Mapping[str, str],
    *,
    now: datetime,
    shown_revision: int | None = None,
    forbidden: str | None = None,
) -> CheckFacts:
    """What the blocking checks look at, for an occurrence whose source, schedule and revision are loaded."""
    target = row.revision.target if row.revision else {}
    at = {s.handoff: s.at for s in judgement.stations}
    return CheckFacts(
        due_at=row.due_at,
        source=row.source.name,
        source_enabled=row.source.enabled,
        target=row.source.name if row.source.name in targets else None,
        target_task=target.get("task"),
        target_enabled=row.revision is not None and row.revision.enabled,
        arguments_withheld=bool(target.get("has_arguments")) and "args" not in target,
        live_recovery=_may_still_run(row, now),
        succeeded_at=_succeeded_at(judgement),
        original_running=_running(judgement, at),
        shown_revision=shown_revision,
        evidence_revision=row.evidence_revision,
        forbidden=forbidden,
    )


def _succeeded_at(judgement: Judgement) -> datetime | None:
    """When the work of this due time was done: by the original, or by a recovery that was verified as it."""
    done = [judgement.stations[Handoff.TERMINAL]] if judgement.stations[Handoff.TERMINAL].note == "succeeded" else []
    done += [r.stations[Handoff.TERMINAL] for r in judgement.recoveries if r.state is ReplayState.VERIFIED]
    return next((station.at for station in done), None)


def _running(judgement: Judgement, at: Mapping[Handoff, datetime | None]) -> bool | None:
    """Whether the original runs: None where its claimant went down or it is past its time, and nobody can tell."""
    if at[Handoff.START] is None or at[Handoff.TERMINAL] is not None:
        return False
    cannot_tell = judgement.verdict in (Verdict.LOST_AFTER_CLAIM, Verdict.OVERRAN, Verdict.UNKNOWN)
    # a verdict that speaks of a replay says nothing of the original any more
    return None if cannot_tell or judgement.of_recovery > 0 else True


def _may_still_run(row: Occurrence, now: datetime) -> int | None:
    """The number of a recovery that is under way, or that was sent, has no end and may still run.

    A replay that is at its end for us (unverified, mismatch) can be alive at its target: until its not-after time is
    over and the longest run it may take after that, another one could do the work twice.
    """
    ended = HandoffRecord.objects.filter(
        occurrence=row,
        recovery_id=OuterRef("recovery_id"),
        handoff__in=[int(Handoff.EXPIRATION), int(Handoff.TERMINAL)],
    ).exclude(outcome="retrying")
    longest = timedelta(seconds=row.policy.run if row.policy else 0)
    alive = Q(published_at__isnull=False, not_after__gt=now - longest) & ~Exists(ended)
    replays = Replay.objects.filter(occurrence=row).filter(Q(closed_at__isnull=True) | alive)
    return replays.order_by("-recovery_number").values_list("recovery_number", flat=True).first()
