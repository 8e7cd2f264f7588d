"""Deciding on the occurrence page: once, on the evidence seen, with every word kept when it was refused."""

import re

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from occurrences.models import Decision, Occurrence, Replay, Schedule, Source, WorkItemEntry
from occurrences.queries.pages.addresses import address_of
from occurrences.services.schedules import plan
from tests.builders import BILLING, MINUTE, SECOND, Night
from tests.views.clients import client_of, decide_at, draft, flat, owned

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def targets(settings: object) -> None:
    settings.TARGETS = {BILLING: "redis://127.0.0.1:1/0"}  # type: ignore[attr-defined]


@pytest.fixture
def otto(operator: User) -> Client:
    return client_of(operator)


def section(client: Client, night: Night, key: str = "invoice-rollup") -> str:
    page = client.get(address_of(night.identity(key))).content.decode()
    return page.partition('id="decide"')[2].partition("</section>")[0]


def shown(client: Client, night: Night, key: str = "invoice-rollup") -> str:
    return flat(client.get(address_of(night.identity(key))).content)


def test_the_form_repeats_identity_and_recovery_number_and_chooses_nothing(otto: Client, night: Night):
    form = section(otto, night)
    assert f"Runs again as {night.identity('invoice-rollup')}, recovery 1." in form
    assert "checked" not in form
    assert "disabled" not in form
    assert form.count("<strong>Pass.</strong>") == 9
    assert re.search(r'name="evidence_rev" value="\d+"', form)


def test_each_load_of_the_page_has_a_key_of_its_own(otto: Client, night: Night):
    keys = {re.search(r'name="decision_key" value="([^"]+)"', section(otto, night))[1] for _ in range(2)}  # type: ignore[index]
    assert len(keys) == 2


def test_the_form_is_in_no_part_that_polls(otto: Client, night: Night):
    page = otto.get(address_of(night.identity("invoice-rollup"))).content.decode()
    poll = re.search(r'hx-get="([^"]+)"', page)[1].replace("&amp;", "&")  # type: ignore[index]
    night.path(BILLING, "invoice-rollup", "tick", "enqueue")
    part = otto.get(poll, headers={"HX-Request": "true"}).content.decode()
    assert "decision_key" not in part
    assert "<textarea" not in part
    assert "This occurrence changed after this form was made." in part


def test_a_replay_is_recorded_once_and_shown_with_its_own_rail(otto: Client, night: Night):
    sent = draft(night)
    answer = otto.post(decide_at(night), sent)
    assert (answer.status_code, answer["Location"]) == (303, address_of(night.identity("invoice-rollup")) + "#decided")
    again = otto.post(decide_at(night), sent | {"reason": "pressed twice"})
    assert (again.status_code, again["Location"]) == (303, answer["Location"])
    assert (Decision.objects.count(), Replay.objects.count()) == (1, 1)
    page = shown(otto, night)
    assert "Replay, recovery 1 by otto (operator)" in page
    assert "beat was away, the queue is idle" in page
    assert "Decided and not sent yet. This is not a lost replay: it is sent from here." in page
    assert "Original (RB2)" in page
    assert otto.get(answer["Location"]).content.decode().count('<ol class="rail"') == 2


def test_a_skip_is_recorded_and_shown(otto: Client, night: Night):
    assert otto.post(decide_at(night), draft(night, choice="skip")).status_code == 303
    page = shown(otto, night)
    assert "Skipped: invoice-rollup" in page
    assert "Skip by otto (operator)" in page
    assert Replay.objects.count() == 0


def test_evidence_that_came_meanwhile_makes_a_conflict_that_keeps_every_word(otto: Client, night: Night):
    sent = draft(night, reason="Line one.\n  Line two, “quoted” <b>")
    night.now += SECOND
    night.path(BILLING, "invoice-rollup", "tick", "enqueue")
    answer = otto.post(decide_at(night), sent)
    page = flat(answer.content)
    assert answer.status_code == 409
    assert "Not recorded: this occurrence changed while you were deciding" in page
    assert "Nothing ran." in page
    assert "Enqueue arrived" in page
    assert "A replay now could run the same due time twice." in page
    assert "Verdict now" in page
    assert "Line one.\n  Line two, “quoted” &lt;b&gt;" in answer.content.decode()
    assert Decision.objects.count() == 0


def test_a_decision_that_came_first_is_named_and_the_words_can_be_kept(otto: Client, owner: User, night: Night):
    sent = draft(night, choice="skip", reason="Finance runs it by hand")
    first = client_of(owner).post(decide_at(night), draft(night, reason="olga was faster"))
    assert first.status_code == 303
    answer = otto.post(decide_at(night), sent)
    assert answer.status_code == 409
    assert "olga recorded replay: “olga was faster”" in flat(answer.content)
    form = answer.content.decode().partition("Your draft")[2]
    action = re.search(r'action="([^"]+/comment/)"', form)[1]  # type: ignore[index]
    words = re.search(r'name="text" value="([^"]+)"', form)[1]  # type: ignore[index]
    kept = otto.post(action, {"text": words, "next": address_of(night.identity("invoice-rollup"))})
    assert kept["Location"] == address_of(night.identity("invoice-rollup"))
    assert WorkItemEntry.objects.get(kind="comment").text == "Not recorded, skip: Finance runs it by hand"
    assert Decision.objects.count() == 1


