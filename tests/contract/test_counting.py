"""The sum behind the deadline that named the verdict."""

from dataclasses import replace
from datetime import timedelta

import pytest

from occurrences.contract.handoffs import Capabilities, Handoff
from occurrences.contract.judgements import Counted
from occurrences.contract.verdicts import Verdict
from tests.contract.evidence import ALLOWANCES, NEVER, TAP, ask, at, path, record, replay, replayed, up_to, worker

T, E, R, C, S, X, Z = (h for h in Handoff if h is not Handoff.DUE)
EXPIRES = replace(ALLOWANCES, expires=timedelta(seconds=100))


def summed(records=(), **fields) -> Counted:
    counted = ask(records, **fields).counted
    assert counted is not None
    return counted


def seconds(counted: Counted) -> tuple[str, float | None, float | None, float, float]:
    since = None if counted.since is None else (counted.since - at(0)).total_seconds()
    allowance = None if counted.allowance is None else counted.allowance.total_seconds()
    return counted.since_label, since, allowance, (counted.at - at(0)).total_seconds(), counted.past.total_seconds()


def test_an_absent_handoff_counts_from_the_one_ahead_up_to_now():
    assert seconds(summed(as_of=100)) == ("Due", 0, 60, 60, 40)
    assert seconds(summed(path(T), as_of=40)) == ("Scheduler tick", 1, 30, 31, 9)
    claim = summed(up_to(R), as_of=200)
    assert (claim.label, claim.allowance_label, claim.met) == ("Worker claim limit", "claim age allowance", False)
    assert seconds(claim) == ("Ready", 3, 120, 123, 77)


def test_where_the_one_ahead_has_no_record_its_limit_takes_its_place():
    assert seconds(summed(path(T, E), as_of=300, capabilities=Capabilities.from_mapping({"ready": "none"}))) == (
        "Enqueue", 2, 150, 152, 148,
    )  # fmt: skip
    assert seconds(summed(path(E, R), as_of=3600)) == ("Ready", 3, 120, 123, 3477)
    assert seconds(summed(path(T, R, S), as_of=3600))[:2] == ("Start", 5)


def test_the_allowance_of_a_handoff_that_is_not_reported_is_named():
    silent = Capabilities.from_mapping({"ready": "none"})
    assert summed(path(T, E), as_of=300, capabilities=silent).allowance_label == (
        "claim age allowance and those it stands for"
    )


def test_one_that_came_late_is_held_against_its_own_moment():
    late = summed(up_to(Z, claim=200, start=201, terminal=240), as_of=900)
    assert late.met
    assert seconds(late) == ("Ready", 3, 120, 123, 77)


def test_what_waits_lies_ahead_and_what_cannot_be_told_is_counted_too():
    assert seconds(summed(up_to(R), as_of=23)) == ("Ready", 3, 120, 123, -100)
    unknown = ask((), as_of=2000, coverage=NEVER)
    assert unknown.verdict is Verdict.UNKNOWN
    assert seconds(unknown.counted) == ("Due", 0, 60, 60, 1940)


def test_an_expiry_counts_from_the_enqueue_and_goes_before_a_longer_limit():
    assert seconds(summed(up_to(R), as_of=110, allowances=EXPIRES)) == ("Enqueue", 2, 100, 102, 8)
    assert summed(up_to(R), as_of=20, allowances=EXPIRES).label == "Expiry"
    ran = summed(up_to(S, claim=100, start=130), as_of=140, allowances=EXPIRES)
    assert (ran.label, ran.met, seconds(ran)[-1]) == ("Expiry", True, 28)


def test_a_lost_claimant_has_no_sum():
    lost = summed(up_to(S), as_of=30, workers=(worker(up_to=20),))
    assert (lost.label, seconds(lost)) == ("Claimant down", ("", None, None, 20, 10))


def test_a_later_delivery_counts_from_its_own_claim():
    again = record(C, 400, delivery=2, owner="w2")
    failed = record(Z, 40, outcome="failed")
    counted = summed((*up_to(S), failed, again), as_of=500)
    assert seconds(counted) == ("Latest claim", 400, 60, 460, 40)


def test_a_replay_counts_from_its_decision():
    waits = summed(path(T), as_of=700, decisions=(replay(600),))
    assert (waits.label, seconds(waits)) == ("Readback limit", ("Decided", 600, 900, 1500, -800))
    slow = summed((*path(T), *(replayed(h, 601) for h in (E, C))), as_of=800, decisions=(replay(600),))
    assert (slow.label, seconds(slow)) == ("Start limit", ("Worker claim", 601, 60, 661, 139))
    unread = ask((*path(T), replayed(E, 601)), as_of=2000, decisions=(replay(600),))
    assert unread.verdict is Verdict.RECOVERY_UNVERIFIED
    assert seconds(unread.counted) == ("Decided", 600, 900, 1500, 500)


@pytest.mark.parametrize(
    ("records", "fields"),
    [
        (up_to(Z), {"as_of": 50}),
        ((*up_to(S), record(Z, 40, outcome="failed")), {"as_of": 50}),
        ((), {"as_of": -5}),
        ((), {"as_of": 50, "paused": True}),
    ],
)
def test_where_no_deadline_led_to_the_answer_there_is_none(records, fields):
    assert ask(records, **fields).counted is None


def test_a_station_names_the_handoff_it_stands_with():
    ready = ask(up_to(E), as_of=10, capabilities=TAP).stations[R]
    assert (ready.stands_with, ready.at) == (E, at(2))
    assert ask(up_to(R), as_of=10).stations[R].stands_with is None
