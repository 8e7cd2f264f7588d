"""The judge: a pure function from a question (evidence plus time) to one judgement."""

from dataclasses import fields
from datetime import datetime

from .absences import opens_work_item
from .answers import Answered, answered
from .counting import counted_of
from .deadlines import next_moment, unproven_from
from .facts import Facts
from .handoffs import Handoff, Role, role_of
from .judgements import ArithmeticLine, Finding, Judgement, RecoveryRail, Station, StationState
from .questions import Question, as_known
from .rails import rails_of
from .reckoning import arithmetic_of
from .rule_lines import Rule
from .rules import RULES
from .sentences import clock
from .stations import stations_of
from .verdicts import Verdict

__all__ = [
    "ArithmeticLine",
    "Finding",
    "Judgement",
    "Question",
    "RecoveryRail",
    "Station",
    "StationState",
    "find",
    "judge",
]

NAMES = tuple(field.name for field in fields(Finding))


def judge(question: Question) -> Judgement:
    """Return the one judgement of `question` (handoff contract, section 6).

    Nothing received, decided, ended or proven after `as_of` counts. Naive times raise InvalidQuestion.
    """
    known = as_known(question)
    facts, rule = _ruled(known)
    found, spoken = _finding(known, facts, rule), _spoken_of(facts, rule)
    return Judgement(
        **{name: getattr(found, name) for name in NAMES},
        sentence=rule.sentence(facts) + _suspicion(facts, rule.verdict),
        stations=stations_of(
            facts,
            not_due=rule.verdict is Verdict.NOT_DUE and found.named is Handoff.DUE,
            paused=rule.verdict is Verdict.PAUSED,
        ),
        arithmetic=arithmetic_of(facts),
        trust=_trust(spoken, rule.verdict),
        counted=counted_of(facts, spoken, found.named, rule.verdict),
    )


def find(question: Question) -> Finding:
    """Return what `judge` would decide, without the words: for whoever stores it and shows nothing."""
    known = as_known(question)
    return _finding(known, *_ruled(known))


def _ruled(known: Question) -> tuple[Answered, Rule]:
    facts = answered(known)
    return facts, next(rule for rule in RULES if rule.applies(facts))


def _finding(known: Question, facts: Answered, rule: Rule) -> Finding:
    spoken = _spoken_of(facts, rule)
    named = rule.named(spoken)
    moment = next_moment(facts, settled=rule.settled)
    return Finding(
        verdict=rule.verdict,
        first_absent=_first_absent(facts, rule),
        named=named,
        expected_by=_expected_by(spoken, named),
        still_absent=named is not None and not _happened(spoken, named),
        next_deadline=moment[0] if moment is not None else None,
        next_role=moment[1] if moment is not None else None,
        blind_from=_blind_from(spoken) if rule.verdict is Verdict.UNKNOWN else None,
        unproven_from=None if rule.settled or facts.future else unproven_from(spoken),
        recoveries=rails_of(facts, known.records),
        of_recovery=facts.replay.decision.recovery_number if facts.replay is not None and rule.of_replay else 0,
    )


def _happened(facts: Facts, handoff: Handoff) -> bool:
    if handoff is Handoff.EXPIRATION:
        return facts.expiration_at is not None
    return handoff is Handoff.DUE or facts.step(handoff).at is not None


def _spoken_of(facts: Answered, rule: Rule) -> Facts:
    """Return the path that the verdict speaks of: the original's, or that of the replay that counts."""
    return facts.replay.path if rule.of_replay and facts.replay is not None else facts


def _first_absent(facts: Answered, rule: Rule) -> Handoff | None:
    if facts.future or facts.gap_ended:
        return None
    if rule.settled:
        return Handoff.DUE if rule.named(facts) is Handoff.DUE else None
    return facts.absent[0] if facts.absent else None


def _expected_by(facts: Facts, named: Handoff | None) -> datetime | None:
    if named is None:
        return None
    if named is Handoff.DUE:
        return facts.due
    if named is Handoff.EXPIRATION:
        return facts.path.expiry
    limit = facts.limit_of(named)
    return limit.at if limit is not None else facts.step(named).limit


def _suspicion(facts: Facts, verdict: Verdict) -> str:
    proven = facts.question.coverage.provable or not facts.absent or not opens_work_item(verdict)
    return "" if proven else " Suspected only: this source cannot prove that its evidence is complete."


def _blind_from(facts: Facts) -> datetime | None:
    """Return where the observer's view ended, for the earliest limit that could not be judged."""
    limit = min(facts.open_limits, key=lambda each: each.at, default=None)
    return facts.question.coverage.blind_since(limit.role, limit.at) if limit is not None else None


def _trust(facts: Facts, verdict: Verdict) -> str:
    """Return one short clause on how far the evidence behind this judgement carries."""
    coverage = facts.question.coverage
    if verdict is Verdict.UNKNOWN:
        since = _blind_from(facts)
        return f"No, the observer was blind{f' from {clock(facts, since)}' if since is not None else ''}"
    if not coverage.provable:
        return "Only as far as records go: this source cannot prove that its evidence is complete"
    if facts.open is None:
        return "Yes, the path has ended and its end is on record"
    return _reach(facts)


def _reach(facts: Facts) -> str:
    limits = [limit for limit in facts.open_limits if limit.passed]
    if any(limit.proven for limit in limits):
        return "Yes, the evidence has no gap up to the deadline"
    if limits:
        return "Not yet, the evidence is not complete up to the deadline"
    role = role_of(facts.open, facts.question.capabilities) if facts.open is not None else Role.CLOCK
    covered = _covered(facts, role)
    return f"Yes, the evidence of the {role.value} reaches to {covered}" if covered else "No evidence has come yet"


def _covered(facts: Facts, role: Role) -> str | None:
    """Return how far the evidence of `role` reaches, as text; None where there is none."""
    end = facts.covered_to(role)
    return clock(facts, end) if end is not None else None
