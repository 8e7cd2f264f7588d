"""Whether the original can still run (safety contract, 4.3)."""

from dataclasses import replace
from datetime import timedelta
from itertools import product

import pytest

from occurrences.contract.catch_ups import CATCH_UPS, NOT_KNOWN
from occurrences.contract.liveness import Claimer, Liveness, QueueRead, liveness_of
from occurrences.contract.trails import Trail, trail_of
from tests.contract.safety_ground import AROUND, EXPIRED_ON_RECORD, SAID, WAITING

T, L = Trail, Liveness
GONE, HELD = {"queue_read": QueueRead.GONE}, {"queue_read": QueueRead.WAITING}
REVOKED = GONE | {"revoke_acknowledged": True}
FRESH, LOST = {"claimer": Claimer.FRESH}, {"claimer": Claimer.LOST}
DIES = {"enforces_expiry": True}
BACK = {"redelivery_pending": True}

CASES = [
    (T.MISSING_TICK, {}, L.CAN_START, "may still fire it late, until a later due time is acted on"),
    (T.MISSING_TICK, {"catch_up": CATCH_UPS["temporal"]}, L.CAN_START, "until 2026-01-15 02:30:00Z"),
    (T.MISSING_TICK, {"catch_up": CATCH_UPS["fugit"]}, L.CANNOT, "makes up for nothing"),
    (T.MISSING_TICK, {"catch_up": CATCH_UPS["apscheduler"]}, L.CANNOT, "ended at 02:30:01Z"),
    (T.MISSING_TICK, {"catch_up": NOT_KNOWN}, L.UNKNOWN, "whether its scheduler makes up for it is not known"),
    (T.MISSING_TICK, {"later_due_ticked": True}, L.CANNOT, "gone on to a later due time"),
    (T.MISSING_TICK, {"later_due_ticked": True, "provable": False}, L.UNKNOWN, "cannot prove"),
    (T.MISSING_TICK, {"later_due_ticked": True} | HELD, L.CAN_START, "whatever the records say"),
    (T.MISSING_ENQUEUE, {}, L.UNKNOWN, "may try again"),
    (T.MISSING_ENQUEUE, {"later_due_ticked": True}, L.CANNOT, "gone on to a later due time"),
    (T.NOT_READY, {}, L.UNKNOWN, "never seen ready"),
    (T.NOT_READY, HELD, L.CAN_START, "The queue was read and holds it"),
    (T.NOT_READY, REVOKED, L.CANNOT, "revoked"),
    (T.DELAYED_CLAIM, {}, L.CAN_START, "waits in the queue"),
    (T.DELAYED_CLAIM, GONE, L.UNKNOWN, "somebody may have it"),
    (T.DELAYED_CLAIM, REVOKED, L.CANNOT, "revoked"),
    (T.DELAYED_CLAIM, {"revoke_acknowledged": True}, L.CAN_START, "waits in the queue"),
    (T.EXPIRED_UNCLAIMED, {}, L.UNKNOWN, "by the clock"),
    (T.EXPIRED_UNCLAIMED, DIES | HELD, L.CANNOT, "throw expired messages away"),
    (T.EXPIRED_UNCLAIMED, HELD, L.CAN_START, "holds it"),
    (T.CLAIMED_NOT_STARTED, {}, L.CAN_START, "may start it at any moment"),
    (T.CLAIMED_NOT_STARTED, FRESH, L.CAN_START, "may start it at any moment"),
    (T.CLAIMED_NOT_STARTED, LOST, L.UNKNOWN, "whether its message is handed out again is not known"),
    (T.CLAIMED_NOT_STARTED, LOST | BACK, L.CAN_START, "hand its message out again"),
    (T.CLAIMED_NOT_STARTED, REVOKED, L.CANNOT, "revoked"),
    (T.STARTED_NO_TERMINAL, FRESH, L.RUNNING, "its worker is alive"),
    (T.STARTED_NO_TERMINAL, FRESH | {"run": timedelta(hours=1)}, L.UNKNOWN, "more than 1 h ago"),
    (T.STARTED_NO_TERMINAL, {}, L.UNKNOWN, "may still run unseen"),
    (T.STARTED_NO_TERMINAL, LOST, L.UNKNOWN, "may still run unseen"),
    (T.STARTED_NO_TERMINAL, LOST | BACK, L.CAN_START, "hand its message out again"),
    (T.STARTED_NO_TERMINAL, LOST | HELD, L.CAN_START, "still holds its message"),
    (T.STARTED_NO_TERMINAL, FRESH | REVOKED, L.RUNNING, "its worker is alive"),
    (T.STARTED_NO_TERMINAL, LOST | REVOKED, L.UNKNOWN, "may still run unseen"),
    (T.STARTED_NO_TERMINAL, LOST | REVOKED | {"revoke_stops_started": True}, L.CANNOT, "revoked"),
    (T.FAILED, {}, L.UNKNOWN, "whether an automatic retry is left is not known"),
    (T.FAILED, {"retries_left": 0}, L.CANNOT, "no automatic retry is left"),
    (T.FAILED, {"retries_left": 2}, L.CAN_START, "starts again by itself"),
    (T.FAILED, {"retries_left": 0} | BACK, L.CAN_START, "still in the queue"),
    (T.SUCCEEDED, {}, L.CANNOT, "succeeded"),
    (T.BLIND, {}, L.UNKNOWN, "unseen"),
    (T.BLIND, HELD, L.CAN_START, "holds it"),
]  # fmt: skip


