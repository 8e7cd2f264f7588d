"""The outbox reaches the target once, whatever dies on the way; only the target's own evidence counts."""

from datetime import timedelta
from uuid import uuid4

import pytest
from django.db import connection

from occurrences.contract.decisions import Choice
from occurrences.models import Occurrence, Quarantine, Readback, Replay, WorkItem, WorkItemEntry
from occurrences.services.absences import sweep
from occurrences.services.decisions import Blocked
from occurrences.services.replays import dispatch, dispatching, read_back
from tests import recovery, wire
from tests.recovery import NOW, TARGETS, FakeTarget, M, S, decided, missed, ran
from tests.wire import T0, coverage, handoff, record

pytestmark = pytest.mark.django_db


@pytest.fixture
def target(monkeypatch):
    fake = FakeTarget()
    monkeypatch.setattr(dispatching, "target_of", lambda source, known: fake if source in known else None)
    monkeypatch.setattr(dispatching, "database_now", lambda: NOW + S)
    return fake


@pytest.fixture
def replay(target) -> Replay:
    decided(missed())
    return Replay.objects.get()


def round_of_dispatch() -> int:
    return dispatch(targets=TARGETS, by="tests", now=NOW)


def settle(*, after: timedelta = 5 * S) -> Replay:
    record(wire.covered(NOW + after), now=NOW + after)
    sweep(by="tests", now=NOW + after)
    read_back(by="tests", now=NOW + after)
    sweep(by="tests", now=NOW + after + S)
    return Replay.objects.get()


def test_the_message_carries_the_original_identity_and_the_recovery(replay, target):
    assert round_of_dispatch() == 1
    message = target.sent[0]
    assert (str(message.identity), message.recovery_id) == (str(replay.occurrence.identity), replay.recovery_id)
    assert (message.task, message.queue, message.not_after) == ("billing.run", "billing", replay.not_after)


def test_a_second_round_sends_nothing(replay, target):
    assert [round_of_dispatch() for _ in range(3)] == [1, 0, 0]


def test_killed_before_it_was_sent_it_is_sent_by_the_next_round(replay, target):
    target.fails = "before"
    assert round_of_dispatch() == 0
    target.fails = None
    assert round_of_dispatch() == 0  # looked for first: nobody knows whether it was taken
    record([coverage("workers", NOW + 9 * S, spool="worker")], now=NOW + 9 * S)
    assert round_of_dispatch() == 1
    assert len(target.sent) == 1


def test_what_the_target_certainly_refused_ends_there_and_says_why(replay, target):
    target.fails = "refused"
    assert round_of_dispatch() == 0
    ended = Replay.objects.get()
    assert (ended.closed_as, ended.published_at) == ("refused", None)
    line = WorkItemEntry.objects.get(kind="recovery refused")
    assert line.text == "Not sent: its target refused it: the receiver answered 410."
    target.fails = None
    assert round_of_dispatch() == 0
    assert not target.sent


def test_killed_between_sending_and_noting_it_is_found_and_not_sent_again(replay, target):
    target.fails = "after"
    round_of_dispatch()
    target.fails = None
    assert [round_of_dispatch() for _ in range(3)] == [0, 0, 0]
    assert len(target.sent) == 1
    assert Replay.objects.get().published_at is not None


def test_taken_and_finished_before_anybody_looked_it_is_not_sent_again(replay, target):
    target.fails = "after"
    round_of_dispatch()
    target.queue.clear()
    target.fails = None
    assert round_of_dispatch() == 0
    record(ran(replay.recovery_id), now=NOW + 4 * S)  # what the worker wrote arrives after the look
    record([coverage("workers", NOW + 9 * S, spool="worker")], now=NOW + 9 * S)
    assert [round_of_dispatch() for _ in range(2)] == [0, 0]
    assert len(target.sent) == 1


def test_while_the_workers_evidence_is_not_complete_nothing_is_sent_again(replay, target):
    target.fails = "before"
    round_of_dispatch()
    target.fails = None
    assert [round_of_dispatch() for _ in range(3)] == [0, 0, 0]


