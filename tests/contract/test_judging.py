"""Verdict and first absent handoff, one line for each way an occurrence can go."""

from dataclasses import replace
from datetime import datetime, timedelta

import pytest

from occurrences.contract.decisions import Choice, DecisionFact
from occurrences.contract.errors import InvalidQuestion
from occurrences.contract.handoffs import Capabilities, Handoff
from occurrences.contract.judging import judge
from occurrences.contract.workers import SlotUse
from tests.contract.evidence import (
    ALLOWANCES,
    NEVER,
    TAP,
    ask,
    at,
    covered,
    path,
    question,
    record,
    up_to,
    worker,
)

T, E, R, C, S, X, Z = (h for h in Handoff if h is not Handoff.DUE)
W1 = (worker(),)
RAN = up_to(Z)
EXPIRES = {"allowances": replace(ALLOWANCES, expires=timedelta(seconds=100))}


def said(records=(), **fields):
    judgement = ask(records, **fields)
    return judgement.verdict.value, judgement.first_absent.word if judgement.first_absent is not None else None


BEFORE_READY = [
    ("a future due", (), -1, {}, "not-due", None),
    ("the due instant itself", (), 0, {}, "pending", None),
    ("exactly at the tick limit", (), 60, {}, "pending", None),
    ("past the tick limit", (), 60.001, {}, "missing-tick", "tick"),
    ("exactly at the enqueue limit", path(T), 31, {}, "pending", None),
    ("past the enqueue limit", path(T), 31.001, {}, "missing-enqueue", "enqueue"),
    ("past the ready limit", path(T, E), 32.001, {}, "missing-ready", "ready"),
    ("a late tick", path(T, tick=61), 62, {}, "late-enqueue", None),
    ("a late enqueue", path(T, E, enqueue=31.5), 33, {}, "late-enqueue", None),
    ("a late tick, then no enqueue", path(T, tick=61), 92, {}, "missing-enqueue", "enqueue"),
    ("a tick from a fast clock", path(T, tick=-3), 20, {}, "pending", None),
    ("a pause", (), 100, {"paused": True}, "paused", None),
    ("a pause, and a tick alone", path(T), 100, {"paused": True}, "paused", None),
    ("a pause, and a run", path(T, E), 100, {"paused": True}, "not-due", "due"),
    ("a pause ahead", (), -1, {"paused": True}, "not-due", None),
    ("a time the rule does not contain", RAN, 100, {"in_rule": False}, "not-due", "due"),
    ("such a time ahead", (), -1, {"in_rule": False}, "not-due", None),
]

AFTER_READY = [
    ("exactly at the claim age", up_to(R), 123, {}, "pending", None),
    ("past the claim age, no worker known", up_to(R), 124, {}, "delayed-claim", "claim"),
    ("past it, with a free slot all the way", up_to(R), 124, {"workers": W1}, "missing-claim", "claim"),
    ("past it, capacity zero", up_to(R), 124, {"workers": (worker(capacity=0),)}, "delayed-claim", "claim"),
    ("past it, worker came later", up_to(R), 124, {"workers": (worker(up_from=4),)}, "delayed-claim", "claim"),
    ("past it, worker left before", up_to(R), 124, {"workers": (worker(up_to=50),)}, "delayed-claim", "claim"),
    ("a late claim, running", up_to(S, claim=200, start=201), 210, {}, "delayed-claim", None),
    ("a late claim, done", up_to(Z, claim=200, start=201, terminal=210), 300, {}, "delayed-claim", None),
    ("no start by its limit", up_to(C), 65, {"workers": W1}, "delayed-start", "start"),
    ("a late start", up_to(S, start=70), 80, {}, "delayed-start", None),
    ("running inside its limit", up_to(S), 905, {}, "pending", None),
    ("no end by its limit", up_to(S), 906, {}, "overran", "terminal"),
    ("a late end", up_to(Z, terminal=1000), 1001, {}, "overran", None),
    ("a success", RAN, 41, {}, "on-time", None),
    ("a claim before its enqueue by the clocks", up_to(Z, enqueue=10, claim=4), 50, {}, "on-time", None),
    ("the worker gone after the start", up_to(S), 30, {"workers": (worker(up_to=20),)}, "lost-after-claim", "terminal"),
    ("the worker gone after the claim", up_to(C), 30, {"workers": (worker(up_to=20),)}, "lost-after-claim", "start"),
    ("the worker gone at this moment", up_to(C), 20, {"workers": (worker(up_to=20),)}, "lost-after-claim", "start"),
    ("the worker gone after the end", RAN, 90, {"workers": (worker(up_to=50),)}, "on-time", None),
    (
        "another life of the worker",
        up_to(S),
        30,
        {"workers": (worker(up_to=20), worker(up_from=25))},
        "lost-after-claim",
        "terminal",
    ),
    ("a lost start record", path(T, E, R, C, Z), 41, {}, "on-time", None),
    ("a lost start record past its limit", path(T, E, R, C, Z), 100, {}, "on-time", "start"),
    ("a lost tick record", path(E, R, C, S, Z), 100, {}, "on-time", "tick"),
    ("only the end", path(Z), 20_000, {}, "on-time", "tick"),
]


