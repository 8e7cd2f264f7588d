"""The list of decisions: newest first, in pages, with what came of each."""

import re

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from occurrences.models import Decision, Replay
from occurrences.queries.pages import decisions as page_queries
from tests.builders import BILLING, Night
from tests.views.clients import client_of, decide_at, draft, flat

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def targets(settings: object) -> None:
    settings.TARGETS = {BILLING: "redis://127.0.0.1:1/0"}  # type: ignore[attr-defined]


@pytest.fixture
def otto(operator: User) -> Client:
    return client_of(operator)


def rows(client: Client, address: str = "/decisions/") -> list[str]:
    body = client.get(address).content.decode().partition("<tbody>")[2].partition("</tbody>")[0]
    return [re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", row)).strip() for row in body.split("</tr>") if "<tr" in row]


@pytest.fixture
def two(otto: Client, night: Night) -> None:
    otto.post(decide_at(night), draft(night))
    otto.post(decide_at(night, "broken"), draft(night, "broken", choice="skip", reason="by hand"))
    assert Decision.objects.count() == 2


def test_the_newest_comes_first_with_its_result(otto: Client, two: None):
    skip, replay = rows(otto)
    assert "otto (operator) Skip broken celery:billing" in skip
    assert skip.endswith("by hand Result: Stays as it was: Failed")
    assert "Replay, recovery 1 invoice-rollup" in replay
    assert replay.endswith("Result: Decided")


@pytest.mark.parametrize(
    ("asked", "keys"),
    [("choice=skip", ["broken"]), ("state=under-way", ["invoice-rollup"]), ("state=verified", []), ("choice=x", [])],
)
def test_it_can_be_narrowed(otto: Client, two: None, asked: str, keys: list[str]):
    found = rows(otto, f"/decisions/?{asked}")
    assert len(found) == len(keys)
    assert all(key in row for key, row in zip(keys, found, strict=True))


def test_an_ended_replay_shows_its_end(otto: Client, two: None, night: Night):
    replay = Replay.objects.get()
    Replay.objects.update(closed_at=replay.created_at, closed_as="mismatch")
    assert rows(otto, "/decisions/?state=mismatch")[0].endswith("Result: Mismatch")


def test_pages_follow_each_other_without_a_gap(otto: Client, two: None, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(page_queries, "ON_A_PAGE", 1)
    first = otto.get("/decisions/").content.decode()
    onward = re.search(r'href="(\?[^"]+before=\d+)"', first)[1].replace("&amp;", "&")  # type: ignore[index]
    assert "invoice-rollup" in rows(otto, "/decisions/" + onward)[0]
    assert "Older decisions" not in otto.get("/decisions/" + onward).content.decode()


def test_without_decisions_the_page_says_where_they_are_made(otto: Client):
    assert "Nothing was decided yet" in flat(otto.get("/decisions/").content)
    assert "No decision matches" in flat(otto.get("/decisions/?choice=skip").content)
    assert otto.get("/decisions/?before=99999999999999999999999").status_code == 200


def test_the_number_of_statements_does_not_grow_with_the_rows(otto: Client, two: None, night: Night):
    def statements() -> int:
        with CaptureQueriesContext(connection) as context:
            otto.get("/decisions/")
        return len(context)

    statements()
    before = statements()
    otto.post(decide_at(night, "nightly-backup"), draft(night, "nightly-backup"))
    for n in range(3):
        otto.post(decide_at(night, f"ledger-{n}"), draft(night, f"ledger-{n}"))
    assert Decision.objects.count() > 4
    assert statements() == before
