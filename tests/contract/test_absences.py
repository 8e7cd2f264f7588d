"""Which verdicts open a work item, which close one, and which fold."""

from datetime import timedelta

import pytest

from occurrences.contract.absences import OPENING, closes_as_arrived, folds, opens_work_item
from occurrences.contract.verdicts import Verdict
from tests.contract.evidence import DUE


def test_the_table_speaks_of_every_verdict():
    assert set(OPENING) == set(Verdict)


def test_waiting_and_settled_verdicts_open_nothing():
    silent = {verdict.value for verdict, opens in OPENING.items() if not opens}
    assert silent == {"pending", "not-due", "paused", "on-time", "late-enqueue", "recovered", "skipped"}


@pytest.mark.parametrize("verdict", [Verdict.DELAYED_CLAIM, Verdict.DELAYED_START])
def test_a_delay_opens_only_while_the_handoff_is_still_absent(verdict):
    assert opens_work_item(verdict)
    assert not opens_work_item(verdict, still_absent=False)
    assert closes_as_arrived(verdict, verdict, still_absent=False)


def test_a_schedule_may_switch_off_failed_alone():
    assert not opens_work_item(Verdict.FAILED, watch_failed=False)
    assert opens_work_item(Verdict.MISSING_TICK, watch_failed=False)


def test_late_evidence_closes_an_absence_and_a_new_word_for_it_does_not():
    assert closes_as_arrived(Verdict.MISSING_TICK, Verdict.LATE_ENQUEUE)
    assert closes_as_arrived(Verdict.MISSING_CLAIM, Verdict.ON_TIME)
    assert not closes_as_arrived(Verdict.DELAYED_CLAIM, Verdict.EXPIRED_UNCLAIMED)
    assert closes_as_arrived(Verdict.UNKNOWN, Verdict.MISSING_TICK)
    assert not closes_as_arrived(Verdict.UNKNOWN, Verdict.UNKNOWN)


def test_an_outage_folds_within_the_window_and_not_past_it():
    window = timedelta(minutes=15)
    assert folds(DUE, DUE + window, window)
    assert folds(DUE, DUE - window, window)
    assert not folds(DUE, DUE + window + timedelta(seconds=1), window)
