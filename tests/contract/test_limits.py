"""A moment by which something had to come, and whether its absence is certain."""

from dataclasses import replace

from occurrences.contract.handoffs import Role
from occurrences.contract.limits import Proof
from occurrences.contract.questions import as_known
from tests.contract.evidence import ALWAYS, NEVER, at, covered, question


def limit(seconds, *, as_of, coverage=ALWAYS, ahead=0, role=Role.SCHEDULER):
    known = as_known(replace(question(as_of=as_of), coverage=coverage))
    return Proof(known).limit(at=at(seconds), role=role, ahead=at(ahead))


def test_exactly_at_a_limit_is_inside_and_more_is_outside():
    assert not limit(60, as_of=60).passed
    assert limit(60, as_of=60.000001).passed


def test_an_absence_is_proven_by_coverage_from_the_handoff_ahead_to_the_limit():
    assert limit(60, as_of=100, coverage=covered((0, 60))).proven
    assert not limit(60, as_of=100, coverage=covered((1, 60))).proven
    assert not limit(60, as_of=100, coverage=covered((0, 59))).proven
    assert not limit(60, as_of=100, coverage=NEVER).proven
    assert limit(60, as_of=100, coverage=NEVER, role=Role.CLOCK).proven


def test_coverage_may_come_as_far_and_still_be_broken():
    broken = limit(60, as_of=100, coverage=covered((0, 20), (30, 90)))
    assert broken.reached
    assert not broken.unbroken


def test_coverage_must_come_to_a_handoff_ahead_that_came_after_the_limit():
    late = limit(60, as_of=100, ahead=80, coverage=covered((0, 70)))
    assert (late.until, late.reached, late.proven) == (at(80), False, False)
    assert limit(60, as_of=100, ahead=80, coverage=covered((0, 80))).proven


def test_the_time_to_wait_for_coverage_ends():
    assert not limit(60, as_of=1860).given_up
    assert limit(60, as_of=1861).given_up
