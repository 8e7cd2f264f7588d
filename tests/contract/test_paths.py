"""Moments and limits along the path."""

from datetime import timedelta

from occurrences.contract.handoffs import Capabilities, Handoff
from occurrences.contract.paths import path_of
from occurrences.contract.runs import runs_of
from tests.contract.evidence import TAP, at, path, question, record, up_to

T, E, R, C, S, X, Z = (h for h in Handoff if h is not Handoff.DUE)


def measured(records, **fields):
    asked = question(records, as_of=0, **fields)
    runs = runs_of(asked.records)
    return path_of(asked, runs[0] if runs else None)


def limits(records, **fields):
    steps = measured(records, **fields).steps.values()
    return [(step.limit - at(0)).total_seconds() if step.limit is not None else None for step in steps]


def test_a_limit_counts_from_the_handoff_ahead_or_else_from_its_limit():
    assert limits(()) == [60, 90, 120, 240, 300, 1200]
    assert limits(path(T)) == [60, 31, 61, 181, 241, 1141]
    assert limits(up_to(Z)) == [60, 31, 32, 123, 64, 905]
    assert limits(path(E)) == [60, 90, 32, 152, 212, 1112]


def test_no_handoff_lies_before_the_one_ahead_of_it():
    steps = measured(up_to(C, tick=-5, enqueue=20, ready=3)).steps
    assert [steps[h].at for h in (T, E, R, C)] == [at(0), at(20), at(20), at(20)]


def test_a_silent_handoff_gives_its_allowance_to_the_next():
    silent = Capabilities.from_mapping({"ready": "none", "claim": "none"})
    assert limits(path(T, E), capabilities=silent) == [60, 31, None, None, 212, 1112]


def test_a_merged_handoff_has_no_allowance_of_its_own():
    assert limits(path(T, E), capabilities=TAP) == [60, 31, 31, 122, 182, 1082]
    later = Capabilities.from_mapping({"ready": "merged_with:claim"})
    assert limits(path(T, E), capabilities=later) == [60, 31, 152, 152, 212, 1112]


def test_the_expiry_is_the_messages_own_or_counts_from_the_enqueue():
    assert measured(up_to(E)).expiry is None
    assert measured(up_to(E), expires_after=timedelta(seconds=50)).expiry == at(52)
    own = (*path(T), record(E, 2, expires_at=at(9)))
    assert measured(own, expires_after=timedelta(seconds=50)).expiry == at(9)
    assert measured(path(T, R), expires_after=timedelta(seconds=50)).expiry == at(81)


def test_a_later_delivery_counts_from_its_own_claim():
    second = (record(C, 500, delivery=2), record(S, 505, delivery=2))
    steps = measured((*up_to(S), *second)).steps
    assert steps[C].at == at(4)
    assert (steps[S].limit, steps[S].at) == (at(560), at(505))
    assert steps[Z].limit == at(1405)


def test_proof_of_an_absence_begins_at_the_record_even_of_a_task_with_a_later_start():
    steps = measured((*path(T), record(E, 2, eta=at(300))), capabilities=TAP).steps
    assert steps[C].base == at(300)
    assert steps[C].ahead == at(2)
