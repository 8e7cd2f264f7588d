"""The verdicts as one ordered table: the first rule that applies is the answer (handoff contract, 6)."""

from collections.abc import Callable

from . import sentences
from .answer_rules import ANSWER_RULES
from .answers import Answered
from .facts import Facts
from .handoffs import Handoff
from .rule_lines import Applies, Named, Rule, Sentence, nothing, opened, owed, terminal
from .verdicts import Verdict


def _due(facts: Facts) -> Handoff | None:
    return Handoff.DUE


def _tick(facts: Facts) -> Handoff | None:
    return Handoff.TICK


def _late(facts: Facts) -> Handoff | None:
    return facts.late


def _expiration(facts: Facts) -> Handoff | None:
    return Handoff.EXPIRATION


def _future(facts: Facts) -> bool:
    return facts.future


def _ran_while_paused(facts: Facts) -> bool:
    return facts.question.paused and bool(facts.runs)


def _paused(facts: Facts) -> bool:
    return facts.question.paused


def _unplanned(facts: Facts) -> bool:
    return not facts.question.in_rule


def _gap_ended(facts: Answered) -> bool:
    return facts.gap_ended


def _gap_overtaken(facts: Answered) -> bool:
    tick = facts.step(Handoff.TICK).record
    if not facts.question.expected_gap or tick is None or facts.gap_ended:
        return False
    return tick.named not in (None, facts.question.identity)


def _several_ready(facts: Facts) -> bool:
    return len(facts.ready_runs) > 1


def _overlapping(facts: Facts) -> bool:
    return facts.overlapping


def _failed(facts: Facts) -> bool:
    return facts.ended is not None and facts.ended != "succeeded"


def _recovered(facts: Facts) -> bool:
    return facts.ended == "succeeded" and facts.lost_before


def _ran_after_expiry(facts: Facts) -> bool:
    return facts.ran_after_expiry


def _lost(facts: Facts) -> bool:
    return facts.loss is not None and facts.loss.proven


def _expired_on_record(facts: Facts) -> bool:
    return facts.expired_on_record


def _expired_by_clock(facts: Facts) -> bool:
    return facts.expired_by_clock


def _absent(handoff: Handoff) -> Callable[[Facts], bool]:
    def applies(facts: Facts) -> bool:
        return facts.open is handoff and facts.open_absent

    return applies


def _unclaimed_beside_a_free_slot(facts: Facts) -> bool:
    return facts.open is Handoff.CLAIM and facts.open_absent and facts.free_worker is not None


def _unknown(facts: Facts) -> bool:
    return facts.unknown


def _came_late(*handoffs: Handoff) -> Callable[[Facts], bool]:
    def applies(facts: Facts) -> bool:
        return facts.late in handoffs

    return applies


def _succeeded(facts: Facts) -> bool:
    return facts.ended == "succeeded"


def _always(facts: Facts) -> bool:
    return True


def _rule(
    name: str,
    verdict: Verdict,
    applies: Applies,
    named: Named,
    sentence: Sentence,
    *,
    settled: bool = False,
) -> Rule:
    return Rule(name=name, verdict=verdict, applies=applies, named=named, sentence=sentence, settled=settled)


V = Verdict
H = Handoff
S = sentences

RULES: tuple[Rule, ...] = (
    _rule("due later", V.NOT_DUE, _future, nothing, S.future),
    _rule("not in the rule in force", V.NOT_DUE, _unplanned, _due, S.unplanned, settled=True),
    _rule("ran while paused", V.NOT_DUE, _ran_while_paused, _due, S.ran_while_paused, settled=True),
    _rule("paused", V.PAUSED, _paused, nothing, S.paused, settled=True),
    _rule("gap overtaken by a tick", V.NOT_DUE, _gap_overtaken, nothing, S.gap_overtaken, settled=True),
    *ANSWER_RULES,
    _rule("gap ended by a late tick", V.LATE_ENQUEUE, _gap_ended, _tick, S.gap_ended, settled=True),
    _rule("two runs became ready", V.DUPLICATE, _several_ready, nothing, S.duplicate_runs),
    _rule("two live owners started one run", V.DUPLICATE, _overlapping, nothing, S.duplicate_owners),
    _rule("ended, not well", V.FAILED, _failed, terminal, S.failed),
    _rule("succeeded after a failure or loss", V.RECOVERED, _recovered, nothing, S.recovered),
    _rule("started after its expiry", V.RAN_AFTER_EXPIRY, _ran_after_expiry, _expiration, S.ran_after_expiry),
    _rule("claimant went down", V.LOST_AFTER_CLAIM, _lost, opened, S.lost),
    _rule("expired, on record", V.EXPIRED_UNCLAIMED, _expired_on_record, owed, S.expired_on_record),
    _rule("expired, by the clock", V.EXPIRED_UNCLAIMED, _expired_by_clock, owed, S.expired_by_clock),
    _rule("no tick", V.MISSING_TICK, _absent(H.TICK), opened, S.missing_tick),
    _rule("no enqueue", V.MISSING_ENQUEUE, _absent(H.ENQUEUE), opened, S.missing_enqueue),
    _rule("not ready", V.MISSING_READY, _absent(H.READY), opened, S.missing_ready),
    _rule("free slot, no claim", V.MISSING_CLAIM, _unclaimed_beside_a_free_slot, opened, S.missing_claim),
    _rule("no claim", V.DELAYED_CLAIM, _absent(H.CLAIM), opened, S.delayed_claim),
    _rule("no start", V.DELAYED_START, _absent(H.START), opened, S.delayed_start),
    _rule("no end", V.OVERRAN, _absent(H.TERMINAL), opened, S.overran),
    _rule("blind when it mattered", V.UNKNOWN, _unknown, opened, S.unknown),
    _rule("made late", V.LATE_ENQUEUE, _came_late(H.TICK, H.ENQUEUE, H.READY), _late, S.late),
    _rule("claimed late", V.DELAYED_CLAIM, _came_late(H.CLAIM), _late, S.late),
    _rule("started late", V.DELAYED_START, _came_late(H.START), _late, S.late),
    _rule("ended late", V.OVERRAN, _came_late(H.TERMINAL), _late, S.late),
    _rule("succeeded in time", V.ON_TIME, _succeeded, nothing, S.on_time),
    _rule("nothing past its limit", V.PENDING, _always, opened, S.pending),
)
