"""Which allowances apply."""

from dataclasses import replace
from datetime import timedelta

import pytest

from occurrences.contract.errors import InvalidPolicy
from occurrences.contract.handoffs import Handoff
from occurrences.contract.policies import DEFAULT_ALLOWANCES, PolicyVersion, resolve
from tests.contract.evidence import DUE, at

DEFAULT = PolicyVersion(
    id=1,
    version=1,
    scope="all",
    target="",
    allowances=DEFAULT_ALLOWANCES,
    effective_from=at(-1000),
    author="up",
    reason="default",
)
QUEUE = replace(DEFAULT, id=2, scope="queue", target="slow")
SOURCE = replace(DEFAULT, id=3, scope="source", target="celery:billing")
SCHEDULE = replace(DEFAULT, id=4, scope="schedule", target="celery:billing/nightly")


def chosen(*versions, due_at=DUE, queue="slow"):
    return resolve(versions, due_at=due_at, source="celery:billing", queue=queue, schedule="nightly")


def test_the_most_specific_scope_wins_and_the_chain_shows_the_rest():
    found = chosen(DEFAULT, QUEUE, SCHEDULE, SOURCE)
    assert found.version == SCHEDULE
    assert [version.scope for version in found.chain] == ["schedule", "queue", "source", "all"]
    assert chosen(DEFAULT, QUEUE, SOURCE).version == QUEUE
    assert chosen(DEFAULT, QUEUE, SOURCE, queue=None).version == SOURCE


def test_a_target_of_somebody_else_does_not_apply():
    other = replace(SCHEDULE, target="celery:other/nightly")
    assert chosen(DEFAULT, other).version == DEFAULT


def test_the_newest_version_in_force_at_the_due_time_judges():
    second = replace(DEFAULT, id=5, version=2, effective_from=DUE)
    later = replace(DEFAULT, id=6, version=3, effective_from=at(1))
    assert chosen(DEFAULT, later, second).version == second
    assert chosen(DEFAULT, later, second, due_at=at(-1)).version == DEFAULT


def test_without_a_policy_nothing_is_judged():
    with pytest.raises(InvalidPolicy, match="no policy"):
        chosen(replace(DEFAULT, effective_from=at(1)))


def test_allowances_are_never_below_zero_and_scopes_are_known():
    with pytest.raises(InvalidPolicy, match="claim"):
        replace(DEFAULT_ALLOWANCES, claim=timedelta(seconds=-1))
    with pytest.raises(InvalidPolicy, match="team"):
        replace(DEFAULT, scope="team")


def test_each_step_of_the_path_has_its_allowance():
    assert DEFAULT_ALLOWANCES.of(Handoff.CLAIM) == timedelta(minutes=10)
    with pytest.raises(KeyError):
        DEFAULT_ALLOWANCES.of(Handoff.EXPIRATION)
