"""How far the original came, for the safety contract."""

import pytest

from occurrences.contract.handoffs import Capabilities, Handoff
from occurrences.contract.trails import Trail, trail_of
from tests.contract.evidence import ask, covered, record, replay, replayed, up_to
from tests.contract.safety_ground import EXPIRED_ON_RECORD, LATER, SAID, WAITING

H = Handoff


@pytest.mark.parametrize("trail", Trail)
def test_safety_names_each_trail(trail):
    assert trail_of(SAID[trail]) is trail
    assert trail.words


@pytest.mark.parametrize(
    ("name", "trail"),
    list(
        zip(
            WAITING,
            (
                Trail.MISSING_TICK,
                Trail.MISSING_ENQUEUE,
                Trail.NOT_READY,
                Trail.DELAYED_CLAIM,
                Trail.CLAIMED_NOT_STARTED,
                Trail.STARTED_NO_TERMINAL,
            ),
            strict=True,
        )
    ),
)
def test_safety_names_what_is_awaited_while_nothing_is_late(name, trail):
    assert trail_of(WAITING[name]) is trail


def test_safety_takes_a_recorded_expiration_for_one_even_after_a_claim():
    assert trail_of(EXPIRED_ON_RECORD) is Trail.EXPIRED_UNCLAIMED
    taken = ask((*up_to(H.CLAIM), record(H.EXPIRATION, 700)), as_of=LATER)
    assert trail_of(taken) is Trail.EXPIRED_UNCLAIMED


def test_safety_reads_the_original_and_not_its_replay():
    done = (replayed(H.CLAIM, 210), replayed(H.START, 211), replayed(H.TERMINAL, 240))
    assert trail_of(ask(done, as_of=LATER, decisions=(replay(200),))) is Trail.MISSING_TICK


def test_safety_calls_a_gap_in_the_workers_evidence_blind():
    gap = covered((-9000, 20))
    assert trail_of(ask(up_to(H.READY), as_of=LATER, coverage=gap)) is Trail.BLIND


def test_safety_calls_what_was_not_due_blind():
    assert trail_of(ask(up_to(H.READY), as_of=LATER, in_rule=False)) is Trail.BLIND
    assert trail_of(ask((), as_of=LATER, paused=True)) is Trail.BLIND


def test_safety_knows_no_end_where_a_source_reports_none():
    silent = Capabilities.from_mapping({"terminal": "none"})
    assert trail_of(ask(up_to(H.START), as_of=LATER, capabilities=silent)) is Trail.STARTED_NO_TERMINAL
    quiet = Capabilities.from_mapping({"claim": "none", "start": "none", "terminal": "none"})
    assert trail_of(ask(up_to(H.READY), as_of=LATER, capabilities=quiet)) is Trail.BLIND
