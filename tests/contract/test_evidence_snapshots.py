"""The one text of a value, and its digest."""

import hashlib
import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone
from decimal import Decimal
from uuid import UUID

import pytest

from occurrences.contract.effects import Effect
from occurrences.contract.evidence_snapshots import NotCanonical, canonical, digest, snapshot_of
from occurrences.contract.handoffs import Handoff
from occurrences.contract.judging import judge
from occurrences.contract.safety_assessments import assess
from occurrences.contract.safety_table import Grade
from tests.contract.evidence import question, up_to
from tests.contract.safety_ground import inputs

MOMENT = datetime(2026, 10, 25, 1, 30, tzinfo=UTC)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ({"b": 1, "a": [True, None, "é"]}, '{"a":[true,null,"é"],"b":1}'),
        (MOMENT, '"2026-10-25T01:30:00Z"'),
        (MOMENT.astimezone(timezone(timedelta(hours=2))), '"2026-10-25T01:30:00Z"'),
        (MOMENT.replace(microsecond=5), '"2026-10-25T01:30:00.000005Z"'),
        (timedelta(minutes=2), "120"),
        (timedelta(milliseconds=1500), "1.5"),
        (2.0, "2"),
        ({"x", "b"}, '["b","x"]'),
        (UUID(int=1), '"00000000-0000-0000-0000-000000000001"'),
        ((Effect.ONCE, Handoff.CLAIM, Grade.TWO_PERSON), '["once","claim","two-person"]'),
        ({Handoff.CLAIM: 1}, '{"claim":1}'),
    ],
)
def test_safety_snapshot_of_a_value_has_one_text(value, text):
    assert canonical(value) == text
    assert digest(value) == hashlib.sha256(text.encode()).hexdigest()


@pytest.mark.parametrize(
    "value", [MOMENT.replace(tzinfo=None), float("nan"), float("inf"), Decimal(1), {1: 2}, object(), "\ud800"]
)
def test_safety_snapshot_refuses_what_has_no_one_text(value):
    with pytest.raises(NotCanonical):
        digest(value)


def made(records, **fields):
    asked = question(records, as_of=7200)
    weighed = inputs(**fields)
    return snapshot_of(asked, judge(asked), weighed, assess(weighed), more={"queue": {"read_at": asked.as_of}})


def test_safety_snapshot_survives_the_way_through_a_database():
    document = made(up_to(Handoff.TICK))
    assert json.loads(canonical(document)) == document
    assert digest(json.loads(json.dumps(document))) == digest(document)


def test_safety_snapshot_holds_what_was_asked_weighed_and_found():
    document = made(up_to(Handoff.TICK))
    assert document["identity"] == "celery:billing/nightly@2025-01-15T02:30:00Z"
    assert document["judgement"]["verdict"] == "missing-enqueue"
    assert document["question"]["records"][0]["handoff"] == "tick"
    assert document["assessment"]["replay"]["grade"] == "allow"
    assert {check["name"] for check in document["checks"]} >= {"B1", "O9", "W7"}
    assert document["more"] == {"queue": {"read_at": "2025-01-15T04:30:00Z"}}


def test_safety_snapshot_changes_with_the_evidence_and_with_nothing_else():
    records = up_to(Handoff.ENQUEUE)
    assert digest(made(records)) == digest(made(records))
    assert digest(made(records)) != digest(made(records, skew=True))
    assert digest(made(records)) != digest(made((*records[:-1], replace(records[-1], run="r2"))))
