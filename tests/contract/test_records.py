"""One piece of evidence."""

from occurrences.contract.handoffs import Handoff
from tests.contract.evidence import at, record


def test_a_record_from_a_clock_ahead_counts_from_its_receipt():
    assert record(Handoff.CLAIM, 939, received_at=at(3)).event_time == at(3)
    assert record(Handoff.CLAIM, 3, received_at=at(60)).event_time == at(3)


def test_up_to_the_start_only_ok_fills_a_handoff_and_an_end_does_with_any_result():
    assert record(Handoff.ENQUEUE, 1).fills
    assert record(Handoff.ENQUEUE, 1, outcome=None).fills
    assert not record(Handoff.ENQUEUE, 1, outcome="failed").fills
    assert not record(Handoff.TICK, 1, outcome="collapsed").fills
    assert record(Handoff.TERMINAL, 1, outcome="cancelled").fills
