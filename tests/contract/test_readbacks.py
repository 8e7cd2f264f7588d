"""What the target's own evidence says of a replay."""

from dataclasses import replace
from datetime import timedelta

import pytest

from occurrences.contract.handoffs import Handoff
from occurrences.contract.occurrences import Identity, recovery_id
from occurrences.contract.readbacks import ReplayFacts, ReplayState, state_of
from tests.contract.evidence import DUE, IDENTITY, at, replayed

E, C, S, X, Z = Handoff.ENQUEUE, Handoff.CLAIM, Handoff.START, Handoff.EXPIRATION, Handoff.TERMINAL
SENT, CLAIMED, STARTED, SUCCEEDED = replayed(E, 201), replayed(C, 210), replayed(S, 211), replayed(Z, 240)
DONE = (SENT, CLAIMED, STARTED, SUCCEEDED)


def unnamed(*records):
    return tuple(replace(r, named=None, recovery_id=None, recovery=0) for r in records)


def read(*records, as_of=300, **fields):
    known = ReplayFacts(
        recovery_id=str(recovery_id(IDENTITY, 1)),
        number=1,
        identity=IDENTITY,
        decided_at=at(200),
        readback=timedelta(seconds=900),
        run=timedelta(seconds=600),
        records=records,
        as_of=at(as_of),
    )
    return state_of(replace(known, **fields))


