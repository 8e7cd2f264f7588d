"""The value a judgement is."""

from dataclasses import FrozenInstanceError

import pytest

from occurrences.contract.handoffs import Handoff
from occurrences.contract.judgements import StationState
from tests.contract.evidence import ask, up_to


def test_every_state_has_words():
    assert len({state.words for state in StationState}) == 8
    assert StationState.NOT_REPORTED.words == "Not reported"


def test_a_judgement_cannot_be_changed_afterwards():
    with pytest.raises(FrozenInstanceError):
        ask(as_of=0).verdict = "on-time"


def test_a_verdict_says_whether_its_handoff_is_still_absent():
    assert ask(up_to(Handoff.READY), as_of=200).still_absent
    late = up_to(Handoff.START, claim=200, start=201)
    assert not ask(late, as_of=210).still_absent
    # A lost tick record is another matter: the late claim itself is there.
    assert not ask(late[1:], as_of=210).still_absent
    assert not ask((), as_of=-1).still_absent


def test_trust_says_how_far_the_evidence_carries():
    assert "reaches to 02:30:10Z" in ask(as_of=10).trust
    assert ask(as_of=100).trust == "Yes, the evidence has no gap up to the deadline"