@pytest.mark.parametrize(
    ("wrong", "words"),
    [({"reason": "  "}, "Give a reason"), ({"choice": ""}, "Choose replay or skip"), ({"choice": "both"}, "Choose")],
)
def test_what_is_missing_is_said_and_the_rest_is_kept(otto: Client, night: Night, wrong: dict, words: str):
    sent = draft(night, **wrong)
    answer = otto.post(decide_at(night), sent)
    page = answer.content.decode()
    assert answer.status_code == 422
    summary = page.partition('id="errors"')[2].partition("</div>")[0]
    assert words in summary
    assert 'role="alert" tabindex="-1" id="errors" autofocus' in page
    assert str(sent["decision_key"]) in page
    if wrong.get("choice") is None:
        assert re.search(r'value="replay" checked', page)
    assert Decision.objects.count() == 0


@pytest.mark.parametrize("wrong", [{"evidence_rev": "x"}, {"decision_key": "x"}, {"shown_at": ""}])
def test_a_form_that_was_tampered_with_records_nothing(otto: Client, night: Night, wrong: dict):
    assert otto.post(decide_at(night), draft(night, **wrong)).status_code == 422
    assert Decision.objects.count() == 0


def test_a_failed_check_closes_the_choice_and_the_server_says_the_same(otto: Client, night: Night, settings: object):
    settings.TARGETS = {}  # type: ignore[attr-defined]
    form = section(otto, night)
    sentence = "The source celery:billing has no replay target: run it by hand."
    assert re.search(r'value="replay" disabled', form)
    assert f"<strong>Not possible:</strong> {sentence}" in form
    assert re.search(r'value="skip"\s+aria', form)
    answer = otto.post(decide_at(night), draft(night))
    assert answer.status_code == 422
    assert sentence in answer.content.decode().partition('id="errors"')[2].partition("</div>")[0]
    assert Decision.objects.count() == 0
    assert otto.post(decide_at(night), draft(night, choice="skip")).status_code == 303


def test_what_succeeded_leaves_nothing_to_decide(otto: Client, night: Night):
    form = section(otto, night, "healthy")
    assert "there is nothing to decide" in form
    assert form.count("disabled") >= 4
    assert otto.post(decide_at(night, "healthy"), draft(night, "healthy", choice="skip")).status_code == 422


def test_a_viewer_sees_who_can_and_is_refused_with_the_same_words(viewer: User, night: Night):
    vera = client_of(viewer)
    sentence = "Needs an operator or an admin, because no team owns this schedule."
    assert sentence in section(vera, night)
    for sent in (draft(night), {}):
        answer = vera.post(decide_at(night), sent)
        assert (answer.status_code, sentence in flat(answer.content)) == (403, True)
    assert Decision.objects.count() == 0


def test_where_operators_may_not_decide_the_owning_team_is_named(otto: Client, owner: User, night: Night):
    owned("Billing", owner)
    Schedule.objects.update(operators_may_decide=False)
    sentence = "Needs the owner, team Billing."
    assert sentence in section(otto, night)
    answer = otto.post(decide_at(night), draft(night))
    assert (answer.status_code, sentence in flat(answer.content)) == (403, True)
    assert client_of(owner).post(decide_at(night), draft(night)).status_code == 303


def test_a_source_that_is_switched_off_closes_both(otto: Client, night: Night):
    Source.objects.filter(name=BILLING).update(enabled=False)
    assert section(otto, night).count("The source celery:billing is disabled.") == 3


def test_an_occurrence_that_does_not_exist_is_not_found_and_get_leads_to_the_page(otto: Client, night: Night):
    here = address_of(night.identity("invoice-rollup"))
    assert otto.get(f"{here}decisions/")["Location"] == here
    assert otto.post(f"{here.replace('00Z', '01Z')}decisions/", draft(night)).status_code == 404


def test_before_it_is_due_there_is_nothing_to_decide(otto: Client, night: Night):
    night.plan(BILLING, "soon", rule="every 240s", dialect="interval", anchor="1970-01-01T00:00:00Z", tz="UTC")
    plan(now=night.now, ahead=10 * MINUTE)
    soon = Occurrence.objects.filter(schedule__key="soon", due_at__gt=night.now + MINUTE).order_by("-due_at")[0]
    page = otto.get(address_of(soon.identity)).content.decode()
    assert "It is not due yet, so there is nothing to decide." in page
    assert "decision_key" not in page


def test_the_number_of_statements_does_not_grow_with_the_decisions(otto: Client, night: Night):
    def statements() -> int:
        with CaptureQueriesContext(connection) as context:
            otto.get(address_of(night.identity("invoice-rollup")))
        return len(context)

    otto.post(decide_at(night), draft(night, choice="skip"))
    statements()
    one = statements()
    for n in range(3):
        assert otto.post(decide_at(night), draft(night, choice="skip", reason=f"again {n}")).status_code == 303
    assert statements() == one
