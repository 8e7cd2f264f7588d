"""The checks of the safety contract: what each demands, and that unknown is never a pass."""

from dataclasses import fields, replace
from datetime import timedelta

import pytest

from occurrences.contract.decisions import Choice
from occurrences.contract.effects import Effect
from occurrences.contract.liveness import Liveness
from occurrences.contract.safety_checks import Demand, Kind, lifted_to, safety_checks, ticks_needed
from occurrences.contract.safety_inputs import Neighbour, SafetyInputs
from occurrences.contract.safety_table import Grade
from occurrences.contract.trails import Trail
from tests.contract.evidence import at
from tests.contract.safety_ground import DOORS, FREE, inputs

NAMES = [
    *("B1", "B2", "B3", "B4", "B5", "B6", "B7 source", "B7 target", "B7 freeze"),
    *("O1", "O2", "O3", "O4", "O5", "O6", "O7", "O7 code", "O8", "O9"),
    *("W1", "W2", "W3", "W4", "W5", "W6", "W7"),
]
ONCE, LOOSE = Effect.ONCE, Effect.REPEATABLE


def before(*failed):
    return tuple(Neighbour(due_at=at(-60 * n), verdict="Failed", failed=f) for n, f in enumerate(failed, 1))


FAILING = [
    ("O1", {"liveness": Liveness.CAN_START, "effect": LOOSE}, Demand.OVERRIDE, FREE.liveness_because),
    ("O1", {"liveness": Liveness.CAN_START}, Demand.TICK, FREE.liveness_because),
    ("O2", {"trail": Trail.FAILED, "effect": ONCE}, Demand.OVERRIDE, "A worker had the original"),
    ("O2", {"trail": Trail.CLAIMED_NOT_STARTED, "effect": ONCE}, Demand.OVERRIDE, "A worker had the original"),
    ("O3", {"past_window": True}, Demand.OVERRIDE, "It is 2 h old, past the replay window of 6 h."),
    ("O4", {"overlap": True}, Demand.OVERRIDE, "two at once are forbidden"),
    ("O5", {"later_success": True, "order_matters": True}, Demand.OVERRIDE, "would run after it"),
    ("O5", {"later_success": True, "effect": ONCE}, Demand.OVERRIDE, "would run after it"),
    ("O6", {"trail": Trail.BLIND, "effect": LOOSE}, Demand.OVERRIDE, "was blind"),
    ("O6", {"trail": Trail.BLIND}, Demand.TICK, "was blind"),
    ("O7", {"schedule_enabled": False}, Demand.OVERRIDE, "deleted or switched off"),
    ("O7", {"revision_same": False}, Demand.OVERRIDE, "changed since it was due"),
    ("O7 code", {"code_same": False}, Demand.OVERRIDE, "other code"),
    ("O8", {"in_flight": 5}, Demand.OVERRIDE, "5 of at most 5"),
    ("O9", {"effect": Effect.UNCLASSIFIED}, Demand.OVERRIDE, "Nobody has said yet"),
    ("W1", {"before": before(True, True)}, Demand.TICK, "will likely fail, too"),
    ("W2", {"workers_up": 0}, Demand.TICK, "No worker of its queue is up"),
    ("W2", {"queue_age": timedelta(minutes=9)}, Demand.TICK, "would be late as well"),
    ("W3", {"skew": True}, Demand.TICK, "A clock of the evidence is off"),
    ("W3", {"conflicting": True}, Demand.TICK, "say different things"),
    ("W4", {"until_next": timedelta(minutes=2)}, Demand.TICK, "the two may meet"),
    ("W5", {"ambiguous": True}, Demand.TICK, "came twice"),
    ("W6", {"arrived_since": 3}, Demand.TICK, "3 records arrived"),
    ("W7", {"later_success": True, "effect": Effect.CUMULATIVE}, Demand.TICK, "skip is the better choice"),
]  # fmt: skip
UNKNOWN = [
    ("O1", {"liveness": Liveness.UNKNOWN, "effect": LOOSE}, Demand.OVERRIDE),
    ("O2", {"trail": Trail.BLIND, "effect": ONCE}, Demand.OVERRIDE),
    ("O3", {"past_window": None}, Demand.OVERRIDE),
    ("O4", {"overlap": None}, Demand.OVERRIDE),
    ("O5", {"later_success": None, "order_matters": True}, Demand.OVERRIDE),
    ("O5", {"later_success": True, "order_matters": None}, Demand.OVERRIDE),
    ("O7", {"revision_same": None}, Demand.OVERRIDE),
    ("O7", {"schedule_enabled": None}, Demand.OVERRIDE),
    ("O7 code", {"code_same": None}, Demand.TICK),
    ("O8", {"in_flight": None}, Demand.OVERRIDE),
    ("O8", {"cap": None}, Demand.OVERRIDE),
    ("W1", {"before": None}, Demand.TICK),
    ("W1", {"before": ()}, Demand.TICK),
    ("W1", {"before": before(True, None)}, Demand.TICK),
    ("W2", {"workers_up": None}, Demand.TICK),
    ("W2", {"queue_age": None}, Demand.TICK),
    ("W3", {"skew": None}, Demand.TICK),
    ("W3", {"conflicting": None}, Demand.TICK),
    ("W4", {"until_next": None}, Demand.TICK),
    ("W4", {"usual_run": None}, Demand.TICK),
    ("W5", {"ambiguous": None}, Demand.TICK),
    ("W6", {"arrived_since": None}, Demand.TICK),
    ("W7", {"later_success": None, "effect": Effect.CUMULATIVE}, Demand.TICK),
]


