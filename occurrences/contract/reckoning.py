"""The arithmetic behind a judgement: each limit with its instant and how it came about."""

from .facts import Facts
from .handoffs import STEPS, Handoff
from .judgements import ArithmeticLine
from .paths import Step
from .sentences import clock
from .times import span_text


def arithmetic_of(facts: Facts) -> tuple[ArithmeticLine, ...]:
    """Return the lines in the order of the path: what happened, then the limit of what did not."""
    lines = [ArithmeticLine(label="Due", at=facts.due, note="nominal due time of the rule")]
    for handoff in STEPS:
        lines += _step_lines(facts, facts.step(handoff))
        if handoff is facts.open:
            break
    lines += _expiry_lines(facts)
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
