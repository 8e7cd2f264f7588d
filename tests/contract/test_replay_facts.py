"""The records of one replay, read once."""

from tests.contract.evidence import at
from tests.contract.test_readbacks import DONE, read


def test_readback_an_uncertain_dispatch_is_no_end_and_is_not_sent_again_by_itself():
    found = read(uncertain_at=at(201))
    assert not found.over
    assert "not sent again before a person looked there" in found.sentence
    assert found.state.words == "Dispatch uncertain"


def test_readback_a_record_that_came_ends_the_uncertainty():
    assert read(DONE[0], uncertain_at=at(201)).state.value == "dispatched"
