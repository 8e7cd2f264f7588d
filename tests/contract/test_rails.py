"""The second rail, under that of the original."""

from occurrences.contract.handoffs import Handoff
from occurrences.contract.judgements import StationState
from occurrences.contract.readbacks import ReplayState
from tests.contract.evidence import TAP, ask, at, replay, replayed, skip, up_to

T, E, R, C, S, X, Z = (h for h in Handoff if h is not Handoff.DUE)
DONE = (replayed(C, 210), replayed(S, 211), replayed(Z, 240))


def test_each_replay_has_a_rail_and_a_skip_has_none():
    judgement = ask(DONE, as_of=400, decisions=(replay(200), skip(300), replay(350, 2)))
    assert [(rail.number, rail.state) for rail in judgement.recoveries] == [
        (1, ReplayState.VERIFIED),
        (2, ReplayState.DECIDED),
    ]
    assert judgement.recoveries[0].readback_by == at(1100)
    assert "its worker named the original" in judgement.recoveries[0].sentence


def test_the_rail_shows_the_records_of_the_replay_and_the_original_keeps_its_own():
    judgement = ask((*up_to(R), *DONE), as_of=300, decisions=(replay(200, published_at=at(202)),), capabilities=TAP)
    rail = judgement.recoveries[0].stations
    assert [station.handoff for station in rail] == list(Handoff)
    assert (rail[T].state, rail[T].note) == (StationState.NOT_EXPECTED, "sent by a decision, not by the scheduler")
    assert (rail[E].at, rail[E].owner, rail[R].at) == (at(202), "console", at(202))
    assert [rail[h].at for h in (C, S, Z)] == [at(210), at(211), at(240)]
    assert judgement.stations[C].state is StationState.ABSENT
    assert [judgement.stations[h].at for h in (C, S, Z)] == [None, None, None]


def test_before_it_is_sent_the_message_is_waited_for_from_the_console():
    rail = ask(as_of=210, decisions=(replay(200),)).recoveries[0].stations
    assert (rail[E].state, rail[E].owner, rail[E].expected_by) == (StationState.NOT_YET, "console", at(230))


def test_what_its_worker_reports_otherwise_is_named_on_the_rail():
    wrong = replayed(C, 210, recovery_id="another")
    rail = ask((wrong,), as_of=220, decisions=(replay(200),)).recoveries[0]
    assert (rail.state, rail.mismatching) == (ReplayState.MISMATCH, ("recovery id",))
