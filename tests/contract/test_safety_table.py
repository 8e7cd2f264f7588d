"""The whole decision table: one verdict each, never milder for a riskier input, and the same as a second table."""

from dataclasses import replace
from itertools import product

import pytest

from occurrences.contract.decisions import Choice
from occurrences.contract.effects import Effect
from occurrences.contract.liveness import Liveness
from occurrences.contract.safety_table import CELLS, EFFECTS, MODIFIERS, TABLE, Grade, Row, read_table, row_of
from occurrences.contract.trails import Trail
from tests.contract.safety_ground import inputs
from tests.contract.safety_second_table import graded
from tests.contract.test_liveness import reachable

PAIRS = sorted(reachable())
WORDS = {
    "past_window": "too old",
    "overlap": "overlapping",
    "later_success": "later success",
    "live": "another recovery",
}
# 28 pairs of trail and liveness that some circumstances give x 5 classes x 2 for each of the four conditions.
COMBINATIONS = list(product(PAIRS, Effect, *([False, True],) * 4))
UNKNOWNS = list(product(PAIRS, Effect, *([False, None, True],) * 3, [None, 1], [True, None, False]))
REPLAY, SKIP = Choice.REPLAY, Choice.SKIP


def told(pair, effect, past, overlap, later, live, provable=True):
    """The inputs of one combination."""
    fields = {"past_window": past, "overlap": overlap, "later_success": later, "live": 1 if live else None}
    return inputs(trail=pair[0], liveness=pair[1], effect=effect, provable=provable, **fields)


def test_safety_the_whole_table_gives_each_consistent_combination_exactly_one_verdict():
    assert len(PAIRS) == 28
    assert len(COMBINATIONS) == 2240
    for combination in COMBINATIONS:
        given = told(*combination)
        rows = [row for row in Row if row is row_of(given)]
        assert len(rows) == 1
        for choice in Choice:
            verdict = read_table(given, choice)
            assert verdict.grade in Grade
            assert verdict.row is rows[0]


@pytest.mark.parametrize("provable", [True, False])
def test_safety_a_second_independently_written_table_agrees_on_the_whole(provable):
    for pair, effect, *flags in COMBINATIONS:
        holds = {words for words, flag in zip(WORDS.values(), flags, strict=True) if flag}
        holds |= set() if provable else {"not provable"}
        given = told(pair, effect, *flags, provable)
        for choice in Choice:
            wanted = graded(pair[0].value, pair[1].value, effect.value, choice.value, holds)
            assert read_table(given, choice).grade.word == wanted, (pair, effect, flags, choice)


def test_safety_both_are_blocked_only_by_a_success_a_run_or_a_live_recovery():
    for combination in UNKNOWNS:
        given = told(*combination)
        held = given.succeeded or given.recovering or given.liveness is Liveness.RUNNING
        blocked = {read_table(given, choice).grade is Grade.BLOCK for choice in Choice}
        assert blocked == {held}


# From safe to risky; for a skip a later success is what makes it safe, and unknown is never better than either.
RISKIER = {
    "past_window": (False, None, True),
    "overlap": (False, None, True),
    "provable": (True, None, False),
}
LATER = {REPLAY: (False, None, True), SKIP: (True, None, False)}
LIVE = (Liveness.CANNOT, Liveness.UNKNOWN, Liveness.CAN_START, Liveness.RUNNING)
# A trail that went further is riskier; to be blind is riskier than to know it.
TRAILS = (
    (Trail.MISSING_TICK, Trail.MISSING_ENQUEUE, Trail.NOT_READY, Trail.DELAYED_CLAIM, Trail.EXPIRED_UNCLAIMED),
    (Trail.CLAIMED_NOT_STARTED,),
    (Trail.STARTED_NO_TERMINAL, Trail.FAILED),
    (Trail.BLIND,),
)
# Cumulative lies beside keyed and repeatable: it asks for the same, and a later success helps its skip alone.
CLASSES = (
    (Effect.KEYED, Effect.REPEATABLE),
    (Effect.REPEATABLE, Effect.ONCE),
    (Effect.CUMULATIVE, Effect.ONCE),
    (Effect.ONCE, Effect.UNCLASSIFIED),
)


def steps(given, choice):
    """Every set of inputs that differs from `given` in one input and is riskier for `choice`."""
    for name, order in {**RISKIER, "later_success": LATER[choice]}.items():
        for value in order[order.index(getattr(given, name)) + 1 :]:
            yield replace(given, **{name: value})
    for liveness in LIVE[LIVE.index(given.liveness) + 1 :]:
        yield replace(given, liveness=liveness)
    level = next((n for n, trails in enumerate(TRAILS) if given.trail in trails), len(TRAILS))
    for trails in TRAILS[level + 1 :]:
        yield from (replace(given, trail=trail) for trail in trails)
    for safer, riskier in CLASSES:
        if given.effect is safer:
            yield replace(given, effect=riskier)
    if not given.recovering:
        yield replace(given, doors=replace(given.doors, live_recovery=1))


def test_safety_a_riskier_input_never_makes_the_whole_table_milder():
    violations, walked = [], 0
    for combination in UNKNOWNS:
        given = told(*combination)
        for choice in Choice:
            held = read_table(given, choice).grade
            for riskier in steps(given, choice):
                walked += 1
                if read_table(riskier, choice).grade < held:
                    violations.append((given, riskier, choice))
    assert walked > 100_000
    assert not violations


@pytest.mark.parametrize("name", [*RISKIER, "later_success"])
def test_safety_unknown_is_weighed_as_the_worst(name):
    for pair, effect in product(PAIRS, Effect):
        given = inputs(trail=pair[0], liveness=pair[1], effect=effect)
        for choice in Choice:
            worst = {**RISKIER, "later_success": LATER[choice]}[name][-1]
            unknown, known = (replace(given, **{name: value}) for value in (None, worst))
            assert read_table(unknown, choice).grade is read_table(known, choice).grade


def test_safety_each_cell_is_filled():
    assert set(TABLE) == {(row, effect) for row in Row for effect in EFFECTS}
    assert set(EFFECTS) == set(Effect)
    assert set(CELLS) == set(Row)


def test_safety_each_row_each_modifier_and_each_grade_says_something():
    assert all(each.sentence.endswith(".") for each in (*Row, *MODIFIERS))
    assert len({grade.words for grade in Grade}) == len(Grade)
    assert [grade.word for grade in Grade] == ["allow", "warn", "override", "two-person", "block"]
    assert [grade for grade in Grade if grade.needs_override] == [Grade.OVERRIDE, Grade.TWO_PERSON]


def test_safety_a_later_success_covers_a_cumulative_due_time_only_once_the_original_is_over():
    over = inputs(effect=Effect.CUMULATIVE, later_success=True)
    assert read_table(over, SKIP).grade is Grade.ALLOW
    for liveness, wanted in ((Liveness.UNKNOWN, Grade.OVERRIDE), (Liveness.CAN_START, Grade.TWO_PERSON)):
        assert read_table(replace(over, liveness=liveness), SKIP).grade is wanted
