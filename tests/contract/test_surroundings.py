"""What lies beside and behind the judged path keeps an original from being called dead."""

from dataclasses import replace
from datetime import timedelta

import pytest

from occurrences.contract.coverage import Coverage, Stretch
from occurrences.contract.decisions import Choice
from occurrences.contract.effects import Effect
from occurrences.contract.handoffs import Handoff, Role
from occurrences.contract.judging import judge
from occurrences.contract.liveness import Claimer, Liveness, QueueRead, liveness_of
from occurrences.contract.safety_assessments import assess
from occurrences.contract.safety_table import Grade
from occurrences.contract.surroundings import Others, Surroundings, surroundings_of
from occurrences.contract.trails import Trail, trail_of
from tests.contract.evidence import at, question, record, replay, replayed, up_to, worker
from tests.contract.safety_ground import AROUND, SAID, inputs
from tests.contract.test_liveness import LOOKED_AT, circumstances

T, H, L, Other = Trail, Handoff, Liveness, Others
EXPIRES = {"expires_after": timedelta(seconds=600)}
FAILED = record(H.TERMINAL, 40, outcome="failed")


def seen(scheduler, workers):
    """Coverage of both roles from long before to the given seconds after the due time."""
    ends = ((Role.SCHEDULER, scheduler), (Role.WORKERS, workers))
    return Coverage(provable=True, stretches=tuple(Stretch(start=at(-9000), end=at(e), role=r) for r, e in ends))


def second(*handoffs, first=3, **fields):
    """Records of a second run of the same due time."""
    return tuple(record(handoff, first + n, run="r2", **fields) for n, handoff in enumerate(handoffs))


def around_of(records, *, as_of=700, stray=False, heard=("w1",), **fields):
    asked = question(records, as_of=as_of, **fields)
    said = judge(asked)
    return said, surroundings_of(asked, said, stray=stray, heard=heard)


def lives(records, *, facts=None, **fields):
    said, found = around_of(records, **fields)
    known = {"as_of": at(fields.get("as_of", 700)), "enforces_expiry": True, "retries_left": 0, "surroundings": found}
    return said, liveness_of(said, replace(AROUND, **(known | (facts or {}))))


LATE_TICK = {"later_due_ticked": True}
HOLES = [
    ("a start before the expiry, not reported yet", up_to(H.READY), EXPIRES | {"coverage": seen(700, 100)}, {}),
    ("the same of a claimed one", up_to(H.CLAIM), EXPIRES | {"coverage": seen(700, 100)}, {}),
    ("a start just before the expiry", up_to(H.READY), EXPIRES | {"as_of": 620, "coverage": seen(620, 590)}, {}),
    ("a late tick in the scheduler's gap", (), {"as_of": 7200, "coverage": seen(100, 7200)}, LATE_TICK),
    ("a late run in the workers' gap", (), {"as_of": 7200, "coverage": seen(7200, 100)}, LATE_TICK),
    ("a run filed under another time", (), {"as_of": 7200, "stray": True}, LATE_TICK),
    ("a worker lost, and a redelivery nobody looked for",
     (*up_to(H.START), record(H.TERMINAL, 40, outcome="lost")), {}, {}),
    ("an earlier delivery whose worker is not heard from",
     (*up_to(H.START), record(H.CLAIM, 50, delivery=2, owner="w2"), record(H.START, 51, delivery=2, owner="w2"),
      record(H.TERMINAL, 60, delivery=2, owner="w2", outcome="failed")), {"heard": ("w2",)}, {}),
]  # fmt: skip


@pytest.mark.parametrize(("records", "fields", "facts"), [h[1:] for h in HOLES], ids=[h[0] for h in HOLES])
def test_safety_what_may_hide_is_unknown_and_never_dead(records, fields, facts):
    said, found = lives(records, facts=facts, **fields)
    assert found.liveness is L.UNKNOWN
    for effect in set(Effect) - {Effect.KEYED}:
        weighed = assess(
            inputs(trail=trail_of(said), liveness=found.liveness, liveness_because=found.sentence, effect=effect)
        )
        assert weighed.grade_of(Choice.REPLAY) >= Grade.OVERRIDE


SEEN = [
    ("expired, and the workers' evidence reaches past it", up_to(H.READY), EXPIRES | {"coverage": seen(700, 690)}, {}),
    ("nothing made up, and no gap", (), {"as_of": 7200, "coverage": seen(7190, 7190)}, LATE_TICK),
    ("thrown away on record, whatever the gap",
     (*up_to(H.READY), record(H.EXPIRATION, 620)), {"coverage": seen(100, 100)}, {}),
    ("ended on record, whatever the gap", (*up_to(H.START), FAILED), {"coverage": seen(100, 100)}, {}),
    ("the worker of an earlier delivery went down",
     (*up_to(H.START), record(H.CLAIM, 50, delivery=2, owner="w2"), record(H.TERMINAL, 60, delivery=2, owner="w2",
      outcome="failed")), {"heard": ("w2",), "workers": (worker(up_to=45), worker("w2"))}, {}),
    ("lost, and the queue shows no redelivery",
     (*up_to(H.START), record(H.TERMINAL, 40, outcome="lost")), {}, {"redelivery_pending": False}),
    ("a second run that was thrown away",
     (*up_to(H.START), FAILED, *second(H.ENQUEUE, H.READY), record(H.EXPIRATION, 650, run="r2")), {}, {}),
    ("the run of a replay is none of the original's",
     (*up_to(H.START), FAILED, replayed(H.CLAIM, 210), replayed(H.START, 211)), {"decisions": (replay(200),)}, {}),
    ("nor where its worker named only the run",
     (*up_to(H.START), FAILED, *(replace(replayed(h, 210), recovery=0, recovery_id=None) for h in (H.CLAIM, H.START))),
     {"decisions": (replay(200),)}, {}),
]  # fmt: skip


