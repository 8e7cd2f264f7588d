"""V1 to V7: what must hold before a replay is verified."""

import pytest

from occurrences.contract.readbacks import ReplayState
from tests.contract.evidence import at, replayed
from tests.contract.test_readbacks import ALTERED, CLAIMED, DONE, SENT, STARTED, STEPS, TWICE, Z, read, replace, unnamed

NAMES = ["V1", "V2", "V3", "V4", "V5", "V6", "V7"]
READINGS = [(records, fields) for _, records, fields, *_ in STEPS]
READINGS += [(tuple(replace(r, **altered) for r in DONE), {}) for altered in ALTERED.values()]


@pytest.mark.parametrize(("records", "fields"), READINGS)
def test_readback_is_verified_exactly_where_all_seven_conditions_hold(records, fields):
    found = read(*records, **fields)
    assert [each.name for each in found.conditions] == NAMES
    assert all(each.sentence.endswith(".") for each in found.conditions)
    assert all(each.passed for each in found.conditions) is (found.state is ReplayState.VERIFIED)


@pytest.mark.parametrize("name", list(ALTERED))
def test_readback_of_one_other_part_breaks_the_second_and_the_fourth(name):
    found = read(*(replace(r, **ALTERED[name]) for r in DONE))
    assert [each.name for each in found.conditions if each.passed is False] == ["V2", "V4"]
    assert name in found.conditions[3].sentence


BROKEN = [
    ("V3", (*DONE[:3], replayed(Z, 240, outcome="failed")), {}, "It ended: failed."),
    ("V3", (SENT, replayed(Z, 240, outcome="failed")), {}, "It ended: failed."),
    ("V5", DONE, {"original_started_after": True}, "The original ran as well"),
    ("V5", (SENT,), {"original_succeeded": True}, "The original ran as well"),
    ("V6", DONE, {"original_succeeded": True}, "succeeded more than once"),
    ("V6", TWICE, {}, "succeeded more than once"),
    ("V7", (SENT,), {"as_of": 1101}, "It was not read back by 02:48:20Z and ended within 10 min."),
    ("V7", (CLAIMED, STARTED), {"as_of": 812}, "It was not read back by"),
]


@pytest.mark.parametrize(("name", "records", "fields", "words"), BROKEN)
def test_readback_says_which_condition_is_broken(name, records, fields, words):
    found = {each.name: each for each in read(*records, **fields).conditions}
    assert found[name].passed is False
    assert words in found[name].sentence


OPEN = [
    ("V1", (), {}, "It is not sent yet."),
    ("V1", (), {"uncertain_at": at(201)}, "the target never answered"),
    ("V2", (SENT,), {}, "No handoff of its worker"),
    ("V2", unnamed(CLAIMED), {}, "none of them names the original"),
    ("V4", unnamed(CLAIMED), {}, "No worker has read its identity back yet."),
    ("V5", (CLAIMED,), {}, "it is read again when this ends"),
    ("V6", (CLAIMED,), {}, "No success"),
    ("V7", (CLAIMED,), {}, "It has time left"),
]


@pytest.mark.parametrize(("name", "records", "fields", "words"), OPEN)
def test_readback_that_is_not_told_yet_is_no_pass(name, records, fields, words):
    found = {each.name: each for each in read(*records, **fields).conditions}
    assert found[name].passed is None
    assert words in found[name].sentence
