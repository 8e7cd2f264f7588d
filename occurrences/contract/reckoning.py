"""The arithmetic behind a judgement: each limit with its instant and how it came about."""

from .answers import Answered
from .decisions import REDELIVERY, Choice
from .facts import Facts
from .handoffs import STEPS, Handoff
from .judgements import ArithmeticLine
from .paths import Step
from .sentences import clock
from .times import span_text


def arithmetic_of(facts: Answered) -> tuple[ArithmeticLine, ...]:
    """Return what happened and the limit of what did not, in the order of the path, then what was decided."""
    lines = [ArithmeticLine(label="Due", at=facts.due, note="nominal due time of the rule")]
    for handoff in STEPS:
        lines += _step_lines(facts, facts.step(handoff))
        if handoff is facts.open:
            break
    lines += _expiry_lines(facts)
    lines += _answer_lines(facts)
    lines.append(ArithmeticLine(label="Judged", at=facts.as_of, note="observing moment"))
    return tuple(lines)


def _step_lines(facts: Facts, step: Step) -> list[ArithmeticLine]:
    if not step.reported or step.follows:
        return []
    lines = []
    if step.limit is not None:
        note = f"{clock(facts, step.base)} + {span_text(step.allowance)} allowance"
        lines.append(ArithmeticLine(label=f"{step.handoff.label} limit", at=step.limit, note=note))
    if step.at is not None:
        behind = step.late_by
        note = f"{span_text(behind)} after its limit" if behind is not None else "inside its limit"
        lines.append(ArithmeticLine(label=step.handoff.label, at=step.at, note=note))
    return lines


def _expiry_lines(facts: Facts) -> list[ArithmeticLine]:
    lines = []
    if facts.path.expiry is not None:
        lines.append(ArithmeticLine(label="Expiry", at=facts.path.expiry, note="the message is void after it"))
    if facts.claimant_down is not None and facts.open is not None and facts.open > Handoff.CLAIM:
        lines.append(ArithmeticLine(label="Claimant down", at=facts.claimant_down, note="its worker ended here"))
    return lines


def _answer_lines(facts: Answered) -> list[ArithmeticLine]:
    """The decision that counts, with the moment up to which it is looked after."""
    decision, replay, until = facts.decision, facts.replay, facts.watched_until
    if decision is None:
        return []
    at = clock(facts, decision.at)
    lines = [ArithmeticLine(label="Decided", at=decision.at, note=_decided(decision.choice, decision.recovery_number))]
    if replay is not None:
        note = f"{at} + {span_text(facts.question.allowances.readback)} allowance"
        lines.append(ArithmeticLine(label="Readback limit", at=replay.readback_by, note=note))
    if until is not None:
        note = f"{clock(facts, until - REDELIVERY)} + {span_text(REDELIVERY)} in which a broker hands out again"
        lines.append(ArithmeticLine(label="Watched until", at=until, note=note))
    return lines


def _decided(choice: Choice, number: int) -> str:
    return f"replay, recovery {number}" if choice is Choice.REPLAY else "skip"
