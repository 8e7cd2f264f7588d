"""Table, modifiers and checks in one answer."""

from dataclasses import replace
from itertools import product

import pytest

from occurrences.contract.decisions import Choice
from occurrences.contract.effects import Effect
from occurrences.contract.liveness import Liveness
from occurrences.contract.safety_assessments import Advice, assess
from occurrences.contract.safety_checks import Kind, safety_checks
from occurrences.contract.safety_table import RULE_VERSION, Grade, Row
from occurrences.contract.trails import Trail
from tests.contract.safety_ground import DOORS, FREE, inputs
from tests.contract.test_safety_checks import FAILING, UNKNOWN
from tests.contract.test_safety_table import COMBINATIONS, PAIRS, REPLAY, SKIP, steps, told

HARD = (Grade.OVERRIDE, Grade.TWO_PERSON)


def test_safety_the_whole_has_a_sentence_for_each_verdict_and_the_higher_grade_counts():
    seen = set()
    for combination in COMBINATIONS:
        found = assess(told(*combination))
        for choice in Choice:
            verdict = found.verdict_of(choice)
            assert verdict.grade == max(verdict.table.grade, verdict.lifted_to)
            assert verdict.sentence.startswith(found.row.sentence)
            assert verdict.sentence.endswith(f"{choice.value.capitalize()}: {verdict.grade.words}.")
            assert verdict.grade == verdict.table.cell or verdict.because
            seen.add((choice, verdict.grade))
        assert found.advice.sentence
    assert seen == set(product(Choice, Grade))


def test_safety_the_checks_agree_with_the_whole_table():
    """Where only what the table weighs is in the way, the checks ask for nothing that the table does not."""
    for combination in COMBINATIONS:
        found = assess(told(*combination))
        assert all(found.grade_of(choice) == found.verdict_of(choice).table.grade for choice in Choice)


# Every input that only the checks read, from safe to risky for either choice.
READ_BY_CHECKS = [(name, given) for name, given, *_ in (*FAILING, *UNKNOWN) if not {"trail", "liveness"} & set(given)]


def test_safety_a_riskier_input_never_makes_the_whole_answer_milder():
    violations, walked = [], 0
    bases = [told(*combination) for combination in COMBINATIONS]
    for given in bases:
        held = assess(given)
        for choice in Choice:
            for riskier in steps(given, choice):
                walked += 1
                if assess(riskier).grade_of(choice) < held.grade_of(choice):
                    violations.append((given, riskier, choice))
    assert walked > 24_000
    assert not violations


@pytest.mark.parametrize(("name", "given"), READ_BY_CHECKS)
def test_safety_a_check_that_does_not_pass_never_makes_any_pair_milder(name, given):
    alone = {field: value for field, value in given.items() if field not in ("later_success", "effect")}
    for (trail, liveness), effect in product(PAIRS, Effect):
        free = inputs(trail=trail, liveness=liveness, effect=effect)
        for choice in Choice:
            assert assess(replace(free, **alone)).grade_of(choice) >= assess(free).grade_of(choice)


def test_safety_a_failed_override_check_lifts_the_replay_of_every_class_but_where_it_is_keyed():
    for name, given, *_ in FAILING:
        found = assess(inputs(**given))
        check = next(each for each in found.checks if each.name == name)
        if check.kind is Kind.OVERRIDE and not (name in ("O1", "O6") and found.effect is Effect.KEYED):
            assert found.grade_of(REPLAY) >= Grade.OVERRIDE


ADVISED = [
    ({}, Advice.REPLAY),
    ({"trail": Trail.SUCCEEDED}, Advice.ARRIVED),
    ({"trail": Trail.STARTED_NO_TERMINAL, "liveness": Liveness.RUNNING}, Advice.WAIT),
    ({"live": 2}, Advice.WAIT),
    ({"liveness": Liveness.CAN_START}, Advice.WAIT),
    ({"liveness": Liveness.CAN_START, "can_revoke": True}, Advice.REVOKE_FIRST),
    ({"liveness": Liveness.UNKNOWN}, Advice.GET_EVIDENCE),
    ({"trail": Trail.BLIND, "liveness": Liveness.UNKNOWN}, Advice.GET_EVIDENCE),
    ({"effect": Effect.UNCLASSIFIED}, Advice.GET_EVIDENCE),
    ({"effect": Effect.CUMULATIVE, "later_success": True}, Advice.SKIP),
    ({"trail": Trail.FAILED, "effect": Effect.ONCE}, Advice.SKIP),
    ({"overlap": True}, Advice.SKIP),
]


@pytest.mark.parametrize(("given", "advice"), ADVISED)
def test_safety_advises_what_to_do_first(given, advice):
    assert assess(inputs(**given)).advice is advice


def test_safety_advises_to_wait_while_replays_are_frozen():
    found = assess(replace(FREE, doors=replace(DOORS, frozen=True)))
    assert (found.advice, found.grade_of(REPLAY), found.grade_of(SKIP)) == (Advice.WAIT, Grade.BLOCK, Grade.WARN)


ASKED = [
    ({"trail": Trail.BLIND, "liveness": Liveness.UNKNOWN, "effect": Effect.ONCE}, ["Close the gap", "Read the target"]),
    ({"liveness": Liveness.UNKNOWN, "effect": Effect.REPEATABLE}, ["Read the target", "Ask the scheduler"]),
    (
        {"trail": Trail.STARTED_NO_TERMINAL, "liveness": Liveness.UNKNOWN, "effect": Effect.UNCLASSIFIED},
        ["Read the target", "Ask the worker", "Classify the schedule"],
    ),
    ({"effect": Effect.UNCLASSIFIED}, ["Classify the schedule"]),
    ({"liveness": Liveness.UNKNOWN}, []),
    ({"liveness": Liveness.UNKNOWN, "past_window": True}, ["Read the target", "Ask the scheduler"]),
    ({"trail": Trail.FAILED, "effect": Effect.ONCE}, []),
    ({"effect": Effect.UNCLASSIFIED, "live": 1}, []),
]


@pytest.mark.parametrize(("given", "asked"), ASKED)
def test_safety_asks_for_evidence_only_where_neither_choice_is_mild_and_something_is_unknown(given, asked):
    found = assess(inputs(**given))
    assert [question[: len(words)] for question, words in zip(found.questions, asked, strict=True)] == asked
    assert found.needs_evidence is bool(asked)


def test_safety_needs_evidence_in_part_of_the_whole_table():
    asked = [c for c in COMBINATIONS if assess(told(*c)).needs_evidence]
    assert all(assess(told(*c)).grade_of(choice) in HARD for c in asked for choice in Choice)
    # 10 pairs with something unknown: 6 of 16 for keyed work, 8 of 16 for each other class; else unclassified.
    assert len(asked) == 10 * (6 + 4 * 8) + 16 * 8 == 508


def test_safety_says_each_reason_once_and_names_the_version_of_its_rules():
    found = assess(inputs(past_window=True, provable=False, in_flight=9))
    assert found.row is Row.NEVER_BEGAN
    assert found.replay.because[0].startswith("It is past the replay window")
    assert len(set(found.replay.because)) == len(found.replay.because) == 4
    assert found.rule_version == RULE_VERSION


def test_safety_lists_the_ticks_of_a_choice():
    found = assess(inputs(code_same=None))
    assert [check.name for check in found.ticks_of(REPLAY)] == ["O7 code"]
    assert found.grade_of(REPLAY) is Grade.WARN
    assert found.ticks_of(SKIP) == ()
    assert found.checks == safety_checks(inputs(code_same=None))
