"""The rail: eight stations, complete."""

from dataclasses import replace
from datetime import timedelta

from occurrences.contract.handoffs import Capabilities, Handoff
from occurrences.contract.judgements import StationState
from tests.contract.evidence import ALLOWANCES, TAP, ask, at, covered, path, record, up_to, worker

T, E, R, C, S, X, Z = (h for h in Handoff if h is not Handoff.DUE)


def states(records=(), **fields):
    return [station.state.value for station in ask(records, **fields).stations]


def test_nothing_is_expected_before_the_due_time():
    assert states(as_of=-1) == ["not-yet"] * 6 + ["not-expected", "not-yet"]


def test_a_whole_path_is_on_time():
    assert states(up_to(Z), as_of=50) == ["on-time"] * 6 + ["not-expected", "on-time"]


def test_after_an_absent_enqueue_nothing_more_is_expected():
    assert states(path(T), as_of=40) == ["on-time", "on-time", "absent"] + ["not-expected"] * 5


def test_after_a_delayed_claim_the_rest_may_still_come():
    rail = states(up_to(R), as_of=200)
    assert rail == ["on-time"] * 4 + ["absent", "not-yet", "not-expected", "not-yet"]


def test_after_a_loss_or_an_expiry_nothing_more_is_expected():
    lost = states(up_to(C), as_of=30, workers=(worker(up_to=20),))
    assert lost == ["on-time"] * 5 + ["absent", "not-expected", "not-expected"]
    thrown = states((*up_to(R), record(X, 10)), as_of=30)
    assert thrown == ["on-time"] * 4 + ["absent", "not-expected", "on-time", "not-expected"]


def test_what_cannot_be_told_is_not_observed():
    assert states(path(T), as_of=2000, coverage=covered((-90, 10)))[E] == "not-observed"


def test_a_gap_in_the_evidence_is_implied_and_a_silent_source_not_reported():
    assert states(path(T, E, R, C, Z), as_of=500)[S] == "implied"
    silent = Capabilities.from_mapping({"claim": "none"})
    assert states(up_to(R), as_of=10, capabilities=silent)[C] == "not-reported"


def test_a_late_station_says_by_how_much_and_an_absent_one_how_long_it_is_overdue():
    claim = ask(up_to(S, claim=200, start=201), as_of=210).stations[C]
    assert (claim.state, claim.expected_by, claim.late_by) == (StationState.LATE, at(123), timedelta(seconds=77))
    absent = ask(up_to(R), as_of=200).stations[C]
    assert (absent.at, absent.expected_by, absent.late_by) == (None, at(123), timedelta(seconds=77))


def test_a_station_names_who_recorded_it_or_whom_to_look_for():
    rail = ask(up_to(C), as_of=10).stations
    assert [station.owner for station in rail] == [
        "schedule owner",
        "beat",
        "beat",
        "queue",
        "w1",
        "worker process",
        "queue or worker",
        "worker",
    ]
    assert rail[C].run == "r1"
    assert rail[C].record_id == "r1/claim/1"
    assert rail[T].run is None
    assert rail[Z].run is None


def test_a_merged_station_says_where_it_stands():
    ready = ask(path(T, E), as_of=10, capabilities=TAP).stations[R]
    assert (ready.state, ready.at, ready.note) == (StationState.ON_TIME, at(2), "stands in the enqueue record")


def test_expiration_is_a_deadline_drawn_as_a_station():
    expires = {"allowances": replace(ALLOWANCES, expires=timedelta(seconds=100))}
    waiting = ask(up_to(R), as_of=50, **expires).stations[X]
    assert (waiting.state, waiting.expected_by) == (StationState.NOT_YET, at(102))
    assert ask(up_to(R), as_of=150, **expires).stations[X].state is StationState.NOT_OBSERVED
    assert ask(up_to(S), as_of=50, **expires).stations[X].note == "not reached before the start"
    late = ask(up_to(S, claim=50, start=110), as_of=120, **expires).stations[X]
    assert late.state is StationState.ABSENT
    assert ask(up_to(R), as_of=50).stations[X].note == "the message does not expire"


def test_a_time_that_is_not_due_has_an_absent_due_and_nothing_late():
    rail = ask(up_to(Z, tick=500, enqueue=501), as_of=600, in_rule=False).stations
    assert rail[0].state is StationState.ABSENT
    assert StationState.LATE not in [station.state for station in rail]
    assert ask((), as_of=10, paused=True).stations[0].note == "paused"
