"""What must hold for every question (handoff contract, section 9)."""

import random
from dataclasses import fields, replace
from datetime import timedelta

from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from occurrences.contract.coverage import Coverage
from occurrences.contract.decisions import of_original
from occurrences.contract.handoffs import Handoff, Role
from occurrences.contract.judging import Finding, find, judge
from occurrences.contract.readbacks import ReplayState
from occurrences.contract.verdicts import Verdict
from tests.contract.strategies import grown, questions

QUICK = settings(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much]
)
LONG = timedelta(days=1)
NEVER_BLIND = {
    Verdict.MISSING_TICK,
    Verdict.MISSING_ENQUEUE,
    Verdict.MISSING_READY,
    Verdict.MISSING_CLAIM,
    Verdict.LOST_AFTER_CLAIM,
}


def answer(question):
    """What must not change."""
    judgement = judge(question)
    return judgement.verdict, judgement.first_absent


def standing_still(question):
    """The same question with coverage that goes no further by itself."""
    assume(question.coverage.provable)  # what cannot be proven is never waited for
    coverage = question.coverage.at(question.as_of)
    return replace(question, coverage=replace(coverage, to_now=frozenset()))


def lags(question, before):
    """Whether the answer waits for a role whose coverage has not come to the deadline; to it is far enough."""
    if before.next_role not in (Role.SCHEDULER, Role.WORKERS):
        return False
    covered = question.coverage.covered_to(before.next_role, question.as_of)
    return covered is None or covered < before.next_deadline


@QUICK
@given(questions())
def test_every_question_has_one_whole_answer(question):
    judgement = judge(question)
    assert judgement.verdict in Verdict
    assert [station.handoff for station in judgement.stations] == list(Handoff)
    assert judgement.sentence
    assert judgement.trust
    assert judgement.closed is (judgement.next_deadline is None)
    assert (judgement.next_deadline is None) is (judgement.next_role is None)


@QUICK
@given(questions())
def test_what_is_stored_is_what_is_shown(question):
    judgement, found = judge(question), find(question)
    assert [getattr(judgement, field.name) for field in fields(Finding)] == values_of(found)
    stations = next((r.stations for r in judgement.recoveries if r.number == judgement.of_recovery), judgement.stations)
    missing = judgement.named is not None and stations[judgement.named].at is None
    assert judgement.still_absent is missing


def values_of(found: Finding) -> list[object]:
    return [getattr(found, field.name) for field in fields(found)]


