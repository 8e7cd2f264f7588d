"""The chain of the audit: what breaks it is found at the row where it breaks."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone

import pytest

from occurrences.contract.audit import FIRST, Link, walk

T0 = datetime(2026, 11, 30, 3, tzinfo=UTC)


def link(number: int, previous: str, **changed: object) -> Link:
    words = {
        "id": number,
        "at": T0 + timedelta(seconds=number),
        "by": "otto",
        "act": "priority",
        "subject": f"work item {number}",
        "detail": {"text": "P1, was P2"},
        "role": "operator",
        "before": 2,
        "after": 1,
        "request_id": "a" * 32,
        "previous": previous,
        "digest": "",
    } | changed
    bare = Link(**words)
    return replace(bare, digest=bare.own_digest)


def chain(length: int = 4) -> list[Link]:
    links: list[Link] = []
    for number in range(1, length + 1):
        links.append(link(number, links[-1].digest if links else FIRST))
    return links


def test_a_whole_chain_holds_and_tells_its_head():
    links = chain()
    found = walk(links)
    assert (found.rows, found.head, found.broken) == (4, links[-1].digest, None)


def test_an_empty_chain_holds():
    assert walk([]).head == FIRST


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("at", T0),
        ("by", "ada"),
        ("act", "closed"),
        ("subject", "work item 9"),
        ("detail", {"text": "P1, was P3"}),
        ("role", "admin"),
        ("role", None),
        ("before", 3),
        ("after", None),
        ("request_id", "b" * 32),
    ],
)
def test_a_changed_word_is_found_at_its_row(field, value):
    links = chain()
    links[2] = replace(links[2], **{field: value})
    found = walk(links)
    assert found.broken is not None
    assert found.broken.link.id == 3
    assert "words" in found.broken.why
    assert found.rows == 2


@pytest.mark.parametrize("gone", [0, 1, 2])
def test_a_removed_row_is_found_at_the_next_one(gone):
    links = chain()
    del links[gone]
    found = walk(links)
    assert found.broken is not None
    assert found.broken.link.id == gone + 2
    assert "follow" in found.broken.why


def test_rows_cut_off_at_the_end_show_only_by_a_head_kept_elsewhere():
    links = chain()
    head = links[-1].digest
    assert walk(links[:-1]).broken is None
    assert not walk(links[:-1], expect=head).met
    assert walk(links, expect=head).met
    assert walk(chain(6), expect=head).met


def test_a_row_older_than_the_column_of_roles_still_holds():
    old = link(1, FIRST, role=None, before=None, after=None, request_id="")
    assert walk([old, link(2, old.digest)]).broken is None


def test_one_moment_in_another_zone_is_the_same_row():
    first = link(1, FIRST)
    moved = replace(first, at=first.at.astimezone(timezone(timedelta(hours=2))))
    assert moved.own_digest == first.digest
