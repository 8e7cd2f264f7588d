"""Races that really happen: each test sees the contenders wait on the lock before it lets them go."""

from datetime import timedelta

import pytest
from django.contrib.auth.models import User

from occurrences.contract.occurrences import Identity
from occurrences.models import Absence, AuditEntry, HandoffRecord, Occurrence, Sweep, WorkItem
from occurrences.services import audit, people
from occurrences.services.absences import sweep
from tests import races, wire
from tests.wire import T0, record

pytestmark = pytest.mark.django_db(transaction=True)
SECOND, MINUTE = timedelta(seconds=1), timedelta(minutes=1)
START = T0 - 2 * MINUTE


@pytest.fixture(autouse=True)
def source():
    return wire.source(now=START)


def key() -> object:
    return Identity(source=wire.SOURCE, schedule_key="nightly", due_at=T0).key


def test_the_same_batch_from_two_senders_at_once_is_stored_once():
    record([wire.schedule(), *wire.watched(START)], now=START)
    lock = ("SELECT 1 FROM occurrences_occurrence WHERE key = %s FOR UPDATE", key())
    both = races.meet(lock=lock, work=lambda: record(wire.full_path(), now=T0 + 5 * SECOND))
    assert sorted((c.accepted, c.duplicate) for c in both) == [(0, 5), (5, 0)]
    assert HandoffRecord.objects.count() == 5
    assert Occurrence.objects.get(due_at=T0).verdict == "on-time"


def test_two_batches_that_complete_each_other_leave_the_verdict_of_both():
    record([wire.schedule(), *wire.watched(START)], now=START)
    halves = [wire.full_path()[:3], wire.full_path()[3:]]
    lock = ("SELECT 1 FROM occurrences_occurrence WHERE key = %s FOR UPDATE", key())
    races.meet(lock=lock, work=lambda: record(halves.pop(), now=T0 + 5 * SECOND))
    assert Occurrence.objects.get(due_at=T0).verdict == "on-time"


def test_two_sweeps_at_once_open_one_work_item_and_flag_each_once():
    record([wire.schedule(at=START, rule="every 5s"), *wire.watched(START)], now=START)
    now = START + 5 * MINUTE
    record(wire.covered(now), now=now)
    source_id = Occurrence.objects.first().source_id
    lock = ("SELECT pg_advisory_xact_lock(7017003, hashtext(%s))", f"work item|{source_id}|1|missing-tick")
    races.meet(lock=lock, work=lambda: sweep(by="tests", now=now, page=20))
    flagged = Occurrence.objects.filter(verdict="missing-tick").count()
    assert flagged == Absence.objects.count() == Absence.objects.values("occurrence").distinct().count() == 48
    assert WorkItem.objects.count() == 1
    assert sum(s.opened for s in Sweep.objects.all()) == 1


def test_a_row_somebody_holds_is_left_to_the_next_sweep():
    record([wire.schedule(at=START), *wire.watched(START)], now=START)
    now = START + 5 * MINUTE
    record(wire.covered(now), now=now)
    with races.held("SELECT 1 FROM occurrences_occurrence WHERE key = %s FOR UPDATE", key()):
        sweep(by="tests", now=now)
        assert Occurrence.objects.get(due_at=T0).verdict == "not-due"
    sweep(by="tests", now=now)
    assert Occurrence.objects.get(due_at=T0).verdict == "missing-tick"


def test_a_sign_in_link_lets_in_one_of_two():
    token = people.add_person(name="ada", role="admin", by="tests", now=T0)
    lock = ("SELECT 1 FROM occurrences_signinlink FOR UPDATE",)
    both = races.meet(lock=lock, work=lambda: people.use_link(token=token, now=T0 + SECOND))
    assert sorted(b is None for b in both) == [False, True]
    assert User.objects.get().username == "ada"


def test_audit_rows_written_at_once_stay_one_chain():
    lock = ("SELECT pg_advisory_xact_lock(%s)", audit.CHAIN_LOCK)

    def write() -> object:
        from django.db import transaction

        with transaction.atomic():
            return audit.write(by="tests", act="act", subject="subject", now=T0)

    races.meet(lock=lock, work=write, times=4)
    rows = list(AuditEntry.objects.order_by("id"))
    assert [r.previous for r in rows[1:]] == [r.digest for r in rows[:-1]]


def test_a_batch_that_cannot_have_its_locks_stores_nothing_and_says_so():
    from occurrences.services.handoffs import Busy

    record([wire.schedule(), *wire.watched(START)], now=START)
    with races.held("SELECT 1 FROM occurrences_occurrence WHERE key = %s FOR UPDATE", key()), pytest.raises(Busy):
        record(wire.full_path(), now=T0 + 5 * SECOND)
    assert not HandoffRecord.objects.exists()
