"""The value a judgement is."""

from dataclasses import FrozenInstanceError

import pytest

from occurrences.contract.judgements import StationState
from tests.contract.evidence import ask


def test_every_state_has_words():
    assert len({state.words for state in StationState}) == 8
    assert StationState.NOT_REPORTED.words == "Not reported"


def test_a_judgement_cannot_be_changed_afterwards():
    with pytest.raises(FrozenInstanceError):
        ask(as_of=0).verdict = "on-time"


def test_trust_says_how_far_the_evidence_carries():
    assert "reaches to 02:30:10Z" in ask(as_of=10).trust
    assert ask(as_of=100).trust == "Yes, the evidence has no gap up to the deadline"
