"""Which records a replay caused."""

from dataclasses import replace

from occurrences.contract.decisions import as_one_run, caused, of_original, of_replay
from occurrences.contract.handoffs import Handoff
from tests.contract.evidence import record, replay, replayed, skip

TICK, CLAIM = Handoff.TICK, Handoff.CLAIM
OWN, FIRST, SECOND = record(CLAIM, 4), replayed(CLAIM, 210), replayed(CLAIM, 310, 2)


def test_the_number_says_it_and_else_the_id_of_the_recovery_or_of_the_run():
    assert caused(FIRST, replay(200))
    assert not caused(FIRST, replay(300, 2))
    assert caused(replace(FIRST, recovery=0), replay(200))
    assert caused(replace(FIRST, recovery=0, recovery_id=None), replay(200))
    assert caused(replace(FIRST, recovery_id="another"), replay(200))
    assert not caused(OWN, replay(200))
    assert not caused(FIRST, skip(200))


def test_every_record_belongs_to_the_original_or_to_one_replay():
    decisions, records = (replay(200), replay(300, 2)), (OWN, FIRST, SECOND)
    assert of_original(records, decisions) == (OWN,)
    assert of_replay(records, decisions[0]) == (FIRST,)
    assert of_replay(records, decisions[1]) == (SECOND,)
    assert of_original(records, ()) == (OWN,)


def test_a_replay_is_one_run_without_a_tick():
    one = as_one_run((replayed(TICK, 201), FIRST, replace(FIRST, run="native")), "r")
    assert [(r.handoff, r.run, r.recovery) for r in one] == [(CLAIM, "r", 0), (CLAIM, "r", 0)]
