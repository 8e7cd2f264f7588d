"""Runs and deliveries."""

from dataclasses import replace

from occurrences.contract.handoffs import Capabilities, Handoff
from occurrences.contract.runs import chosen, overlaps, runs_of, went_down
from tests.contract.evidence import DUE, TAP, at, record, up_to, worker

T, E, R, C, S, X, Z = (h for h in Handoff if h is not Handoff.DUE)


def test_records_are_sorted_into_runs_and_those_without_an_id_belong_to_each():
    loose = record(R, 3, run=None)
    runs = runs_of([*up_to(E), record(E, 2, run="r2"), loose])
    assert [run.ref for run in runs] == ["r1", "r2"]
    assert all(run.ready == loose for run in runs)
    assert [run.ref for run in runs_of([loose])] == [None]
    assert runs_of([record(T, 1)]) == ()


def test_the_run_that_got_furthest_is_chosen_then_the_earliest():
    assert chosen(runs_of([*up_to(C), record(E, 1, run="a0")])).ref == "r1"
    assert chosen(runs_of([record(E, 2, run="a"), record(E, 1, run="b")])).ref == "b"
    assert chosen(()) is None


def test_a_run_is_ready_by_its_record_or_by_what_comes_after_it():
    enqueued, claimed = runs_of(up_to(E))[0], runs_of([record(C, 4)])[0]
    assert not enqueued.became_ready(Capabilities())
    assert enqueued.became_ready(TAP)
    assert claimed.became_ready(Capabilities())


def test_each_number_is_a_delivery_and_each_claim_of_a_number_is_one():
    numbered = runs_of([*up_to(Z), record(C, 100, delivery=2)])[0]
    assert [d.claim.delivery for d in numbered.deliveries] == [1, 2]
    (run,) = runs_of([*up_to(S), record(C, 100, record_id="c2"), record(S, 101, record_id="s2"), record(Z, 110)])
    assert [d.terminal is not None for d in run.deliveries] == [False, True]


def test_an_end_goes_to_the_process_that_began_it():
    run = runs_of(
        [
            record(C, 4),
            record(S, 5, owner_pid=11),
            record(C, 100, record_id="c2"),
            record(S, 101, record_id="s2", owner_pid=12),
            record(Z, 120, owner_pid=11),
        ]
    )[0]
    assert [d.terminal is not None for d in run.deliveries] == [True, False]
    assert run.judged.claim.record_id == "r1/claim/1"


def test_a_success_outweighs_an_end_told_too_early():
    run = runs_of([*up_to(S), record(Z, 20, outcome="lost", record_id="z1"), record(Z, 40)])[0]
    assert run.judged.succeeded


def test_a_message_thrown_away_is_an_expiration_and_no_end():
    run = runs_of([*up_to(R), record(Z, 50, outcome="expired")])[0]
    assert run.expiration.handoff is Z
    assert run.deliveries == ()
    started = runs_of([*up_to(S), record(Z, 50, outcome="expired")])[0]
    assert started.expiration is None


def test_owners_overlap_only_while_the_first_is_up():
    (run,) = runs_of([*up_to(S), record(C, 100, delivery=2, owner="w2"), record(S, 101, delivery=2, owner="w2")])
    assert len(overlaps(run, (worker(), worker("w2")), not_before=DUE)) == 1
    assert overlaps(run, (worker(up_to=50), worker("w2")), not_before=DUE) == []
    assert overlaps(run, (), not_before=DUE) == []


def test_a_process_that_ended_is_no_live_owner_though_its_worker_is_up():
    first, second = record(S, 5, owner_pid=11), record(S, 101, owner_pid=12, record_id="s2")
    (run,) = runs_of([*up_to(C), first, record(C, 100, record_id="c2"), second])
    child = replace(worker(up_to=50, capacity=0), pid=11)
    assert overlaps(run, (worker(), child), not_before=DUE) == []
    assert len(overlaps(run, (worker(), replace(child, up_to=None)), not_before=DUE)) == 1


def test_the_claimant_is_down_once_its_own_row_has_ended():
    delivery = runs_of(up_to(S))[0].judged
    assert went_down(delivery, (worker(up_to=50), worker(up_from=60)), not_before=DUE) == at(50)
    assert went_down(delivery, (worker(),), not_before=DUE) is None
    assert went_down(delivery, (), not_before=DUE) is None


def test_a_worker_whose_clock_is_behind_claimed_no_earlier_than_the_run_was_ready():
    behind = runs_of(up_to(S, claim=-900, start=-899))[0]
    row = worker(up_from=-60, up_to=50)
    assert went_down(behind.judged, (row,), not_before=DUE) == at(50)
    (run,) = runs_of([*up_to(S, claim=-900, start=-899), record(S, 40, delivery=2, owner="w2")])
    assert len(overlaps(run, (row, worker("w2")), not_before=DUE)) == 1
