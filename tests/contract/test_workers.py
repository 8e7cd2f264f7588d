"""Which workers were up, and with free slots."""

from dataclasses import replace

from occurrences.contract.workers import SlotUse, had_free_slot, known_at, row_in_force
from tests.contract.evidence import at, worker


def use(start, end=None, name="w1"):
    return SlotUse(worker=name, start=at(start), end=at(end) if end is not None else None)


def free(row, *uses, start=0, end=100):
    return had_free_slot(row, uses, start=at(start), end=at(end))


def test_a_worker_is_up_from_its_first_moment_to_just_before_its_last():
    row = worker(up_from=0, up_to=10)
    assert row.up_at(at(0))
    assert not row.up_at(at(10))


def test_a_slot_must_be_free_all_the_way():
    assert free(worker(capacity=1))
    assert not free(worker(capacity=0))
    assert not free(worker(capacity=1), use(-10))
    assert not free(worker(capacity=1), use(50, 60))
    assert free(worker(capacity=2), use(50, 60))
    assert not free(worker(capacity=2), use(10, 60), use(50, 90))
    assert free(worker(capacity=2), use(10, 50), use(50, 90))
    assert free(worker(capacity=1), use(-10, 0), use(101))


def test_a_worker_up_for_a_part_only_had_no_free_slot():
    assert not free(worker(up_from=1))
    assert not free(worker(up_to=100))
    assert free(worker(up_to=101))


def test_slots_of_another_worker_or_an_earlier_life_do_not_count():
    assert free(worker(capacity=1), use(10, name="w2"))
    assert free(worker(up_from=-5, capacity=1), use(-50))


def test_the_row_in_force_is_the_one_that_was_up_then():
    first, second = worker(up_to=10), worker(up_from=20)
    assert row_in_force((first, second), worker="w1", pid=None, at=at(5)) == first
    assert row_in_force((first, second), worker="w1", pid=None, at=at(15)) is None
    assert row_in_force((first, second), worker="w2", pid=None, at=at(5)) is None


def test_an_end_that_lies_ahead_is_not_known_yet():
    (row,) = known_at((worker(up_to=50), worker(up_from=60)), at(49))
    assert row.up_to is None


def test_a_worker_serves_its_queues_and_any_where_either_is_not_known():
    row = replace(worker(), queues=("default", "slow"))
    assert row.serves("slow")
    assert not row.serves("fast")
    assert row.serves(None)
    assert worker().serves("fast")
