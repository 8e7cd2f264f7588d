"""Policies: what is in force, and a new version with its reason."""

import pytest
from django.contrib.auth.models import User
from django.test import Client

from occurrences.models import ClaimAgePolicy, Occurrence
from occurrences.queries.pages.addresses import address_of
from occurrences.services.policies import PublishedMeanwhile
from tests.builders import BILLING, Night
from tests.views.clients import client_of, flat

pytestmark = pytest.mark.django_db
SECONDS = {"tick": 60, "enqueue": 30, "ready": 30, "claim": 600, "start": 60, "run": 3600, "readback": 900, "fold": 900}
SENT = {"scope": "source", "target": BILLING, "reason": "a slow queue", "rejudge": "on", "expires": "", **SECONDS}


@pytest.fixture
def ada(admin: User) -> Client:
    return client_of(admin)


def test_the_list_shows_each_scope_with_its_versions(ada: Client, night: Night):
    ada.post("/policies/new/", SENT)
    ada.post("/policies/new/", SENT | {"claim": "300", "reason": "halved", "effective_from": "2090-01-01T00:00Z"})
    page = flat(ada.get("/policies/").content)
    assert "All schedules" in page
    assert "Version 1 In force" in page
    assert "Version 2 Comes later from 2090-01-01 00:00:00Z , by ada halved" in page
    assert "claim 5 min" in page
    assert "expires never" in page


def test_the_form_starts_from_what_is_in_force(ada: Client, night: Night):
    ada.post("/policies/new/", SENT | {"claim": "77.5"})
    form = ada.get(f"/policies/new/?scope=source&target={BILLING}").content.decode()
    assert 'name="claim" inputmode="decimal" value="77.5"' in form
    assert f'value="{BILLING}"' in form
    assert 'name="rejudge" checked' in form
    other = ada.get("/policies/new/?scope=queue&target=mail").content.decode()
    assert 'name="claim" inputmode="decimal" value="600"' in other


def test_publishing_moves_what_is_open_only_where_that_is_wished(ada: Client, night: Night):
    key = night.identity("invoice-rollup").key
    assert ada.post("/policies/new/", SENT | {"rejudge": ""}).status_code == 303
    assert not Occurrence.objects.get(key=key).policy_moved
    assert ada.post("/policies/new/", SENT | {"reason": "judge again"})["Location"] == "/policies/"
    assert Occurrence.objects.get(key=key).policy_moved
    page = flat(ada.get(address_of(night.identity("invoice-rollup"))).content)
    assert "Source celery:billing, version 2" in page
    assert "Moved to this version when ada published it" in page


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"reason": ""}, "A version needs a reason."),
        ({"claim": ""}, "claim: a number of seconds"),
        ({"claim": "-1"}, "claim: a number of seconds"),
        ({"claim": "nan"}, "claim: a number of seconds"),
        ({"expires": "0"}, "expires: leave it empty"),
        ({"target": ""}, "every other scope needs one"),
        ({"scope": "all"}, "The scope all has no target"),
        ({"effective_from": "soon"}, "Write a time in UTC"),
        ({"scope": "planet"}, "planet"),
    ],
)
def test_what_is_wrong_is_said_and_every_value_kept(ada: Client, night: Night, wrong: dict, words: str):
    answer = ada.post("/policies/new/", SENT | {"start": "61"} | wrong)
    page = answer.content.decode()
    assert answer.status_code == 422
    assert words in page.partition('id="errors"')[2].partition("</div>")[0]
    assert 'name="start" inputmode="decimal" value="61"' in page
    assert ClaimAgePolicy.objects.count() == 1


def test_a_version_published_meanwhile_is_a_conflict_that_keeps_the_form(
    ada: Client, night: Night, monkeypatch: pytest.MonkeyPatch
):
    def beaten(**_: object) -> None:
        raise PublishedMeanwhile("somebody else published a version at the same moment; look again")

    monkeypatch.setattr("occurrences.views.policies.publish", beaten)
    answer = ada.post("/policies/new/", SENT)
    assert answer.status_code == 409
    assert "Somebody else published a version" in answer.content.decode()
    assert "a slow queue" in answer.content.decode()


def test_who_may_not_publish_sees_why_and_is_refused_with_the_same_words(owner: User, night: Night):
    olga = client_of(owner)
    page = flat(olga.get("/policies/").content)
    assert "New version Not possible for you: Needs an admin." in page
    for answer in (olga.get("/policies/new/"), olga.post("/policies/new/", SENT)):
        assert (answer.status_code, "Needs an admin." in flat(answer.content)) == (403, True)
