"""The eight handoffs and what a source can show of them."""

import pytest

from occurrences.contract.errors import InvalidCapabilities
from occurrences.contract.handoffs import (
    CELERY_TAP,
    Capabilities,
    Capability,
    Handoff,
    Role,
    role_of,
    usual_owner,
)


def test_handoffs_are_ranked_from_due_to_terminal():
    assert [handoff.word for handoff in Handoff] == [
        "due",
        "tick",
        "enqueue",
        "ready",
        "claim",
        "start",
        "expiration",
        "terminal",
    ]
    assert Handoff.from_word("claim") is Handoff.CLAIM
    assert Handoff.TICK.label == "Scheduler tick"
    assert all(usual_owner(handoff) for handoff in Handoff)


def test_a_word_that_is_no_handoff_is_refused():
    with pytest.raises(ValueError, match="tock"):
        Handoff.from_word("tock")


def test_what_a_source_does_not_name_is_observed():
    assert Capabilities().state(Handoff.CLAIM) is Capability.OBSERVED
    tap = Capabilities.from_mapping(CELERY_TAP)
    assert tap.state(Handoff.READY) is Capability.MERGED
    assert tap.merged_with(Handoff.READY) is Handoff.ENQUEUE
    assert tap.to_mapping() == dict(CELERY_TAP)


@pytest.mark.parametrize(
    "mapping",
    [
        {"due": "observed"},
        {"tock": "observed"},
        {"claim": "seen"},
        {"claim": "merged_with"},
        {"claim": "none:start"},
        {"claim": "merged_with:claim"},
        {"claim": "merged_with:expiration"},
        {"ready": "merged_with:claim", "claim": "merged_with:ready"},
        {"ready": "merged_with:claim", "claim": "none"},
    ],
)
def test_capabilities_that_make_no_sense_are_refused(mapping):
    with pytest.raises(InvalidCapabilities):
        Capabilities.from_mapping(mapping)


def test_each_handoff_is_proven_by_the_role_that_reports_it():
    plain = Capabilities()
    assert role_of(Handoff.DUE, plain) is Role.CLOCK
    assert [role_of(h, plain) for h in (Handoff.TICK, Handoff.ENQUEUE, Handoff.READY)] == [Role.SCHEDULER] * 3
    assert {role_of(h, plain) for h in Handoff if h >= Handoff.CLAIM} == {Role.WORKERS}
    merged = Capabilities.from_mapping({"ready": "merged_with:claim"})
    assert role_of(Handoff.READY, merged) is Role.WORKERS


def test_a_handoff_merged_with_one_that_is_merged_itself_stands_with_the_last():
    chained = Capabilities.from_mapping({"ready": "merged_with:enqueue", "enqueue": "merged_with:tick"})
    assert chained.merged_with(Handoff.READY) is chained.merged_with(Handoff.ENQUEUE) is Handoff.TICK
    for wrong in (
        {"ready": "merged_with:enqueue", "enqueue": "merged_with:ready"},
        {"ready": "merged_with:enqueue", "enqueue": "none"},
        {"ready": "merged_with:enqueue", "enqueue": "merged_with:tick", "tick": "merged_with:ready"},
    ):
        with pytest.raises(InvalidCapabilities):
            Capabilities.from_mapping(wrong)
