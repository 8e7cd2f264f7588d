"""When a replay of a window's occurrence could run the work twice: what came of it, and what lies around it."""

import pytest

from tests.contract.window_documents import answers, document, event, moment, name, path, said, worker

NEEDS = "needs-evidence"


def schedule(**fields) -> dict:
    return document()["schedule"] | fields


def test_a_lost_run_is_safe_to_replay_beside_a_success_and_a_worker():
    assert said(*path(0)) == ("missing-tick", "tick", True)
    assert said(*path(2), event("tick", 1, 1)) == ("missing-enqueue", "enqueue", True)
    assert said(*path(0), *path(1, "enqueue")) == ("missing-ready", "ready", NEEDS)


@pytest.mark.parametrize(
    "around",
    [
        {"workers": []},
        {"workers": [worker(capacity=0)]},
        {"workers": [worker(up_to=3)]},
        {"coverage": [{"from": moment(0), "to": moment(2)}, {"from": moment(2, 1), "to": moment(3)}]},
    ],
)
def test_without_a_worker_or_with_a_gap_it_needs_evidence(around):
    assert said(*path(0), **around) == ("missing-tick", "tick", NEEDS)


def test_a_gap_after_one_tick_before_now_hides_nothing():
    assert said(*path(0), coverage=[{"from": moment(0), "to": moment(3, -60)}])[2] is True
    assert said(*path(0), coverage=[{"from": moment(0), "to": moment(3, -61)}])[2] == NEEDS


def test_a_success_outside_the_window_of_a_paused_time_or_of_the_future_is_no_neighbour():
    assert said(event("tick", 0, 1))[2] == NEEDS
    assert said(*path(-1))[2] == NEEDS
    paused = schedule(pauses=[{"from": moment(0), "to": moment(1), "reason": "x"}])
    assert said(*path(0), schedule=paused)[2] == NEEDS
    assert said(*path(2), observed=1.5)[2] == NEEDS


def test_a_late_or_recovered_success_is_a_neighbour_too():
    assert said(*path(0, terminal=3000))[2] is True
    decided = {"decision": "replay", "occurrence": name(0), "at": moment(0, 900), "recovery_id": "rec"}
    replay = [event("start", 0, 1000, run="rec", occurrence=name(0)), event("terminal", 0, 1100, run="rec")]
    assert said(*replay, decisions=[decided])[2] is True


@pytest.mark.parametrize(
    ("seconds", "near"), [(-61, False), (-60, True), (1800, True), (3539.999, True), (3540, False)]
)
def test_a_stray_run_counts_in_the_period_of_an_occurrence(seconds, near):
    stray = event("enqueue", 1, seconds, run="stray", occurrence=name(0.25))
    verdicts = answers(*path(0), stray)
    assert verdicts[name(0.25)].judgement.verdict == "not-due"
    assert verdicts[name(1)].safety.value == (NEEDS if near else True)


def test_a_stray_tick_is_no_stray_run_and_a_run_in_a_pause_is_one():
    assert said(*path(0), event("tick", 1, 1800, occurrence=name(1.5)))[2] is True
    paused = schedule(pauses=[{"from": moment(2), "to": moment(3), "reason": "x"}])
    ran = event("start", 1, 1800, run="early", occurrence=name(2))
    assert said(*path(0), ran, schedule=paused)[2] == NEEDS