@pytest.mark.parametrize(("trail", "fields", "wanted", "words"), CASES)
def test_safety_liveness_of_each_trail(trail, fields, wanted, words):
    found = liveness_of(SAID[trail], replace(AROUND, **fields))
    assert found.liveness is wanted
    assert words in found.sentence


@pytest.mark.parametrize("name", list(WAITING))
def test_safety_calls_nothing_dead_that_is_not_late_yet(name):
    around = replace(AROUND, catch_up=CATCH_UPS["fugit"], claimer=Claimer.FRESH)
    wanted = L.RUNNING if name == "not ended yet" else L.CAN_START
    assert liveness_of(WAITING[name], replace(around, as_of=AROUND.as_of)).liveness is wanted


def test_safety_takes_a_recorded_expiration_for_the_end():
    assert liveness_of(EXPIRED_ON_RECORD, AROUND).liveness is L.CANNOT


GRID = {
    "catch_up": [CATCH_UPS[name] for name in ("fugit", "celery-beat", "apscheduler", "croniter")],
    "later_due_ticked": [True, False, None],
    "enforces_expiry": [True, False, None],
    "revoke_acknowledged": [True, False],
    "queue_read": list(QueueRead),
    "claimer": list(Claimer),
    "retries_left": [0, 2, None],
    "redelivery_pending": [True, False, None],
    "provable": [True, False],
    "revoke_stops_started": [True, None],
}
# What each trail does not look at stays at its first value, so that the grid is walked in seconds.
LOOKED_AT = {
    T.MISSING_TICK: ("catch_up", "later_due_ticked", "queue_read", "provable"),
    T.MISSING_ENQUEUE: ("catch_up", "later_due_ticked", "queue_read", "provable"),
    T.NOT_READY: ("enforces_expiry", "revoke_acknowledged", "queue_read"),
    T.DELAYED_CLAIM: ("enforces_expiry", "revoke_acknowledged", "queue_read"),
    T.EXPIRED_UNCLAIMED: ("enforces_expiry", "revoke_acknowledged", "queue_read"),
    T.CLAIMED_NOT_STARTED: ("revoke_acknowledged", "queue_read", "claimer", "redelivery_pending"),
    T.STARTED_NO_TERMINAL: (
        "revoke_acknowledged",
        "revoke_stops_started",
        "queue_read",
        "claimer",
        "redelivery_pending",
    ),
    T.FAILED: ("queue_read", "retries_left", "redelivery_pending"),
    T.SUCCEEDED: ("queue_read",),
    T.BLIND: ("revoke_acknowledged", "queue_read", "claimer", "redelivery_pending"),
}


def circumstances(names):
    """Every combination of the named circumstances."""
    for values in product(*(GRID[name] for name in names)):
        yield replace(AROUND, **dict(zip(names, values, strict=True)))


def reachable() -> set[tuple[Trail, Liveness]]:
    """Every trail with every liveness that some circumstances give it: what is consistent."""
    return {
        (trail, liveness_of(said, around).liveness)
        for trail, said in SAID.items()
        for around in circumstances(LOOKED_AT[trail])
    }


def test_safety_a_lost_heartbeat_never_makes_the_original_dead():
    for trail, said in SAID.items():
        for around in circumstances([name for name in LOOKED_AT[trail] if name != "claimer"]):
            fresh, lost = (
                liveness_of(said, replace(around, claimer=c)).liveness for c in (Claimer.FRESH, Claimer.LOST)
            )
            revoked = around.revoke_acknowledged and around.queue_read is QueueRead.GONE
            revoked &= trail is not T.STARTED_NO_TERMINAL or bool(around.revoke_stops_started)
            assert lost is not L.CANNOT or fresh is L.CANNOT or revoked
            assert (fresh, lost, revoked) != (L.RUNNING, L.CANNOT, False)


def test_safety_what_nobody_gathered_never_makes_the_original_dead():
    for trail, said in SAID.items():
        found = liveness_of(said, replace(AROUND, catch_up=NOT_KNOWN, provable=False)).liveness
        assert found is not L.CANNOT or trail is T.SUCCEEDED


def test_safety_only_what_a_trail_looks_at_changes_its_liveness():
    for trail, said in SAID.items():
        assert trail_of(said) is trail
        for name in set(GRID) - set(LOOKED_AT[trail]) - {"enforces_expiry"}:
            assert len({liveness_of(said, replace(AROUND, **{name: value})) for value in GRID[name]}) == 1, (
                trail,
                name,
            )


def test_safety_the_pairs_that_can_be():
    found = reachable()
    assert {trail for trail, _ in found} == set(Trail)
    assert {trail for trail, liveness in found if liveness is L.RUNNING} == {T.STARTED_NO_TERMINAL}
    assert {trail for trail, liveness in found if liveness is L.UNKNOWN} == set(Trail) - {T.SUCCEEDED}
