"""Could a replay run the work twice: each condition, each verdict, and the reason in words."""

from dataclasses import replace
from datetime import timedelta

import pytest

from occurrences.contract.handoffs import Handoff, Role
from occurrences.contract.judging import judge
from occurrences.contract.replay_safety import Circumstances, Replayable, has_gap, period, replay_safety
from occurrences.contract.verdicts import Verdict
from tests.contract.evidence import ALLOWANCES, DUE, at, covered, question, record, up_to

FINE = Circumstances(worker_up=True, another_succeeded=True, stray=False, blind=False)
EXPIRING = replace(ALLOWANCES, expires=timedelta(seconds=600))
TICK = timedelta(seconds=60)


def missing():
    return judge(question((), as_of=3600))


def test_a_run_that_was_never_made_can_be_replayed_when_every_condition_holds():
    for records in ((), up_to(Handoff.TICK)):
        safety = replay_safety(judge(question(records, as_of=3600)), FINE)
        assert safety.value is True
        assert safety.reason.startswith("Yes: no task was made, a worker is up")


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"worker_up": False}, "no worker that serves it is up now"),
        ({"another_succeeded": False}, "no other due time"),
        ({"stray": True}, "a run beside the schedule"),
        ({"blind": True}, "a gap in which a late run may hide"),
        ({"provable": False}, "cannot prove"),
    ],
)
def test_each_condition_that_does_not_hold_asks_for_evidence_and_is_named(change, words):
    safety = replay_safety(missing(), replace(FINE, **change))
    assert safety.value == "needs-evidence"
    assert words in safety.reason
    assert ";" not in safety.reason


def test_all_that_is_missing_is_named():
    nothing = Circumstances(worker_up=False, another_succeeded=False, stray=True, blind=True, provable=False)
    assert len(nothing.missing) == 5
    assert replay_safety(missing(), nothing).reason.count(";") == 4


def test_an_expiry_is_safe_on_record_and_needs_evidence_by_the_clock():
    records = up_to(Handoff.READY)
    by_clock = judge(question(records, as_of=3600, allowances=EXPIRING))
    recorded = judge(question([*records, record(Handoff.EXPIRATION, 900)], as_of=3600, allowances=EXPIRING))
    assert by_clock.verdict is recorded.verdict is Verdict.EXPIRED_UNCLAIMED
    assert replay_safety(by_clock, FINE).value == "needs-evidence"
    assert "may still lie in the queue" in replay_safety(by_clock, FINE).reason
    assert replay_safety(recorded, FINE).value is True
    assert "thrown away, which is on record" in replay_safety(recorded, FINE).reason
    assert replay_safety(recorded, replace(FINE, worker_up=False)).value == "needs-evidence"


GRADES = {
    Verdict.MISSING_TICK: Replayable.YES,
    Verdict.MISSING_ENQUEUE: Replayable.YES,
    **dict.fromkeys(
        (
            Verdict.MISSING_READY,
            Verdict.MISSING_CLAIM,
            Verdict.EXPIRED_UNCLAIMED,
            Verdict.LOST_AFTER_CLAIM,
            Verdict.FAILED,
            Verdict.RECOVERY_UNVERIFIED,
        ),
        Replayable.NEEDS_EVIDENCE,
    ),
}


@pytest.mark.parametrize("verdict", Verdict)
def test_every_verdict_has_one_answer_and_a_reason(verdict):
    safety = replay_safety(replace(missing(), verdict=verdict), FINE)
    assert safety.answer is GRADES.get(verdict, Replayable.NO)
    assert safety.reason.split(":")[0] == {"true": "Yes", "false": "No"}.get(safety.answer.value, "Needs evidence")
    assert safety.reason.endswith(".")


def test_a_period_reaches_from_one_tick_allowance_before_it_to_one_before_the_next():
    assert period(DUE, at(3600), TICK) == (at(-60), at(3540))
    assert period(DUE, None, TICK) == (at(-60), None)


@pytest.mark.parametrize(
    ("coverage", "gap"),
    [
        (covered((0, 940)), False),
        (covered((-60, 500), (500, 1000)), False),
        (covered((0, 939)), True),
        (covered((1, 1000)), True),
        (covered((0, 400), (401, 1000)), True),
        (covered((0, 1000), roles=(Role.SCHEDULER,)), True),
        (covered((0, 1000), roles=(Role.WORKERS,)), True),
    ],
)
def test_a_gap_of_either_role_from_the_due_time_to_one_tick_before_now_counts(coverage, gap):
    assert has_gap(coverage, due=DUE, tick=TICK, as_of=at(1000)) is gap


def test_there_is_no_gap_before_anything_could_be_missing():
    assert not has_gap(covered(), due=DUE, tick=TICK, as_of=at(60))
