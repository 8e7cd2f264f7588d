"""The checks that block a decision."""

from dataclasses import replace

import pytest

from occurrences.contract.checks import CheckFacts, allowed, blocked_by, blocking
from occurrences.contract.decisions import Choice
from tests.contract.evidence import DUE, at

FREE = CheckFacts(
    due_at=DUE,
    source="celery:billing",
    source_enabled=True,
    target="celery:billing",
    target_task="billing.nightly",
    shown_revision=4,
    evidence_revision=4,
)

CASES = [
    ("B1", {"target_task": None}, "No snapshot says which task", {"skip"}),
    ("B1", {"arguments_withheld": True}, "run it by hand", {"skip"}),
    ("B2", {"live_recovery": 2}, "Recovery 2 of this due time is under way", set()),
    ("B3", {"succeeded_at": at(40)}, "It succeeded at 02:30:40Z", set()),
    ("B4", {"original_running": True}, "wait for its end", set()),
    ("B5", {"evidence_revision": 5}, "Evidence arrived after this page was shown", set()),
    ("B6", {"forbidden": "Needs the owner, team Billing."}, "Needs the owner, team Billing.", set()),
    ("B7 source", {"source_enabled": False}, "celery:billing is disabled", set()),
    ("B7 target", {"target": None}, "has no replay target", {"skip"}),
    ("B7 target", {"target_enabled": False}, "The replay target celery:billing is disabled", {"skip"}),
    ("B7 freeze", {"frozen": True}, "Replays are frozen", {"skip"}),
]


def test_with_nothing_in_the_way_both_choices_are_open():
    checks = blocking(FREE)
    assert [check.name for check in checks] == [
        "B1",
        "B2",
        "B3",
        "B4",
        "B5",
        "B6",
        "B7 source",
        "B7 target",
        "B7 freeze",
    ]
    assert all(check.passed and check.sentence.endswith(".") for check in checks)
    assert allowed(checks, Choice.REPLAY)
    assert allowed(checks, Choice.SKIP)


@pytest.mark.parametrize(("name", "fields", "words", "still"), CASES)
def test_each_check_blocks_what_it_must(name, fields, words, still):
    checks = blocking(replace(FREE, **fields))
    failed = [check for check in checks if check.passed is False]
    assert [check.name for check in failed] == [name]
    assert words in failed[0].sentence
    assert {choice.value for choice in Choice if allowed(checks, choice)} == still
    assert blocked_by(checks, Choice.REPLAY) == tuple(failed)


@pytest.mark.parametrize("fields", [{"original_running": None}, {"shown_revision": None}])
def test_what_cannot_be_told_is_no_pass_and_only_warns(fields):
    checks = blocking(replace(FREE, **fields))
    assert [check.passed for check in checks].count(None) == 1
    assert allowed(checks, Choice.REPLAY)
