"""Record replay or skip: decision, outbox, audit and timeline in one transaction.

The form carries the evidence revision the person looked at and a one-time key. Whoever gets the lock of the
occurrence first decides; who comes second with the same key gets the first answer again, with another key a
conflict. Nothing is sent here: the outbox row is what makes the run happen.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.contrib.auth.models import User
from django.db import IntegrityError, OperationalError, transaction

from occurrences.contract.checks import Check, blocked_by, blocking
from occurrences.contract.decisions import Choice
from occurrences.contract.errors import ContractError
from occurrences.contract.judging import Judgement, judge
from occurrences.contract.permissions import check_can_decide, highest_role
from occurrences.models import Decision, Occurrence
from occurrences.queries.decisions import check_facts
from occurrences.queries.people import person_of
from occurrences.queries.questions import Case, ask
from occurrences.services import audit
from occurrences.services.occurrences import judge_again
from occurrences.services.replays.outbox import put_into_outbox
from occurrences.services.work_items.timeline import note_on_items

TRIES = 3
LOCK_NOT_HAD = "55P03"


NOT_DUE = Check(name="due", passed=False, sentence="It is not due yet, so there is nothing to decide.")


class Conflict(ContractError):
    """The occurrence changed since the person looked at it, or somebody else decided; nothing was recorded."""

    def __init__(self, key: UUID, seen_revision: int, seen_at: datetime | None) -> None:
        super().__init__("this occurrence changed while you were deciding")
        self.key = key
        self.seen_revision = seen_revision
        self.seen_at = seen_at


class Blocked(ContractError):
    """A check forbids this choice and nobody may override it."""

    def __init__(self, checks: tuple[Check, ...]) -> None:
        super().__init__(" ".join(c.sentence for c in checks))
        self.checks = checks


class NoReason(ContractError):
    """A decision without a reason."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """The decision that stands, and whether this submission was a repetition of the one that made it."""

    decision: Decision
    repeated: bool


def decide(
    *,
    key: UUID,
    choice: Choice,
    reason: str,
    decision_key: UUID,
    evidence_revision: int,
    targets: Mapping[str, str],
    by: User,
    now: datetime,
) -> Outcome:
    """Record the decision and return it.

    Raises NoReason, Forbidden (contract), Conflict and Blocked; then nothing is recorded. The same
    `decision_key` again returns the first decision, whatever else the repetition says.
    """
    if not reason.strip():
        raise NoReason("a decision needs a reason")
    for attempt in range(TRIES):
        try:
            return _decide(key, choice, reason.strip(), decision_key, evidence_revision, targets, by, now)
        except OperationalError as error:
            # Many identical submissions wait for one row: the later ones may have to ask again.
            if getattr(error.__cause__, "sqlstate", None) != LOCK_NOT_HAD:
                raise
            if attempt == TRIES - 1:
                raise Conflict(key, evidence_revision, None) from error
        except IntegrityError as error:
            # the same key was used on another occurrence at the same moment
            raise Conflict(key, evidence_revision, None) from error
    raise AssertionError("unreachable")


@transaction.atomic
def _decide(
    key: UUID,
    choice: Choice,
    reason: str,
    decision_key: UUID,
    evidence_revision: int,
    targets: Mapping[str, str],
    by: User,
    now: datetime,
) -> Outcome:
    locked = Occurrence.objects.select_for_update(no_key=True, of=("self",))
    row = locked.select_related("source", "schedule__team", "revision").get(key=key)
    first = Decision.objects.filter(decision_key=decision_key).first()
    if first is not None:
        if (first.occurrence_id, first.person_id) != (key, by.pk):
            raise Conflict(key, evidence_revision, None)  # the key of another form: it answers for that one alone
        return Outcome(first, repeated=True)
    team = row.schedule.team
    check_can_decide(
        person_of(by),
        team=team.name if team else None,
        operators_may_decide=row.schedule.operators_may_decide,
    )
    if row.evidence_revision != evidence_revision:
        raise Conflict(key, evidence_revision, None)
    if row.due_at > now:
        raise Blocked((NOT_DUE,))
    case = ask([key], as_of=now)[key]
    judgement = judge(case.question)
    checks = blocking(check_facts(row, judgement, targets, now=now, shown_revision=evidence_revision))
    if forbidding := blocked_by(checks, choice):
        raise Blocked(forbidding)
    decision = _record(row, case, judgement, choice, reason, decision_key, checks, by, now)
    if choice is Choice.REPLAY:
        put_into_outbox(row=row, decision=decision, case=case, judgement=judgement, now=now)
    judge_again(keys=[key], now=now, with_new_evidence=[key])
    note_on_items(key=key, kind=f"decided {choice.value}", text=reason, by=by.username, now=now)
    detail = {
        "choice": choice.value,
        "reason": reason,
        "evidence_revision": evidence_revision,
        "number": decision.number,
    }
    audit.write(by=by, act="decided", subject=str(row.identity), now=now, detail=detail)
    return Outcome(decision, repeated=False)


def _record(
    row: Occurrence,
    case: Case,
    judgement: Judgement,
    choice: Choice,
    reason: str,
    decision_key: UUID,
    checks: tuple[Check, ...],
    by: User,
    now: datetime,
) -> Decision:
    return Decision.objects.create(
        occurrence=row,
        decision_key=decision_key,
        number=Decision.objects.filter(occurrence=row).count() + 1,
        choice=choice.value,
        reason=reason,
        person=by,
        role=highest_role(person_of(by)),
        decided_at=now,
        evidence_revision=row.evidence_revision,
        verdict=judgement.verdict.value,
        checks=[{"name": c.name, "passed": c.passed, "sentence": c.sentence} for c in checks],
        snapshot=_snapshot(case, judgement),
    )


def _snapshot(case: Case, judgement: Judgement) -> dict[str, Any]:
    """What the person could see: the trail with its records, the workers, the policy that applied."""
    question = case.question
    return {
        "identity": str(question.identity),
        "verdict": judgement.verdict.value,
        "first_absent": None if judgement.first_absent is None else judgement.first_absent.word,
        "sentence": judgement.sentence,
        "records": [
            {"handoff": r.handoff.word, "record_id": r.record_id, "outcome": r.outcome, "at": r.event_time.isoformat()}
            for r in question.records
        ],
        "workers": [
            {"worker": w.worker, "up_from": w.up_from.isoformat(), "up_to": w.up_to.isoformat() if w.up_to else None}
            for w in question.workers
            if w.up_to is None or w.up_to >= question.identity.due_at
        ],
        "policy": case.policy_id,
    }