TWICE = (*DONE, replayed(C, 250, delivery=2), replayed(Z, 260, delivery=2))
TOO_LATE = (replayed(C, 1101), replayed(S, 1102), replayed(Z, 1110))
RECEIVED_LATE = tuple(replace(r, received_at=at(5000)) for r in DONE)
UNSURE = "dispatch-uncertain"
LOST = {"uncertain_at": at(201)}
STEPS = [
    ("nothing yet", (), {}, "decided", None, None),
    ("published", (), {"published_at": at(201)}, "dispatched", None, None),
    ("the sender's record alone", (SENT,), {}, "dispatched", None, None),
    ("read in the queue", (), {"seen_in_queue": True}, "accepted", None, None),
    ("claimed", (SENT, CLAIMED), {}, "accepted", "equal", None),
    ("started", (SENT, CLAIMED, STARTED), {}, "running", "equal", None),
    ("ended, not read back", (SENT, *unnamed(CLAIMED, STARTED, SUCCEEDED)), {}, "ended", None, "clean"),
    ("all of it", DONE, {}, "verified", "equal", "clean"),
    ("failed", (*DONE[:3], replayed(Z, 240, outcome="failed")), {}, "failed", "equal", "clean"),
    ("thrown away", (SENT, replayed(X, 250)), {}, "failed", None, None),
    ("the original started since", DONE, {"original_started_after": True}, "double-run", "equal", "double-run"),
    ("the original succeeded", DONE, {"original_succeeded": True}, "double-run", "equal", "double-run"),
    ("the original succeeded, this one waits", (SENT,), {"original_succeeded": True}, "dispatched", None, None),
    ("two successes", TWICE, {}, "double-run", "equal", "double-run"),
    ("nothing by the readback time", (SENT,), {"as_of": 1101}, "unverified", None, None),
    ("nothing at the readback time", (SENT,), {"as_of": 1100}, "dispatched", None, None),
    ("read back too late", TOO_LATE, {"as_of": 1200}, "unverified", "equal", "clean"),
    ("read back in time, received later", RECEIVED_LATE, {"as_of": 5001}, "verified", "equal", "clean"),
    ("running too long", (CLAIMED, STARTED), {"as_of": 812}, "unverified", "equal", None),
    ("ran too long", (CLAIMED, STARTED, replayed(Z, 812)), {"as_of": 900}, "unverified", "equal", "clean"),
    ("not received yet", DONE, {"as_of": 212}, "running", "equal", None),
    ("sent without an answer", (), LOST, UNSURE, None, None),
    ("without an answer past the readback time", (), LOST | {"as_of": 1200}, UNSURE, None, None),
    ("without an answer and past all it could run", (), LOST | {"as_of": 1701}, "unverified", None, None),
    ("without an answer, to be refused later", (), LOST | {"not_after": at(1200), "as_of": 1800}, UNSURE, None, None),
    ("no answer, then found in the queue", (), LOST | {"seen_in_queue": True}, "accepted", None, None),
    ("no answer, then acknowledged", (), LOST | {"published_at": at(205)}, "dispatched", None, None),
    ("no answer, and it ran", DONE[1:], LOST, "verified", "equal", "clean"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("records", "fields", "state", "rb1", "rb2"), [c[1:] for c in STEPS], ids=[c[0] for c in STEPS]
)
def test_how_far_a_replay_came(records, fields, state, rb1, rb2):
    found = read(*records, **fields)
    assert (found.state.value, found.rb1, found.rb2) == (state, rb1, rb2)


ALTERED = {
    "source": {"named": Identity(source="celery:lab", schedule_key="nightly", due_at=DUE)},
    "schedule key": {"named": Identity(source="celery:billing", schedule_key="hourly", due_at=DUE)},
    "due time": {"named": Identity(source="celery:billing", schedule_key="nightly", due_at=at(1))},
    "recovery id": {"recovery_id": str(recovery_id(IDENTITY, 2))},
    "recovery number": {"recovery": 2},
}


@pytest.mark.parametrize("handoff", [C, S, Z])
@pytest.mark.parametrize("name", list(ALTERED))
def test_one_other_part_in_one_record_is_a_mismatch_and_never_verified(name, handoff):
    found = read(*(replace(r, **ALTERED[name]) if r.handoff is handoff else r for r in DONE))
    assert (found.state, found.rb1, found.mismatching) == (ReplayState.MISMATCH, "mismatch", (name,))
    assert f"reports another {name}." in found.sentence


def test_every_part_that_differs_is_listed():
    found = read(*(replace(r, **ALTERED["due time"], recovery_id="x", recovery=2) for r in DONE))
    assert "due time, recovery id and recovery number" in found.sentence


@pytest.mark.parametrize("part", [{"named": None}, {"recovery_id": None}, {"recovery": 0}])
def test_a_part_left_out_is_neither_equal_nor_a_mismatch(part):
    found = read(*(replace(r, **part) for r in DONE))
    assert (found.state, found.rb1) == (ReplayState.ENDED, None)
    assert read(*(replace(r, **part) for r in DONE), as_of=1101).state is ReplayState.UNVERIFIED


@pytest.mark.parametrize("role", ["scheduler", "operator", "broker", None])
def test_what_anybody_but_the_worker_writes_is_no_readback(role):
    found = read(*(replace(r, owner_role=role) for r in DONE))
    assert (found.state, found.rb1) == (ReplayState.ENDED, None)
    wrong = tuple(replace(r, owner_role=role, recovery=2) for r in DONE)
    assert read(*wrong).mismatching == ()


def test_readback_every_state_says_something_and_five_of_them_are_ends():
    found = {read(*records, **fields) for _, records, fields, *_ in STEPS}
    assert all(reading.sentence.endswith(".") for reading in found)
    assert {reading.state.value for reading in found if reading.over} <= {
        "verified",
        "failed",
        "mismatch",
        "double-run",
        "unverified",
    }
    assert ReplayState.DOUBLE_RUN.words == "Double run"


@pytest.mark.parametrize(
    ("reading", "words"),
    [
        (read(SENT, as_of=1101), "No worker named the original by 02:48:20Z."),
        (read(replayed(C, 1101), as_of=1200), "named the original after 02:48:20Z only"),
        (read(CLAIMED, STARTED, as_of=812), "did not end within its 10 min"),
        (read(SENT, replayed(X, 250)), "thrown away unstarted"),
        (read(*DONE, original_succeeded=True), "The original ran as well"),
        (read(*TWICE), "succeeded twice"),
        (read(*unnamed(CLAIMED, STARTED)), "it must by 02:48:20Z"),
    ],
)
def test_the_sentence_says_why(reading, words):
    assert words in reading.sentence