@pytest.mark.parametrize(("records", "fields", "facts"), [s[1:] for s in SEEN], ids=[s[0] for s in SEEN])
def test_safety_what_is_seen_to_be_over_is_dead(records, fields, facts):
    assert lives(records, facts=facts, **fields)[1].liveness is L.CANNOT


BESIDE = [
    ("waits", second(H.ENQUEUE, H.READY), {}, Other.WAITING, L.CAN_START),
    ("is claimed", second(H.ENQUEUE, H.READY, H.CLAIM), {}, Other.WAITING, L.CAN_START),
    ("runs", second(H.ENQUEUE, H.READY, H.CLAIM, H.START), {}, Other.RUNNING, L.RUNNING),
    ("ran unheard", second(H.ENQUEUE, H.READY, H.CLAIM, H.START), {"heard": ()}, Other.UNHEARD, L.UNKNOWN),
    ("runs too long", second(H.ENQUEUE, H.READY, H.CLAIM, H.START), {"as_of": 950}, Other.UNHEARD, L.UNKNOWN),
    ("tries again", (*second(H.ENQUEUE, H.READY, H.CLAIM, H.START),
     record(H.TERMINAL, 20, run="r2", outcome="retrying")), {}, Other.WAITING, L.CAN_START),
    ("failed, too", (*second(H.ENQUEUE, H.READY, H.CLAIM, H.START),
     record(H.TERMINAL, 50, run="r2", outcome="failed")), {}, Other.NONE, L.CANNOT),
]  # fmt: skip


@pytest.mark.parametrize(("more", "fields", "others", "liveness"), [b[1:] for b in BESIDE], ids=[b[0] for b in BESIDE])
def test_safety_a_second_run_of_a_failed_original_counts(more, fields, others, liveness):
    records = (*up_to(H.START), FAILED, *more)
    assert around_of(records, **fields)[1].others is others
    assert lives(records, **fields)[1].liveness is liveness


def test_safety_the_success_of_another_run_is_known():
    ended = record(H.TERMINAL, 50, run="r2")
    _, found = around_of((*up_to(H.START), FAILED, *second(H.ENQUEUE, H.READY, H.CLAIM, H.START), ended))
    assert (found.succeeded_at, found.others) == (at(50), Other.NONE)
    assert around_of((*up_to(H.START), FAILED))[1].succeeded_at is None


RISK = list(L)


def grid():
    """Every trail under every combination of the circumstances it looks at."""
    for trail, said in SAID.items():
        for around in circumstances(LOOKED_AT[trail]):
            yield said, around, liveness_of(said, around)


def test_safety_nothing_that_is_seen_beside_the_path_makes_the_original_less_alive():
    walked = 0
    for said, around, held in grid():
        clear = around.surroundings
        for found in (
            *(replace(clear, **{name: True}) for name in ("gap", "stray")),
            *(replace(clear, others=others) for others in Other),
        ):
            walked += 1
            riskier = liveness_of(said, replace(around, surroundings=found))
            assert RISK.index(riskier.liveness) >= RISK.index(held.liveness)
            assert riskier.sentence.endswith(".")
    assert walked > 1_000


UNKNOWN = {
    "later_due_ticked": None,
    "enforces_expiry": None,
    "revoke_acknowledged": False,
    "queue_read": QueueRead.NOT_READ,
    "claimer": Claimer.UNKNOWN,
    "retries_left": None,
    "redelivery_pending": None,
    "provable": False,
    "revoke_stops_started": None,
    "surroundings": None,
}


@pytest.mark.parametrize("name", sorted(UNKNOWN))
def test_safety_a_circumstance_nobody_gathered_never_makes_the_original_dead(name):
    for said, around, held in grid():
        known = {"queue_read": (QueueRead.NOT_READ, QueueRead.GONE), "redelivery_pending": (None, False)}
        if name in known and getattr(around, name) not in known[name]:
            continue  # a read that found the message speaks for life: leaving it out is no step of this kind
        gone = around.revoke_acknowledged and around.queue_read is QueueRead.GONE
        if name == "claimer" and gone and around.revoke_stops_started:
            continue  # the revoke ends it here, not the heartbeat
        found = liveness_of(said, replace(around, **{name: UNKNOWN[name]}))
        assert found.liveness is not L.CANNOT or held.liveness is L.CANNOT


def test_safety_without_a_look_at_the_surroundings_only_a_success_is_over():
    for said, around, _ in grid():
        found = liveness_of(said, replace(around, surroundings=None))
        assert found.liveness is not L.CANNOT or trail_of(said) is T.SUCCEEDED


def test_safety_surroundings_hide_nothing_that_was_not_known_yet():
    records = (*up_to(H.START), FAILED, *second(H.ENQUEUE, H.READY, received_at=at(800)))
    assert around_of(records, as_of=700)[1] == Surroundings(gap=False, stray=False, others=Other.NONE)
    assert around_of(records, as_of=801)[1].others is Other.WAITING
