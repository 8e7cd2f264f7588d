"""What a question comes down to."""

from dataclasses import replace

from occurrences.contract.facts import Facts
from occurrences.contract.handoffs import Capabilities, Handoff, Role
from occurrences.contract.questions import as_known
from occurrences.contract.verdicts import Verdict
from tests.contract.evidence import ask, at, path, question, record, up_to, worker

T, E, R, C, S, X, Z = (h for h in Handoff if h is not Handoff.DUE)


def facts(records=(), *, as_of=10, **fields):
    return Facts(question=as_known(question(records, as_of=as_of, **fields)))


def test_the_open_handoff_follows_the_furthest_one():
    assert facts().open is T
    assert facts(path(T, C)).open is S
    assert facts(up_to(Z), as_of=50).open is None
    assert facts(up_to(R), capabilities=Capabilities.from_mapping({"claim": "none"})).open is S


def test_an_expiration_implies_that_somebody_held_the_task():
    thrown = facts((*path(T, E), record(X, 9)), as_of=100)
    assert (thrown.furthest, thrown.open) == (R, C)
    assert thrown.absent == (R, C)


def test_an_end_implies_a_start():
    assert facts(path(T, E, R, C, Z), as_of=50).started == at(40)


def test_every_absent_handoff_is_listed_lowest_first():
    assert facts(path(R), as_of=500).absent == (T, E, C)


def test_a_loss_before_the_success_is_remembered_and_one_after_it_is_not():
    redelivered = (
        *up_to(S),
        record(C, 100, delivery=2, owner="w2"),
        record(S, 101, delivery=2, owner="w2"),
        record(Z, 110, delivery=2, owner="w2"),
    )
    assert facts(redelivered, as_of=300, workers=(worker(up_to=50),)).lost_before
    assert not facts(redelivered, as_of=300, workers=(worker(up_to=200),)).lost_before


def test_a_free_worker_is_named():
    busy, idle = worker("a", capacity=0), worker("b")
    assert facts(up_to(R), workers=(busy, idle)).free_worker == idle


def test_the_reach_of_a_role_is_known():
    assert facts(as_of=10).covered_to(Role.WORKERS) == at(10)


def test_a_free_slot_of_a_worker_that_takes_from_other_queues_makes_no_claim_missing():
    other = replace(worker(), queues=("slow",))
    waiting = up_to(Handoff.READY)
    assert ask(waiting, as_of=300, workers=(other,), queue="fast").verdict is Verdict.DELAYED_CLAIM
    assert ask(waiting, as_of=300, workers=(other,), queue="slow").verdict is Verdict.MISSING_CLAIM
    named = (*up_to(Handoff.ENQUEUE), record(Handoff.READY, 3, queue="fast"))
    assert ask(named, as_of=300, workers=(other,), queue="slow").verdict is Verdict.DELAYED_CLAIM


def test_a_worker_that_threw_the_message_away_loses_nothing_when_it_ends():
    thrown = (*up_to(Handoff.CLAIM), record(Handoff.EXPIRATION, 20))
    assert ask(thrown, as_of=300, workers=(worker(up_to=21),)).verdict is Verdict.EXPIRED_UNCLAIMED
    assert ask(thrown, as_of=300, workers=(worker(up_to=19),)).verdict is Verdict.LOST_AFTER_CLAIM