@QUICK
@given(questions(), st.randoms(use_true_random=False))
def test_order_and_repetition_of_records_change_nothing(question, rng: random.Random):
    shuffled = [*question.records, *rng.sample(question.records, len(question.records) // 2)]
    rng.shuffle(shuffled)
    assert judge(replace(question, records=tuple(shuffled))) == judge(question)


@QUICK
@given(questions(), st.randoms(use_true_random=False))
def test_order_of_workers_and_coverage_changes_nothing(question, rng: random.Random):
    rows, stretches = list(question.workers), list(question.coverage.stretches)
    rng.shuffle(rows)
    rng.shuffle(stretches)
    coverage = replace(question.coverage, stretches=tuple(stretches))
    assert judge(replace(question, workers=tuple(rows), coverage=coverage)) == judge(question)


@QUICK
@given(questions(), st.data())
def test_more_evidence_never_turns_a_present_handoff_into_an_absent_one(question, data):
    own = of_original(question.records, question.decisions)
    assume(len({record.run for record in own if record.run}) < 2)
    kept = data.draw(st.sets(st.sampled_from(question.records)) if question.records else st.just(set()))
    fewer = judge(replace(question, records=tuple(kept)))
    more = judge(question)
    once = [h for h in Handoff if h <= Handoff.CLAIM]
    for handoff in once:
        if fewer.stations[handoff].at is not None:
            assert more.stations[handoff].at is not None
            assert more.first_absent is not handoff or handoff is Handoff.DUE


@QUICK
@given(questions())
def test_the_records_of_a_replay_and_a_decision_never_fill_the_path_of_the_original(question):
    own = replace(question, records=of_original(question.records, question.decisions))
    decided, undecided = judge(question), judge(replace(own, decisions=()))
    assert decided.stations == judge(own).stations == undecided.stations
    assert decided.first_absent == judge(own).first_absent == undecided.first_absent


@QUICK
@given(questions())
def test_a_decision_that_is_not_made_yet_changes_nothing(question):
    later = tuple(replace(each, at=question.as_of + timedelta(seconds=1)) for each in question.decisions)
    own = replace(question, records=of_original(question.records, question.decisions))
    assert judge(replace(own, decisions=later)) == judge(replace(own, decisions=()))


@QUICK
@given(questions())
def test_a_replay_that_is_not_read_back_never_recovers_anything(question):
    unnamed = tuple(replace(r, named=None) if r.recovery else r for r in question.records)
    told = {rail.state for rail in judge(replace(question, records=unnamed)).recoveries}
    assert ReplayState.VERIFIED not in told
    undecided = judge(replace(question, records=unnamed, decisions=())).verdict
    decided = judge(replace(question, records=unnamed)).verdict
    assert decided is not Verdict.RECOVERED or undecided is Verdict.RECOVERED


@QUICK
@given(questions())
def test_a_delayed_claim_is_never_called_a_missing_enqueue(question):
    own = of_original(question.records, question.decisions)
    enqueued = any(r.handoff >= Handoff.ENQUEUE and r.fills for r in own)
    if enqueued:
        assert judge(question).verdict not in {Verdict.MISSING_TICK, Verdict.MISSING_ENQUEUE}


@QUICK
@given(questions())
def test_without_coverage_nothing_is_called_missing(question):
    judgement = judge(replace(question, coverage=Coverage(provable=True)))
    assert judgement.verdict not in NEVER_BLIND
    if judgement.stations[Handoff.EXPIRATION].at is None:  # a recorded expiration needs no coverage
        assert judgement.first_absent in (None, Handoff.DUE)


@QUICK
@given(questions(), st.data())
def test_the_clock_alone_changes_nothing_before_the_next_deadline(question, data):
    before = judge(question)
    assume(before.next_deadline is not None and before.next_deadline > question.as_of)
    room = (before.next_deadline - question.as_of) // timedelta(microseconds=1)
    later = question.as_of + timedelta(microseconds=data.draw(st.sampled_from((1, room)) | st.integers(1, room)))
    if before.verdict is Verdict.NOT_DUE:
        assume(later < before.next_deadline)  # a due is reached at its instant, a limit is passed after it
    assert answer(replace(question, as_of=later)) == (before.verdict, before.first_absent)


@QUICK
@given(questions(give_up=LONG), st.data())
def test_coverage_changes_nothing_before_the_next_deadline_while_it_is_waited_for(question, data):
    before = judge(question)
    assume(before.next_deadline is not None and before.next_deadline > question.as_of)
    room = (before.next_deadline - question.as_of) // timedelta(microseconds=1)
    ahead = data.draw(st.sampled_from((1, room)) | st.integers(1, room))
    later = question.as_of + timedelta(microseconds=ahead)
    if before.verdict is Verdict.NOT_DUE:
        assume(later < before.next_deadline)  # a due is reached at its instant, a limit is passed after it
    coverage = data.draw(grown(question.coverage, question.as_of, later))
    assert answer(replace(question, as_of=later, coverage=coverage)) == (before.verdict, before.first_absent)


@QUICK
@given(questions(decided=False), st.data())
def test_nothing_changes_while_the_coverage_of_the_role_lags_until_the_give_up_time(question, data):
    frozen = standing_still(question)
    before = judge(frozen)
    assume(lags(frozen, before))
    room = (before.next_deadline + question.give_up - question.as_of) // timedelta(microseconds=1)
    assume(room > 0)
    later = question.as_of + timedelta(microseconds=data.draw(st.sampled_from((1, room)) | st.integers(1, room)))
    assert answer(replace(frozen, as_of=later)) == (before.verdict, before.first_absent)


@QUICK
@given(questions(give_up=LONG, decided=False), st.integers(1, 2000), st.data())
def test_the_coverage_of_the_other_role_changes_nothing_while_that_of_the_role_lags(question, ahead, data):
    frozen = standing_still(question)
    before = judge(frozen)
    assume(lags(frozen, before))
    later = question.as_of + timedelta(seconds=ahead)
    other = Role.WORKERS if before.next_role is Role.SCHEDULER else Role.SCHEDULER
    wider = data.draw(grown(frozen.coverage, question.as_of, later))
    lagging = [stretch for stretch in frozen.coverage.stretches if stretch.role is before.next_role]
    leading = [stretch for stretch in wider.stretches if stretch.role is other]
    coverage = replace(wider, stretches=(*lagging, *leading))
    assert answer(replace(frozen, as_of=later, coverage=coverage)) == (before.verdict, before.first_absent)


@QUICK
@given(questions(give_up=LONG), st.integers(1, 2000), st.data())
def test_without_a_next_deadline_time_and_coverage_change_nothing(question, ahead, data):
    before = judge(question)
    assume(before.next_deadline is None)
    later = question.as_of + timedelta(seconds=ahead)
    coverage = data.draw(grown(question.coverage, question.as_of, later))
    assert answer(replace(question, as_of=later, coverage=coverage)) == (before.verdict, before.first_absent)


@QUICK
@given(questions(), st.integers(1, 5000))
def test_without_a_next_deadline_the_clock_alone_changes_nothing(question, ahead):
    before = judge(question)
    assume(before.next_deadline is None)
    later = question.as_of + timedelta(seconds=ahead)
    coverage = replace(question.coverage.at(question.as_of), to_now=question.coverage.to_now)
    assert answer(replace(question, as_of=later, coverage=coverage)) == (before.verdict, before.first_absent)


@QUICK
@given(questions())
def test_looking_again_and_again_ends(question):
    """Every look ahead moves on: nobody waits for ever, and nobody spins."""
    for _ in range(60):
        judgement = judge(question)
        if judgement.next_deadline is None:
            return
        sweep = question.give_up / 5 if judgement.next_deadline <= question.as_of else timedelta(0)
        later = max(judgement.next_deadline, question.as_of) + sweep + timedelta(microseconds=1)
        question = replace(question, as_of=later)
    raise AssertionError(f"still waiting: {judgement.next_deadline} {judgement.next_role}")
