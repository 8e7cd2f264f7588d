"""JSON at the border."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from occurrences.contract.errors import Refused
from occurrences.contract.wire_text import (
    body_digest,
    depth_exceeds,
    parse_json_strict,
    record_key,
)


@pytest.mark.parametrize(
    "raw",
    [
        b"",
        b"{",
        b"[NaN]",
        b"[Infinity]",
        b"[-Infinity]",
        b"[1e999]",
        b"1" * 33,
        b'"\xff"',
        b"[" * 21 + b"]" * 21,
        b"[" * 100_000,
        b"{} {}",
    ],
)
def test_what_is_no_plain_json_is_refused(raw):
    with pytest.raises(Refused):
        parse_json_strict(raw)


def test_plain_json_is_read_and_the_last_of_a_name_given_twice_counts():
    assert parse_json_strict(b'[1, 2.5, "a", null, {"a": 1, "a": 2}]') == [1, 2.5, "a", None, {"a": 2}]
    assert parse_json_strict(b"[" * 20 + b"]" * 20)


@given(st.integers(0, 40), st.integers(0, 40))
def test_depth_counts_brackets_outside_of_strings(depth, quoted):
    text = "[" * depth + '"' + "[" * quoted + '\\"["' + "]" * depth
    assert depth_exceeds(text, 20) is (depth > 20)
    assert depth_exceeds(text.encode(), 20) is (depth > 20)


def test_a_digest_depends_on_the_body_and_not_on_how_it_was_written():
    assert body_digest({"a": 1, "b": "é"}) == body_digest({"b": "é", "a": 1})
    assert body_digest({"a": 1}) != body_digest({"a": 2})
    assert len(body_digest({})) == 32


def test_the_key_of_a_record_is_16_bytes_of_the_length_prefixed_pair():
    assert len(record_key("celery:billing", "abc/claim/1")) == 16
    assert record_key("a", "bc") != record_key("ab", "c")
    assert record_key("a", "bc") == record_key("a", "bc")
