"""The judge against the second judge in `reference`, which was written from the pages of the contract alone."""

from dataclasses import replace
from datetime import timedelta

import pytest
from hypothesis import HealthCheck, given, settings

from occurrences.contract.decisions import of_original
from occurrences.contract.handoffs import Handoff, Role
from occurrences.contract.judging import judge
from occurrences.contract.questions import Question
from occurrences.contract.verdicts import Verdict
from tests.contract.evidence import NEVER, at
from tests.contract.histories import histories
from tests.contract.reference.judge import reference

SHORT = settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))
LONG = settings(SHORT, max_examples=10_000)
# Both say more than one path, or one that is no longer looked at: the judge may look once more than it must.
HIDING = (Verdict.DUPLICATE, Verdict.UNKNOWN)
NEVER_SENT = {Verdict.MISSING_TICK, Verdict.MISSING_ENQUEUE}
MISSING = NEVER_SENT | {Verdict.MISSING_READY, Verdict.MISSING_CLAIM, Verdict.LOST_AFTER_CLAIM}
LATER = timedelta(microseconds=1)


def agree(question: Question) -> None:
    """Both say the same verdict, first absent handoff and next deadline.

    Where a decision or a second run hides what happens on a path, the judge may look earlier, never later. Where
    limits of several roles wait, which of them can change the answer is a matter of how it is tried: the clock is
    always right, and by the clock a limit that is past is due at once.
    """
    found, (verdict, first_absent, moment, role) = judge(question), reference(question)
    assert (found.verdict, found.first_absent) == (verdict, first_absent)
    if not question.decisions and verdict not in HIDING:
        assert found.next_deadline == moment
    if moment is None:
        return
    assert found.next_deadline is not None
    assert found.next_deadline <= max(moment, question.as_of)
    if found.next_deadline == moment and Role.CLOCK not in (found.next_role, role):
        assert found.next_role is role


def lawful(question: Question) -> None:
    """What holds of every history: neither order nor repetition counts, and nothing is missing that was not seen."""
    found = judge(question)
    again = tuple(replace(r, received_at=r.received_at + LATER, outcome="cancelled") for r in question.records)
    assert judge(replace(question, records=(*again, *reversed(question.records)))) == found
    assert judge(replace(question, coverage=NEVER)).verdict not in MISSING
    if any(r.handoff >= Handoff.ENQUEUE and r.fills for r in of_original(question.records, question.decisions)):
        known = replace(question, as_of=max(question.as_of, at(5000)))
        assert judge(known).verdict not in NEVER_SENT


@SHORT
@given(histories())
def test_both_judges_agree_on_a_run_that_goes_its_way(question):
    agree(question)


@SHORT
@given(histories(decided=True))
def test_both_judges_agree_on_what_was_decided(question):
    agree(question)


@pytest.mark.long
@LONG
@given(histories(decided=False))
def test_both_judges_agree_on_ten_thousand_runs_that_go_their_way(question):
    agree(question)


@pytest.mark.long
@LONG
@given(histories(decided=True))
def test_both_judges_agree_on_ten_thousand_that_were_decided(question):
    agree(question)


@SHORT
@given(histories())
def test_the_laws_hold_of_every_history(question):
    lawful(question)


@pytest.mark.long
@LONG
@given(histories())
def test_the_laws_hold_of_ten_thousand_histories(question):
    lawful(question)