def test_a_dispatcher_that_is_still_at_it_keeps_a_second_one_out(replay, target):
    from tests import races

    lock = ("SELECT pg_advisory_lock(%s, hashtext(%s))", dispatching.LOCK, str(replay.recovery_id))
    with races.held(*lock):
        assert round_of_dispatch() == 0
    assert round_of_dispatch() == 1


def test_a_run_under_the_original_identity_is_read_back_and_verified(replay, target):
    round_of_dispatch()
    record(ran(replay.recovery_id), now=NOW + 4 * S)
    ended = settle()
    assert ended.closed_as == "verified"
    assert set(Readback.objects.values_list("part", "result")) == {("RB1", "equal"), ("RB2", "clean")}
    row = Occurrence.objects.get(key=replay.occurrence_id)
    assert (row.verdict, row.first_absent) == ("recovered", 1)
    item = WorkItem.objects.get()
    assert (item.closed_as, item.absences.get().closed_as) == ("by itself", "recovered")


def test_what_a_verified_recovery_has_done_is_not_decided_again(replay, target):
    round_of_dispatch()
    record(ran(replay.recovery_id), now=NOW + 4 * S)
    settle()
    again = recovery.SimpleNamespace(key=replay.occurrence_id, owner=recovery.person("olga", "owner", "Billing"))
    with pytest.raises(Blocked, match="succeeded"):
        decided(again, now=NOW + 20 * S)


def test_what_the_sender_says_is_no_readback(replay, target):
    round_of_dispatch()
    sent = [handoff("enqueue", NOW + S, run=str(replay.recovery_id), recovery=str(replay.recovery_id))]
    record(sent, now=NOW + 2 * S)
    assert settle().closed_as is None
    assert not Readback.objects.exists()


@pytest.mark.parametrize(
    ("altered", "named"),
    [
        ({"key": "weekly"}, "schedule key"),
        ({"due": T0 + M}, "due time"),
        ({"recovery": str(uuid4())}, "recovery id"),
    ],
)
def test_a_recovery_that_reports_another_identity_is_a_mismatch_and_never_verified(replay, target, altered, named):
    round_of_dispatch()
    before = Occurrence.objects.count()
    record(ran(replay.recovery_id, **altered), now=NOW + 4 * S)
    ended = settle()
    assert ended.closed_as == "mismatch"
    assert Readback.objects.get(part="RB1").found["mismatching"] == [named]
    assert Occurrence.objects.count() == before  # a replay never makes an occurrence
    assert WorkItem.objects.get().closed_at is None


def test_a_recovery_that_reports_another_source_is_a_mismatch(replay, target):
    round_of_dispatch()
    other = wire.sources.register(name="celery:other", by="tests", now=NOW)
    record(ran(replay.recovery_id, name="celery:other"), now=NOW + 4 * S, of=other)
    assert settle().closed_as == "mismatch"
    assert Readback.objects.get(part="RB1").found["mismatching"] == ["source"]


def test_a_record_that_names_a_recovery_nobody_decided_is_kept_in_quarantine(replay, target):
    unknown = handoff("claim", NOW, run="x", recovery=str(uuid4()))
    assert record([unknown], now=NOW).quarantined == 1
    assert "nobody decided" in Quarantine.objects.get().reason


def test_a_recovery_that_never_reports_is_flagged_once_when_its_readback_time_is_over(replay, target):
    round_of_dispatch()
    for minutes in (16, 17, 18):
        settle(after=minutes * M)
    assert Replay.objects.get().closed_as == "unverified"
    assert Occurrence.objects.get(key=replay.occurrence_id).verdict == "recovery-unverified"
    assert WorkItem.objects.filter(closed_at=None).count() == 1


def test_an_original_that_starts_after_all_makes_a_double_run(replay, target):
    round_of_dispatch()
    record(ran(replay.recovery_id), now=NOW + 4 * S)
    late = [b | {"observed_at": wire.text(NOW + 4 * S)} for b in wire.full_path()]
    record(late, now=NOW + 5 * S)
    ended = settle(after=10 * S)
    assert ended.closed_as == "double-run"
    row = Occurrence.objects.get(key=replay.occurrence_id)
    assert row.verdict == "duplicate"
    assert WorkItem.objects.filter(closed_at=None, priority=1).count() == 1


