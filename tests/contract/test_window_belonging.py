"""Which evidence belongs to which occurrence, and which slots it took."""

from datetime import timedelta

from occurrences.contract.window_belonging import belonging
from occurrences.contract.windows import named
from tests.contract.window_documents import MIDNIGHT, event, moment, name, path, window


def held(*events, at: float = 3, **fields):
    return belonging(window(*events, **fields), MIDNIGHT + timedelta(hours=at))


def lying(*events, **fields) -> dict[str, list[str]]:
    found = held(*events, **fields).records
    return {named(home): [record.handoff.word for record in records] for home, records in found.items()}


def taken(*events, **fields) -> list[tuple[str, float, float | None]]:
    due = MIDNIGHT + timedelta(hours=1)
    return [
        (use.worker, (use.start - due).total_seconds(), (use.end - due).total_seconds() if use.end else None)
        for use in held(*events, **fields).slots
    ]


def replay(hour: float, at: float) -> dict:
    return {"decision": "replay", "occurrence": name(hour), "at": moment(hour, at), "recovery_id": "rec"}


def test_a_run_belongs_to_what_its_earliest_handoff_names_in_whatever_order_it_arrives():
    late = event("start", 1, 5, occurrence=name(2))
    assert lying(late, event("claim", 1, 900), event("enqueue", 1, 2)) == {name(1): ["enqueue", "start", "claim"]}
    assert lying(late) == {name(2): ["start"]}
    assert lying(event("ready", 1, 3), event("expiration", 1, 9)) == {}


def test_a_lower_handoff_that_arrives_later_moves_the_run():
    events = [event("start", 1, 5, occurrence=name(2)), event("enqueue", 1, 2, recorded_at=moment(2, 30))]
    assert set(belonging(window(*events), MIDNIGHT + timedelta(hours=2)).records) == {window().identity(at(2))}
    assert lying(*events) == {name(1): ["start", "enqueue"]}


def at(hour: float):
    return MIDNIGHT + timedelta(hours=hour)


def test_every_time_that_a_tick_or_a_scheduled_run_names_is_listed():
    names = held(event("tick", 1, 1), event("enqueue", 1, 2), event("start", 1, 5, occurrence=name(1.5))).names
    assert {named(each) for each in names} == {name(1), name(1.5)}


def test_a_recovery_id_belongs_to_its_decision_and_its_names_add_nothing():
    events = [event("start", 2, 5, run="rec", occurrence=name(2.5)), event("terminal", 2, 9, run="rec")]
    found = held(*events, decisions=[replay(1, 900)])
    assert [(named(home), [record.recovery for record in records]) for home, records in found.records.items()] == [
        (name(1), [1, 1])
    ]
    assert found.names == frozenset()


def test_the_same_event_counts_once_and_the_first_received_counts():
    twice = [event("start", 1, 5, event_id="e", recorded_at=moment(1, 90)), event("claim", 1, 4, event_id="e")]
    assert lying(event("enqueue", 1, 2), *twice) == {name(1): ["enqueue", "claim"]}
    assert lying(event("tick", 1, 1, recorded_at=moment(4))) == {}


def test_an_event_without_a_run_lies_where_it_names():
    assert lying(event("claim", 1, 4, run=None, occurrence=name(1))) == {name(1): ["claim"]}


def test_a_slot_is_taken_from_claim_to_end_of_each_delivery_and_never_before_the_run_was_ready():
    assert taken(*path(1)) == [("w1", 4, 40)]
    assert taken(*path(1, "start")) == [("w1", 4, None)]
    assert taken(*path(1, claim=-600)) == [("w1", 3, 40)]
    again = [event("terminal", 1, 30, outcome="failed"), event("claim", 1, 60), event("start", 1, 61)]
    assert taken(*path(1, "start", run="run"), *again) == [("w1", 4, 30), ("w1", 60, None)]


def test_a_slot_is_free_once_the_message_was_thrown_away_or_another_copy_ended():
    assert taken(*path(1, "claim", run="run"), event("expiration", 1, 9)) == [("w1", 4, 9)]
    other = {"owner": "w2"}
    copy = [event("claim", 1, 60, **other), event("start", 1, 61, **other), event("terminal", 1, 90, **other)]
    assert taken(*path(1, "claim", run="run"), *copy) == [("w1", 4, 90), ("w2", 60, 90)]


def test_replays_and_strays_take_slots_too():
    replayed = [event("claim", 1, 300, run="rec"), event("terminal", 1, 400, run="rec")]
    stray = event("claim", 1, 50, run="stray", occurrence=name(0.5))
    assert taken(*replayed, stray, decisions=[replay(0, 100)]) == [("w1", 300, 400), ("w1", 50, None)]
