"""Where the evidence of a role is complete."""

from dataclasses import replace

from occurrences.contract.coverage import COMPLETE, Coverage, Stretch
from occurrences.contract.handoffs import Role
from tests.contract.evidence import at, covered

S, W = Role.SCHEDULER, Role.WORKERS


def test_stretches_that_touch_are_one():
    coverage = covered((0, 10), (10, 20), (30, 40))
    assert coverage.unbroken(S, at(0), at(20))
    assert not coverage.unbroken(S, at(0), at(21))
    assert not coverage.unbroken(S, at(15), at(35))


def test_coverage_ends_where_its_last_stretch_ends_and_never_after_the_moment():
    coverage = covered((0, 10), (30, 40))
    assert coverage.covered_to(W, at(100)) == at(40)
    assert coverage.covered_to(W, at(35)) == at(35)
    assert coverage.covered_to(W, at(20)) == at(10)
    assert coverage.covered_to(W, at(-1)) is None


def test_a_role_whose_spools_are_all_closed_is_covered_to_now():
    coverage = covered((0, 10), roles=(S,), to_now=True)
    assert coverage.covered_to(S, at(500)) == at(500)
    assert coverage.at(at(500)).unbroken(S, at(5), at(499))
    assert coverage.covered_to(W, at(500)) is None


def test_a_role_never_heard_of_stays_blind():
    assert Coverage(provable=True, to_now=frozenset({S})).covered_to(S, at(0)) is None


def test_a_gap_closed_later_counts_from_the_moment_it_was_known():
    late = Stretch(start=at(10), end=at(30), role=S, known_at=at(100))
    coverage = replace(covered((0, 10), (30, 40)), stretches=(*covered((0, 10), (30, 40)).stretches, late))
    assert not coverage.at(at(99)).unbroken(S, at(0), at(40))
    assert coverage.at(at(100)).unbroken(S, at(0), at(40))


def test_the_clock_and_a_source_that_cannot_prove_are_always_covered():
    assert Coverage(provable=True).unbroken(Role.CLOCK, at(0), at(10))
    assert COMPLETE.unbroken(W, at(0), at(10))
    assert COMPLETE.covered_to(W, at(7)) == at(7)


def test_blindness_begins_where_the_last_stretch_before_it_ended():
    coverage = covered((0, 10), (30, 40))
    assert coverage.blind_since(S, at(20)) == at(10)
    assert coverage.blind_since(S, at(35)) == at(10)
    assert coverage.blind_since(S, at(5)) is None
