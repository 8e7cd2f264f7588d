"""When a work item that was put aside comes back."""

import pytest

from occurrences.contract.work_items import is_snoozed
from tests.contract.evidence import at


@pytest.mark.parametrize(
    ("until", "newest", "now", "waits"),
    [
        (None, None, 0, False),
        (100, None, 50, True),
        (100, None, 100, False),
        (100, 5, 50, True),
        (100, 10, 50, True),
        (100, 11, 50, False),
    ],
)
def test_it_waits_until_the_time_or_the_next_handoff(until, newest, now, waits):
    found = is_snoozed(
        until=at(until) if until is not None else None,
        snoozed_at=at(10) if until is not None else None,
        newest_evidence_at=at(newest) if newest is not None else None,
        now=at(now),
    )
    assert found is waits