def check(name, given):
    return next(each for each in safety_checks(given) if each.name == name)


def test_safety_with_nothing_in_the_way_every_check_passes_and_says_why():
    checks = safety_checks(FREE)
    assert [each.name for each in checks] == NAMES
    assert all(each.passed is True and each.demands is Demand.NOTHING for each in checks)
    assert all(each.sentence.endswith(".") and each.asks.endswith("?") and each.rests_on for each in checks)
    assert [each.kind for each in checks] == [Kind.BLOCKING] * 9 + [Kind.OVERRIDE] * 10 + [Kind.WARNING] * 7


@pytest.mark.parametrize(("name", "given", "demands", "words"), FAILING)
def test_safety_each_check_fails_with_its_sentence_and_its_demand(name, given, demands, words):
    found = check(name, inputs(**given))
    assert (found.passed, found.demands) == (False, demands)
    assert words in found.sentence


@pytest.mark.parametrize(("name", "given", "demands"), UNKNOWN)
def test_safety_unknown_is_no_pass_and_demands_something(name, given, demands):
    found = check(name, inputs(**given))
    assert (found.passed, found.demands) == (None, demands)
    assert found.sentence.endswith(".")


def test_safety_what_nobody_gathered_passes_no_check():
    bare = SafetyInputs(
        doors=DOORS, trail=Trail.BLIND, liveness=Liveness.UNKNOWN, liveness_because="Not known.", effect=ONCE
    )
    passed = {each.name for each in safety_checks(bare) if each.passed}
    # of the rest the class is set, the doors are read in the transaction itself, and W7 asks about cumulative work
    assert passed == {"B1", "B2", "B3", "B5", "B6", "B7 source", "B7 target", "B7 freeze", "O9", "W7"}
    assert all(each.demands is not Demand.NOTHING for each in safety_checks(bare) if not each.passed)


def test_safety_leaving_one_input_out_never_turns_a_check_into_a_pass():
    optional = [field.name for field in fields(SafetyInputs) if field.default is None]
    assert len(optional) == 23
    for base in (FREE, *(inputs(**given) for _, given, *_ in FAILING)):
        held = {each.name: each for each in safety_checks(base)}
        for name in optional:
            for each in safety_checks(replace(base, **{name: None})):
                assert not (each.passed and held[each.name].passed is not True), (name, each)


BLOCKED = [
    ("B1", {"target_task": None}, {Choice.REPLAY}),
    ("B2", {"live_recovery": 1}, set(Choice)),
    ("B3", {"succeeded_at": at(40)}, set(Choice)),
    ("B5", {"evidence_revision": 9}, set(Choice)),
    ("B6", {"forbidden": "Needs the owner, team Billing."}, set(Choice)),
    ("B7 source", {"source_enabled": False}, set(Choice)),
    ("B7 target", {"target": None}, {Choice.REPLAY}),
    ("B7 freeze", {"frozen": True}, {Choice.REPLAY}),
]


@pytest.mark.parametrize(("name", "doors", "choices"), BLOCKED)
def test_safety_a_failed_door_blocks_its_choices(name, doors, choices):
    checks = safety_checks(replace(FREE, doors=replace(DOORS, **doors)))
    failed = [each for each in checks if each.passed is False]
    assert [each.name for each in failed] == [name]
    assert {choice for choice in Choice if lifted_to(checks, choice) is Grade.BLOCK} == choices


def test_safety_the_doors_see_the_same_liveness_and_success_as_the_table():
    assert check("B4", inputs(liveness=Liveness.RUNNING)).demands is Demand.BLOCK
    assert check("B4", inputs(liveness=Liveness.UNKNOWN)).passed is None
    assert check("B3", inputs(trail=Trail.SUCCEEDED)).demands is Demand.BLOCK


def test_safety_before_the_form_is_sent_nobody_can_tick_that_the_evidence_stays():
    found = check("B5", replace(FREE, doors=replace(DOORS, shown_revision=None)))
    assert (found.passed, found.demands) == (None, Demand.NOTHING)


def test_safety_lists_what_is_to_be_ticked_for_each_choice():
    checks = safety_checks(inputs(skew=True, workers_up=0, overlap=True))
    assert [each.name for each in ticks_needed(checks, Choice.REPLAY)] == ["O4", "W2", "W3"]
    assert [each.name for each in ticks_needed(checks, Choice.SKIP)] == ["W3"]


@pytest.mark.parametrize(
    ("name", "given", "words"),
    [
        ("W4", {"until_next": timedelta.max}, "No further due time is ahead."),
        ("O3", {"age": None, "replay_window": None}, "Its age lies inside what its schedule allows."),
        ("W1", {"before": before(True, False)}, "Not all of the last ones failed"),
        ("O5", {"later_success": True}, "The order of due times does not matter here."),
    ],
)
def test_safety_says_why_a_check_passed(name, given, words):
    found = check(name, inputs(**given))
    assert found.passed is True
    assert words in found.sentence