@pytest.mark.parametrize(
    ("records", "as_of", "fields", "verdict", "absent"), [c[1:] for c in BEFORE_READY], ids=[c[0] for c in BEFORE_READY]
)
def test_before_ready(records, as_of, fields, verdict, absent):
    assert said(records, as_of=as_of, **fields) == (verdict, absent)


@pytest.mark.parametrize(
    ("records", "as_of", "fields", "verdict", "absent"), [c[1:] for c in AFTER_READY], ids=[c[0] for c in AFTER_READY]
)
def test_after_ready(records, as_of, fields, verdict, absent):
    assert said(records, as_of=as_of, **fields) == (verdict, absent)


def test_slots_taken_by_any_run_turn_a_missing_claim_into_a_delayed_one():
    one = (worker(capacity=1),)
    busy = (SlotUse(worker="w1", start=at(-100), end=at(60)),)
    assert said(up_to(R), as_of=124, workers=one, slots=busy) == ("delayed-claim", "claim")
    over = (SlotUse(worker="w1", start=at(-100), end=at(3)),)
    assert said(up_to(R), as_of=124, workers=one, slots=over) == ("missing-claim", "claim")


def test_an_expiry_ends_the_wait_for_a_claim():
    unclaimed = up_to(R)
    assert said(unclaimed, as_of=102, **EXPIRES) == ("pending", None)
    assert said(unclaimed, as_of=103, **EXPIRES) == ("expired-unclaimed", "claim")
    assert said(unclaimed, as_of=103, expires_after=timedelta(seconds=300)) == ("pending", None)
    own = (*path(T, R), record(E, 2, expires_at=at(50)))
    assert said(own, as_of=51, **EXPIRES) == ("expired-unclaimed", "claim")


def test_an_expiry_ends_the_wait_for_a_start():
    assert said(up_to(C, claim=90), as_of=103, **EXPIRES) == ("expired-unclaimed", "start")
    assert said(up_to(C, claim=110), as_of=111, **EXPIRES) == ("expired-unclaimed", "start")


def test_a_recorded_expiration_needs_no_coverage():
    thrown = (*up_to(R), record(X, 110))
    assert said(thrown, as_of=111, coverage=NEVER) == ("expired-unclaimed", "claim")
    told_as_end = (*up_to(R), record(Z, 110, outcome="expired"))
    assert said(told_as_end, as_of=111, coverage=NEVER) == ("expired-unclaimed", "claim")


def test_a_run_after_its_expiry_is_not_on_time():
    late = up_to(Z, claim=50, start=103, terminal=104)
    assert said(late, as_of=200, **EXPIRES) == ("ran-after-expiry", "expiration")
    assert said((*late, record(X, 103)), as_of=200, **EXPIRES) == ("ran-after-expiry", None)
    assert said(up_to(S, claim=50, start=103), as_of=104, **EXPIRES) == ("ran-after-expiry", "expiration")
    exact = up_to(Z, claim=50, start=102, terminal=104)
    assert said(exact, as_of=200, **EXPIRES) == ("on-time", None)


@pytest.mark.parametrize("result", ["failed", "cancelled", "lost", "retrying", "expired"])
def test_any_end_but_a_success_is_failed_in_its_own_word(result):
    ended = (*up_to(S), record(Z, 40, outcome=result))
    judgement = ask(ended, as_of=50)
    assert judgement.verdict == "failed"
    assert result in judgement.sentence


def test_two_runs_that_became_ready_are_a_duplicate():
    second = (record(E, 2, run="r2"), record(R, 3, run="r2"))
    assert said((*RAN, *second), as_of=50) == ("duplicate", None)
    assert said((*RAN, second[0]), as_of=50) == ("on-time", None)
    # Where the enqueue stands for ready, two enqueues are two tasks that can be taken.
    assert said((*RAN, second[0]), as_of=50, capabilities=TAP) == ("duplicate", None)


def again(claim=500.0, **times):
    later = {C: claim, S: times.get("start"), Z: times.get("terminal")}
    return tuple(
        record(h, when, delivery=2, owner="w2", outcome=times.get("outcome", "succeeded") if h is Z else "ok")
        for h, when in later.items()
        if when is not None
    )