def test_a_replay_that_fails_ends_as_failed_and_can_be_decided_again(replay, target):
    round_of_dispatch()
    records = ran(replay.recovery_id)
    records[-1]["outcome"] = "failed"
    record(records, now=NOW + 4 * S)
    assert settle().closed_as == "failed"
    again = recovery.SimpleNamespace(key=replay.occurrence_id, owner=recovery.person("olga", "owner", "Billing"))
    assert decided(again, now=NOW + 20 * S).decision.number == 2
    assert Replay.objects.order_by("-recovery_number").first().recovery_number == 2


def test_a_skip_sends_nothing(target):
    decided(missed(), Choice.SKIP)
    assert round_of_dispatch() == 0


def test_one_live_replay_is_an_index_and_not_a_promise():
    with connection.cursor() as cursor:
        cursor.execute("SELECT indexdef FROM pg_indexes WHERE indexname = 'replay_one_live_per_occurrence'")
        assert "UNIQUE" in cursor.fetchone()[0]


def test_an_original_that_succeeded_before_the_message_was_sent_refuses_it(replay, target):
    late = [b | {"observed_at": wire.text(NOW)} for b in wire.full_path()]
    record(late, now=NOW)
    assert round_of_dispatch() == 0
    assert (target.sent, Replay.objects.get().closed_as) == ([], "refused")
    sweep(by="tests", now=NOW + S)
    assert Occurrence.objects.get(key=replay.occurrence_id).verdict == "late-enqueue"


def test_with_a_hole_in_the_workers_evidence_nothing_is_sent_a_second_time(replay, target):
    target.fails = "before"
    round_of_dispatch()
    target.fails = None
    round_of_dispatch()
    record([coverage("workers", NOW + 9 * S, spool="worker", first=5, last=6)], now=NOW + 9 * S)
    assert [round_of_dispatch() for _ in range(2)] == [0, 0]


def test_a_retry_of_the_recovery_is_no_end_of_it(replay, target):
    round_of_dispatch()
    records = ran(replay.recovery_id)
    records[-1]["outcome"] = "retrying"
    record(records, now=NOW + 4 * S)
    assert settle().closed_as is None
    with pytest.raises(Blocked, match="under way"):
        decided(again(replay), now=NOW + 20 * S)


def test_while_a_recovery_that_was_given_up_may_still_run_no_other_is_decided(replay, target):
    round_of_dispatch()
    record(ran(replay.recovery_id, ["claim", "start"], due=T0 + M), now=NOW + 4 * S)
    assert settle().closed_as == "mismatch"
    with pytest.raises(Blocked, match="under way"):
        decided(again(replay), now=NOW + 20 * M)
    ended = ran(replay.recovery_id, ["terminal"], due=T0 + M)
    record(ended, now=NOW + 21 * M)
    assert decided(again(replay), now=NOW + 22 * M).decision.number == 2


def test_a_second_success_after_it_was_verified_opens_the_work_item_again_at_p1(replay, target):
    round_of_dispatch()
    record(ran(replay.recovery_id), now=NOW + 4 * S)
    assert settle().closed_as == "verified"
    twice = ran(replay.recovery_id, delivery=2)
    record([b | {"observed_at": wire.text(NOW + 10 * S)} for b in twice], now=NOW + 11 * S)
    sweep(by="tests", now=NOW + 12 * S)
    assert WorkItem.objects.filter(closed_at=None, priority=1).count() == 1


def test_one_replay_that_cannot_be_sent_does_not_keep_the_others(replay, target, monkeypatch):
    def broken(message: object) -> None:
        raise KeyError("no such transport")

    monkeypatch.setattr(target, "publish", broken)
    assert round_of_dispatch() == 0  # noted in the log, not raised


def again(replay: Replay) -> recovery.SimpleNamespace:
    return recovery.SimpleNamespace(key=replay.occurrence_id, owner=recovery.person("olga", "owner", "Billing"))
