"""The door of the wire format: which kind, whose key, and nothing that is not of the format."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from occurrences.contract.errors import NotPlaced, Refused
from occurrences.contract.wire import CoverageIn, HandoffIn, ProcessIn, ScheduleIn, parse_record
from tests.contract.wire_bodies import COVERAGE, HANDOFF, PROCESS, SCHEDULE

BODIES = [(HANDOFF, HandoffIn), (SCHEDULE, ScheduleIn), (PROCESS, ProcessIn), (COVERAGE, CoverageIn)]
anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=6,
)


def refused(body, *, source="celery:billing"):
    with pytest.raises(Refused) as found:
        parse_record(body, source=source)
    return found.value.field


@pytest.mark.parametrize(("body", "kind"), BODIES)
def test_each_kind_is_read(body, kind):
    assert isinstance(parse_record(body, source="celery:billing"), kind)


@pytest.mark.parametrize("body", [None, [], "x", 3])
def test_a_record_is_an_object(body):
    assert refused(body) == "record"


@pytest.mark.parametrize(("body", "kind"), BODIES)
def test_a_field_of_no_kind_is_refused_by_name(body, kind):
    assert refused({**body, "colour": "red"}) == "colour"


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"v": 2}, "v"),
        ({"v": "1"}, "v"),
        ({"v": True}, "v"),
        ({"kind": "event"}, "kind"),
        ({"kind": None}, "kind"),
        ({"source": "celery:other"}, "source"),
    ],
)
def test_version_kind_and_source_must_fit(change, field):
    assert refused({**HANDOFF, **change}) == field


@pytest.mark.parametrize(("body", "kind"), BODIES)
def test_no_field_that_is_needed_may_be_missing(body, kind):
    optional = {"schedule_key", "due_at", "job_ref", "anchor", "expires_after", "queues", "seq_first", "seq_last"}
    for name in body.keys() - optional:
        without = {key: value for key, value in body.items() if key != name}
        assert refused(without).split(".")[0] == name


@given(st.sampled_from([body for body, _ in BODIES]), st.data())
def test_whatever_stands_in_a_field_is_read_refused_or_not_placed_and_nothing_else(body, data):
    field = data.draw(st.sampled_from(sorted(body)))
    bent = {**body, field: data.draw(anything)}
    try:
        parse_record(bent, source="celery:billing")
    except (Refused, NotPlaced) as found:
        assert found.reason  # noqa: PT017
