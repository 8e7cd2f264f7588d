"""How long a scheduler may still fire what it missed."""

from datetime import timedelta

import pytest

from occurrences.contract.catch_ups import CATCH_UPS, NOT_KNOWN, MadeUp, catch_up_of
from occurrences.contract.clock_rules import PRESETS
from tests.contract.evidence import DUE


def test_safety_has_a_line_with_its_source_for_each_dialect():
    assert set(CATCH_UPS) == set(PRESETS)
    assert all(line.source for line in CATCH_UPS.values())


@pytest.mark.parametrize(
    ("dialect", "told", "deadline", "over"),
    [
        ("celery-beat", "latest", None, None),
        ("celery-beat", "none", None, DUE),
        ("celery-beat", "latest", timedelta(hours=1), DUE + timedelta(hours=1)),
        ("kubernetes", "none", None, None),
        ("kubernetes", None, timedelta(seconds=200), DUE + timedelta(seconds=200)),
        ("temporal", None, None, DUE + timedelta(days=365)),
        ("fugit", None, None, DUE),
        ("apscheduler", None, None, DUE + timedelta(seconds=1)),
        ("croniter", None, timedelta(hours=1), None),
    ],
)
def test_safety_knows_until_when_a_missed_due_time_is_made_up(dialect, told, deadline, over):
    assert catch_up_of(dialect, told=told, deadline=deadline).over_at(DUE) == over


def test_safety_knows_nothing_of_another_dialect():
    assert catch_up_of("somebody's own") is NOT_KNOWN
    assert NOT_KNOWN.made_up is MadeUp.UNKNOWN
