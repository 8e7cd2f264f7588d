"""The inputs of the safety contract."""

from dataclasses import fields, replace

from occurrences.contract.safety_inputs import SafetyInputs
from occurrences.contract.trails import Trail
from tests.contract.evidence import at
from tests.contract.safety_ground import DOORS, FREE, inputs


def test_safety_inputs_that_nobody_gathered_are_unknown():
    given = {"doors", "trail", "liveness", "liveness_because", "effect"}
    assert all(field.default is None for field in fields(SafetyInputs) if field.name not in given)


def test_safety_inputs_know_a_success_and_a_live_recovery():
    assert not FREE.succeeded
    assert not FREE.recovering
    assert inputs(trail=Trail.SUCCEEDED).succeeded
    assert replace(FREE, doors=replace(DOORS, succeeded_at=at(5))).succeeded
    assert inputs(live=1).recovering
