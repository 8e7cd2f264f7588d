"""Only what was known at the observing moment counts."""

from occurrences.contract.handoffs import Handoff
from occurrences.contract.questions import as_known
from occurrences.contract.workers import SlotUse
from tests.contract.evidence import at, covered, question, record, worker


def test_later_evidence_is_left_out():
    asked = question(
        (record(Handoff.TICK, 1), record(Handoff.ENQUEUE, 2, received_at=at(60))),
        as_of=10,
        workers=(worker(up_to=50), worker("w2", up_from=20)),
        slots=(SlotUse(worker="w1", start=at(0), end=at(50)), SlotUse(worker="w1", start=at(11), end=None)),
        coverage=covered((-90, 500)),
    )
    known = as_known(asked)
    assert [r.handoff for r in known.records] == [Handoff.TICK]
    assert [(row.worker, row.up_to) for row in known.workers] == [("w1", None)]
    assert known.slots == (SlotUse(worker="w1", start=at(0), end=None),)
    assert {stretch.end for stretch in known.coverage.stretches} == {at(10)}


def test_a_record_counts_once_and_the_order_is_that_of_the_path():
    twice = record(Handoff.TICK, 1)
    again = as_known(question((record(Handoff.ENQUEUE, 2), twice, twice), as_of=10))
    assert [r.handoff for r in again.records] == [Handoff.TICK, Handoff.ENQUEUE]
