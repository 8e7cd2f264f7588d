"""Each kind of record, field by field."""

from datetime import UTC, datetime

import pytest

from occurrences.contract.errors import NotPlaced, Refused
from occurrences.contract.handoffs import Handoff, Role
from occurrences.contract.occurrences import Identity
from occurrences.contract.wire import parse_record
from tests.contract.wire_bodies import COVERAGE, HANDOFF, PROCESS, SCHEDULE


def read(body, **change):
    return parse_record({**body, **change}, source="celery:billing")


def refused(body, **change):
    with pytest.raises(Refused) as found:
        read(body, **change)
    return found.value.field


def test_a_handoff_names_its_occurrence_its_run_and_its_owner():
    record = read(HANDOFF)
    assert record.handoff is Handoff.CLAIM
    assert record.identity == Identity.parse("celery:billing/nightly@2026-10-25T01:30:00Z")
    assert (record.job_ref, record.delivery, record.recovery) == ("abc", 1, 0)
    assert (record.owner_name, record.owner_pid, record.clock_host) == ("celery@w", 7, "w")
    assert record.observed_at == datetime(2026, 10, 25, 1, 30, 2, 500_000, tzinfo=UTC)


def test_a_handoff_may_name_its_run_alone_or_its_occurrence_alone_but_not_nothing():
    alone = {key: value for key, value in HANDOFF.items() if key not in ("schedule_key", "due_at")}
    assert read(alone).identity is None
    assert read(HANDOFF, job_ref=None).job_ref is None
    assert refused(alone, job_ref=None) == "job_ref"
    assert refused(alone, schedule_key="nightly") == "due_at"
    assert refused(alone, due_at="2026-10-25T01:30:00Z") == "schedule_key"


@pytest.mark.parametrize("field", ["observed_at", "due_at", "expires_at"])
@pytest.mark.parametrize("moment", ["30000-01-01T00:00:00Z", "1970-01-01T00:00:00Z", "2100-01-01T00:00:00Z"])
def test_a_handoff_of_another_century_is_well_formed_and_cannot_be_placed(field, moment):
    with pytest.raises(NotPlaced, match=field) as found:
        read(HANDOFF, **{field: moment})
    assert (found.value.record_id, found.value.handoff) == ("abc/claim/1", "claim")


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"handoff": "due"}, "handoff"),
        ({"outcome": "succeeded"}, "outcome"),
        ({"observed_at": 1_790_000_000}, "observed_at"),
        ({"observed_at": "Infinity"}, "observed_at"),
        ({"observed_at": "2026-10-25T01:30:00"}, "observed_at"),
        ({"record_id": "x" * 513}, "record_id"),
        ({"record_id": "a\0b"}, "record_id"),
        ({"job_ref": "\ud800"}, "job_ref"),
        ({"delivery": 0}, "delivery"),
        ({"delivery": 1.0}, "delivery"),
        ({"owner": "w"}, "owner"),
        ({"owner": {"role": "boss"}}, "owner.role"),
        ({"owner": {"role": "worker", "age": 3}}, "owner.age"),
        ({"due_basis": "guessed"}, "due_basis"),
        ({"collapsed": "2026-10-25T01:30:00Z"}, "collapsed"),
        ({"detail": {"args": "1"}}, "detail.args"),
        ({"detail": {"a": [1]}}, "detail.a"),
        ({"detail": {"a": "x" * 4100}}, "detail"),
        ({"detail": {"a": "\0"}}, "detail"),
        ({"detail": {"a": float("nan")}}, "detail"),
        ({"detail": {"eta": "soon"}}, "detail.eta"),
        ({"recovery": {"n": 1}}, "recovery.id"),
    ],
)
def test_what_breaks_the_format_of_a_handoff_is_refused_by_field(change, field):
    assert refused(HANDOFF, **change) == field


def test_an_end_has_results_of_its_own():
    assert read(HANDOFF, handoff="terminal", outcome="retrying").outcome == "retrying"
    assert refused(HANDOFF, handoff="terminal", outcome="ok") == "outcome"


def test_a_replay_is_named_by_its_id_or_by_id_and_number():
    alone = read(HANDOFF, recovery="11111111-1111-4111-8111-111111111111")
    assert (alone.recovery_id, alone.recovery) == ("11111111-1111-4111-8111-111111111111", 1)
    named = read(HANDOFF, recovery={"id": "22222222-2222-4222-8222-222222222222", "n": 2, "original_record_id": "abc"})
    assert (named.recovery_id, named.recovery) == ("22222222-2222-4222-8222-222222222222", 2)


def test_a_later_start_a_detail_and_collapsed_dues_are_read():
    record = read(
        HANDOFF,
        detail={"eta": "2026-10-25T02:00:00+01:00", "n": 3},
        collapsed=["2026-10-25T01:00:00Z"],
        aliases={"message": "m"},
    )
    assert record.eta == datetime(2026, 10, 25, 1, tzinfo=UTC)
    assert record.detail["n"] == 3
    assert record.collapsed == (datetime(2026, 10, 25, 1, tzinfo=UTC),)


def test_a_snapshot_may_count_from_the_epoch_and_carry_arguments():
    target = {**SCHEDULE["target"], "args": [1, {"a": 2}], "kwargs": {"b": None}}
    record = read(SCHEDULE, target=target)
    assert record.anchor == datetime(1970, 1, 1, tzinfo=UTC)
    assert (record.args, record.kwargs) == ((1, {"a": 2}), {"b": None})
    assert (read(SCHEDULE).args, read(SCHEDULE).kwargs) == (None, None)
    assert read(SCHEDULE, anchor=None, expires_after=None).expires_after is None


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"observed_at": "30000-01-01T00:00:00Z"}, "observed_at"),
        ({"grain": "ms"}, "grain"),
        ({"expires_after": "60"}, "expires_after"),
        ({"expires_after": -1}, "expires_after"),
        ({"enabled": 1}, "enabled"),
        ({"definition_hash": "abc"}, "definition_hash"),
        ({"catch_up": "all"}, "catch_up"),
        ({"target": {**SCHEDULE["target"], "kwargs": {"a": "\0"}}}, "target.kwargs"),
        ({"target": {**SCHEDULE["target"], "args": ["x" * 40_000]}}, "target.args"),
        ({"target": {**SCHEDULE["target"], "args": {}}}, "target.args"),
        ({"target": {**SCHEDULE["target"], "colour": 1}}, "target.colour"),
    ],
)
def test_what_breaks_the_format_of_a_snapshot_is_refused_by_field(change, field):
    assert refused(SCHEDULE, **change) == field


def test_a_process_tells_its_state():
    record = read(PROCESS)
    assert (record.role, record.capacity, record.queues, record.state) == (Role.WORKERS, 4, ("celery",), "online")
    assert refused(PROCESS, state="dead") == "state"
    assert refused(PROCESS, role="clock") == "role"
    assert refused(PROCESS, queues=["a", 1]) == "queues"
    assert refused(PROCESS, pid=0) == "pid"


def test_coverage_has_both_numbers_or_none():
    assert read(COVERAGE).seq_last == 9
    assert read(COVERAGE, seq_first=None, seq_last=None).seq_first is None
    assert refused(COVERAGE, seq_last=None) == "seq_last"
    assert refused(COVERAGE, seq_first=10) == "seq_last"
    assert refused(COVERAGE, seq_first=0) == "seq_first"