BROKE = (*up_to(S), record(Z, 40, outcome="failed"))
TWO = (worker(up_to=100), worker("w2"))


def test_a_retry_is_judged_by_itself_and_its_success_recovers():
    assert said(BROKE, as_of=400) == ("failed", None)
    assert said((*BROKE, *again()), as_of=501) == ("pending", None)
    assert said((*BROKE, *again()), as_of=561) == ("delayed-start", "start")
    assert said((*BROKE, *again(start=501)), as_of=502) == ("pending", None)
    assert said((*BROKE, *again(start=501, terminal=510)), as_of=600) == ("recovered", None)
    assert said((*BROKE, *again(start=501, terminal=510, outcome="failed")), as_of=600) == ("failed", None)


def test_a_redelivery_after_a_loss_recovers():
    assert said(up_to(S), as_of=150, workers=TWO) == ("lost-after-claim", "terminal")
    assert said((*up_to(S), *again(start=501)), as_of=502, workers=TWO) == ("pending", None)
    assert said((*up_to(S), *again(start=501, terminal=510)), as_of=600, workers=TWO) == ("recovered", None)


def test_a_success_is_final_whatever_is_delivered_afterwards():
    assert said((*RAN, *again()), as_of=501, workers=TWO) == ("on-time", None)


def test_two_live_owners_of_one_run_are_a_duplicate():
    both = (worker(), worker("w2"))
    copies = (*up_to(S), *again(start=501))
    assert said(copies, as_of=502, workers=both) == ("duplicate", None)
    assert said((*BROKE, *again(start=501)), as_of=502, workers=both) == ("pending", None)
    # That no end lies between them needs proof like any other absence.
    assert said(copies, as_of=502, workers=both, coverage=covered((-9000, 400))) == ("pending", None)


def test_two_processes_of_one_worker_are_two_owners():
    first = (*up_to(C), record(S, 5, owner_pid=11))
    second = (record(C, 500, record_id="again"), record(S, 501, owner_pid=12, record_id="again-start"))
    assert said((*first, *second), as_of=502, workers=W1) == ("duplicate", None)


def test_deliveries_that_a_sender_does_not_number_are_told_by_their_claims():
    second = tuple(replace(r, delivery=1, record_id=f"{r.record_id}/again") for r in again(start=501, terminal=510))
    assert said((*BROKE, *second), as_of=600) == ("recovered", None)


def test_of_several_runs_the_one_that_got_furthest_is_judged():
    stray = record(E, 1.5, run="a0")
    assert said((*RAN, stray), as_of=50) == ("on-time", None)
    assert said((*path(T, E), stray), as_of=33) == ("missing-ready", "ready")


def test_a_failed_enqueue_fills_nothing_and_tells_why():
    tried = (*path(T), record(E, 2, outcome="failed", reason="OperationalError"))
    judgement = ask(tried, as_of=40)
    assert (judgement.verdict, judgement.first_absent) == ("missing-enqueue", Handoff.ENQUEUE)
    assert "OperationalError" in judgement.sentence
    assert judgement.stations[Handoff.ENQUEUE].note == "failed: OperationalError"


def test_records_of_a_replay_do_not_fill_the_original_path():
    replayed = record(E, 500, run="r9", recovery=1)
    assert said((*path(T), replayed), as_of=600) == ("missing-enqueue", "enqueue")


def test_a_task_with_a_later_start_is_ready_then_and_not_before():
    later = (*path(T), record(E, 2, eta=at(300)))
    assert said(later, as_of=400, capabilities=TAP) == ("pending", None)
    assert said(later, as_of=421, capabilities=TAP) == ("delayed-claim", "claim")
    early = (*later, record(C, 3), record(S, 301), record(Z, 310))
    assert said(early, as_of=400, capabilities=TAP) == ("on-time", None)
    assert said(later, as_of=329, capabilities=Capabilities()) == ("pending", None)
    assert said(later, as_of=331, capabilities=Capabilities()) == ("missing-ready", "ready")


CAPABILITIES = [
    ({"claim": "none"}, up_to(R), 183, "pending", None),
    ({"claim": "none"}, up_to(R), 184, "delayed-start", "start"),
    ({"tick": "none"}, (), 90, "pending", None),
    ({"tick": "none"}, (), 91, "missing-enqueue", "enqueue"),
    ({"ready": "merged_with:enqueue"}, path(T, E), 123, "delayed-claim", "claim"),
    ({"ready": "merged_with:claim"}, path(T, E), 152, "pending", None),
    ({"ready": "merged_with:claim"}, path(T, E), 153, "missing-ready", "ready"),
    ({"ready": "merged_with:claim"}, path(T, E, C, claim=153), 154, "late-enqueue", None),
    ({"claim": "merged_with:start"}, up_to(R), 184, "delayed-claim", "claim"),
    ({"claim": "inferred"}, up_to(R), 124, "delayed-claim", "claim"),
    ({"terminal": "none"}, up_to(S), 90_000, "pending", None),
    (
        {"expiration": "none"},
        (*path(T, R, C), record(E, 2, expires_at=at(3)), record(S, 9)),
        20,
        "ran-after-expiry",
        None,
    ),
]


