"""The identity of an occurrence and the key computed from it."""

import uuid
from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from occurrences.contract.errors import InvalidIdentity
from occurrences.contract.occurrences import Identity, key_floor, recovery_id

sources = st.from_regex(r"[a-z0-9][a-z0-9:._-]{0,20}", fullmatch=True)
keys = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1, max_size=40)
moments = st.datetimes(datetime(2000, 1, 2), datetime(2099, 12, 30), timezones=st.just(UTC))  # noqa: DTZ001
identities = st.builds(Identity, source=sources, schedule_key=keys, due_at=moments)


def identity(**fields):
    usual = {"source": "celery:billing", "schedule_key": "nightly", "due_at": datetime(2026, 10, 25, 1, 30, tzinfo=UTC)}
    return Identity(**(usual | fields))


def test_the_text_form_reads_as_it_is_written():
    assert str(identity()) == "celery:billing/nightly@2026-10-25T01:30:00Z"
    assert identity().compact == "20261025T013000Z"


@given(identities)
def test_text_and_address_lead_back_to_the_identity(one):
    assert Identity.parse(str(one)) == one
    assert Identity.from_address(source=one.source, schedule_key=one.schedule_key, compact=one.compact) == one


def test_a_schedule_key_may_hold_the_signs_of_the_text_form():
    one = identity(schedule_key="team/a@b/c@")
    assert Identity.parse(str(one)) == one


def test_the_due_time_is_kept_in_utc_and_whole_seconds():
    berlin = timezone(timedelta(hours=2))
    one = identity(due_at=datetime(2026, 10, 25, 3, 30, 0, 999_999, tzinfo=berlin))
    assert one == identity()
    assert one.key == identity().key


@given(identities)
def test_the_key_is_a_version_8_uuid_of_the_rfc(one):
    assert one.key.version == 8
    assert one.key.variant == uuid.RFC_4122
    assert one.key == identity(source=one.source, schedule_key=one.schedule_key, due_at=one.due_at).key


@given(identities, identities)
def test_keys_sort_by_due_time_and_differ_with_the_identity(one, other):
    assert (one.key == other.key) is (one == other)
    if one.due_at != other.due_at:
        assert (one.key < other.key) is (one.due_at < other.due_at)


@given(identities)
def test_the_floor_of_a_moment_lies_below_its_keys_and_above_the_earlier_ones(one):
    assert key_floor(one.due_at) <= one.key < key_floor(one.due_at + timedelta(milliseconds=1))


def test_the_pair_is_length_prefixed_so_that_no_two_pairs_read_alike():
    assert identity(source="a", schedule_key="bc").key != identity(source="ab", schedule_key="c").key


def test_the_key_never_changes():
    assert str(identity().key) == "01a170ad-c9c0-8065-b042-4ec32730311b"


def test_the_same_question_gives_the_same_recovery_id():
    assert recovery_id(identity(), 1) == recovery_id(identity(), 1)
    assert recovery_id(identity(), 1) != recovery_id(identity(), 2)
    assert recovery_id(identity(), 1).version == 5
    with pytest.raises(InvalidIdentity):
        recovery_id(identity(), 0)


@pytest.mark.parametrize(
    "fields",
    [
        {"source": "Celery"},
        {"source": ""},
        {"source": ":x"},
        {"source": "a/b"},
        {"source": "a\n"},
        {"schedule_key": ""},
        {"schedule_key": "x" * 513},
        {"schedule_key": "a\0b"},
        {"schedule_key": "a\ud800b"},
        {"due_at": datetime(2026, 1, 1)},  # noqa: DTZ001
        {"due_at": datetime(1999, 12, 31, tzinfo=UTC)},
        {"due_at": datetime(2100, 1, 1, tzinfo=UTC)},
        {"due_at": datetime.max.replace(tzinfo=timezone(timedelta(hours=-5)))},
    ],
)
def test_what_makes_no_identity_is_refused(fields):
    with pytest.raises(InvalidIdentity):
        identity(**fields)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "nightly",
        "a/b",
        "a/b@today",
        "a/b@2026-10-25T01:30:00",
        "a/b@2026-13-25T01:30:00Z",
        "a/@2026-10-25T01:30:00Z",
    ],
)
def test_a_text_that_is_no_identity_is_refused(text):
    with pytest.raises(InvalidIdentity):
        Identity.parse(text)


def test_an_address_with_an_impossible_moment_is_refused():
    with pytest.raises(InvalidIdentity):
        Identity.from_address(source="a", schedule_key="b", compact="20260231T000000Z")