@pytest.mark.parametrize(("mapping", "records", "as_of", "verdict", "absent"), CAPABILITIES)
def test_a_source_is_judged_by_what_it_can_show(mapping, records, as_of, verdict, absent):
    capabilities = Capabilities.from_mapping(mapping)
    assert said(records, as_of=as_of, capabilities=capabilities) == (verdict, absent)


def test_what_is_not_proven_is_pending_and_then_unknown():
    gap = covered((-9000, 30), (70, 9000))
    assert said((), as_of=65, coverage=gap) == ("pending", None)
    assert said((), as_of=100, coverage=gap) == ("pending", None)
    assert said((), as_of=1860, coverage=gap) == ("pending", None)
    assert said((), as_of=1861, coverage=gap) == ("unknown", None)
    assert ask((), as_of=1861, coverage=gap).blind_from == at(30)
    assert said(path(T), as_of=1861, coverage=gap) == ("unknown", None)
    assert said(RAN, as_of=5000, coverage=gap) == ("on-time", None)


def test_evidence_of_the_other_role_proves_nothing():
    from occurrences.contract.handoffs import Role

    assert said((), as_of=100, coverage=covered((-90, 9000), roles=(Role.WORKERS,))) == ("pending", None)
    assert said((), as_of=100, coverage=covered((-90, 9000), roles=(Role.SCHEDULER,))) == ("missing-tick", "tick")


def test_proof_begins_at_the_last_recorded_handoff():
    assert said(up_to(R), as_of=200, coverage=covered((3, 9000))) == ("delayed-claim", "claim")
    assert said(up_to(R), as_of=200, coverage=covered((3.5, 9000))) == ("pending", None)


def test_a_loss_is_proven_by_the_coverage_up_to_the_moment_the_worker_went_down():
    gone = (worker(up_to=20),)
    assert said(up_to(S), as_of=30, workers=gone, coverage=covered((-90, 20))) == ("lost-after-claim", "terminal")
    assert said(up_to(S), as_of=30, workers=gone, coverage=covered((-90, 19))) == ("pending", None)


def test_a_source_that_cannot_prove_its_coverage_is_only_suspected():
    judgement = ask((), as_of=100, coverage=replace(NEVER, provable=False))
    assert judgement.verdict == "missing-tick"
    assert "Suspected" in judgement.sentence
    assert "cannot prove" in judgement.trust


def test_the_expected_gap_of_a_floating_schedule_takes_a_late_tick_as_its_end():
    gap = {"floating": True, "expected_gap": True}
    assert said((), as_of=61, **gap) == ("missing-tick", "tick")
    ended = ask(path(T, tick=200), as_of=5000, **gap)
    assert (ended.verdict, ended.first_absent, ended.closed) == ("late-enqueue", None, True)
    # A tick in its own second makes it an ordinary occurrence.
    assert said(path(T, tick=0.5), as_of=40, **gap) == ("missing-enqueue", "enqueue")
    other = replace(question(as_of=0).identity, due_at=at(-20))
    assert said((record(T, -20, named=other),), as_of=40, **gap) == ("not-due", None)


def test_what_came_after_the_observing_moment_does_not_count():
    assert said(RAN, as_of=4.5) == said(up_to(C), as_of=4.5)
    assert said(up_to(S), as_of=19, workers=(worker(up_to=20),)) == ("pending", None)
    slow = (replace(path(T)[0], received_at=at(90)),)
    assert said(slow, as_of=80) == ("missing-tick", "tick")
    assert said(slow, as_of=90) == ("missing-enqueue", "enqueue")


def test_the_first_record_received_under_a_key_counts():
    first, second = path(T)[0], replace(path(T)[0], observed_at=at(200), received_at=at(200))
    assert ask((second, first), as_of=300).stations[Handoff.TICK].at == at(1)


def test_a_question_that_cannot_be_judged_is_refused():
    with pytest.raises(InvalidQuestion, match="offset"):
        judge(replace(question(as_of=0), as_of=datetime(2025, 1, 15)))  # noqa: DTZ001
    undated = DecisionFact(choice=Choice.SKIP, at=datetime(2025, 1, 15))  # noqa: DTZ001
    with pytest.raises(InvalidQuestion, match="offset"):
        judge(question(as_of=0, decisions=(undated,)))
