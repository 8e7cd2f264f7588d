"""The page of one schedule: what comes, what came, its contract in words, and who owns it."""

import re
from datetime import UTC, datetime
from urllib.parse import quote

import pytest
from django.contrib.auth.models import User
from django.test import Client

from occurrences.models import Schedule, Team
from occurrences.queries.pages.addresses import address_of, address_of_schedule
from occurrences.queries.pages.schedule import schedule_page
from tests.builders import BERLIN, BILLING, DAY, SEARCH, Night
from tests.views.clients import client_of, flat, owned

pytestmark = pytest.mark.django_db
HEALTHY = address_of_schedule(BILLING, "healthy")


def test_it_shows_the_next_ten_in_local_time_and_utc(in_browser: Client, night: Night):
    page = in_browser.get(HEALTHY).content.decode().partition('id="coming"')[2].partition("</ol>")[0]
    assert page.count("<li>") == 10
    assert f"{night.due + DAY:%H:%M}Z" in page
    assert "CET" in page or "CEST" in page


def test_a_day_on_which_the_clock_changes_is_explained(night: Night):
    night.plan(BILLING, "fold", rule="30 2 * * *", tz=BERLIN)
    schedule = Schedule.objects.select_related("source", "team").get(key="fold")
    autumn = schedule_page(schedule, now=datetime(2027, 10, 29, tzinfo=UTC))
    assert "happens twice" in autumn.coming[2].note
    spring = schedule_page(schedule, now=datetime(2027, 3, 26, tzinfo=UTC))
    assert "does not exist" in " ".join(each.note for each in spring.coming) or len(spring.coming) == 10


def test_the_contract_names_each_handoff_with_its_allowance_in_force(in_browser: Client, night: Night):
    page = flat(in_browser.get(HEALTHY).content)
    assert "Scheduler tick within 60 s of the due time. Ask: scheduler process. If not: “Tick missing”." in page
    assert "Ready seen with enqueue." in page
    assert "Worker claim within 10 min of ready." in page
    assert "“Claim delayed” or “Claim missing”" in page
    assert "Allowances: All schedules, version 1" in page
    expires = flat(in_browser.get(address_of_schedule(SEARCH, "search/re-index ü")).content)
    assert "7200 s after the enqueue, by the schedule itself" in expires


def test_it_is_linked_from_the_list_and_the_occurrence_and_links_to_what_came(in_browser: Client, night: Night):
    assert f'href="{HEALTHY}"' in in_browser.get("/schedules/").content.decode()
    here = address_of(night.identity("healthy"))
    assert f'href="{HEALTHY}"' in in_browser.get(here).content.decode()
    assert f'href="{here}"' in in_browser.get(HEALTHY).content.decode()


@pytest.mark.parametrize("key", ["switched-off", "sun-rise", "every-minute-or-so"])
def test_one_without_due_times_ahead_says_why(in_browser: Client, night: Night, key: str):
    assert "None is known ahead:" in flat(in_browser.get(address_of_schedule(BILLING, key)).content)


def test_an_unknown_one_is_not_found(in_browser: Client, night: Night):
    for key in ("nothing", quote("a/b"), "%00"):
        assert in_browser.get(f"/schedules/{BILLING}/{key}/").status_code == 404
    assert in_browser.get(HEALTHY.replace("healthy", quote("healthy/team", safe=""))).status_code == 404


def test_an_admin_gives_it_to_a_team(admin: User, night: Night):
    Team.objects.create(name="Billing")
    client = client_of(admin)
    assert client.post(HEALTHY, {"do": "team", "team": "Billing"})["Location"] == HEALTHY
    assert "Owned by team Billing" in flat(client.get(HEALTHY).content)
    assert client.post(HEALTHY, {"do": "team", "team": "Nobody knows"}).status_code == 422
    assert client.post(HEALTHY, {"do": "team", "team": ""}).status_code == 303
    assert Schedule.objects.get(key="healthy").team is None


def test_an_owner_says_what_a_second_run_does(owner: User, night: Night):
    owned("Billing", owner)
    client = client_of(owner)
    assert client.post(HEALTHY, {"do": "recovery", "effect_class": "keyed"}).status_code == 303
    row = Schedule.objects.get(key="healthy")
    assert (row.effect_class, row.operators_may_decide) == ("keyed", False)
    assert client.post(HEALTHY, {"do": "recovery", "effect_class": "x"}).status_code == 422


def test_who_may_not_sees_the_controls_disabled_and_is_refused_with_the_same_words(operator: User, night: Night):
    owned("Billing")
    client = client_of(operator)
    page = client.get(HEALTHY).content.decode().partition('id="owner"')[2].partition("</section>")[0]
    controls = re.findall(r"<(?:button|select|input(?! type=.hidden))[^>]*>", page)
    assert len(controls) == 5
    assert all("disabled" in control for control in controls)
    for do, sentence in (("team", "Needs an admin."), ("recovery", "Needs the owner, team Billing.")):
        assert sentence in page
        refused = client.post(HEALTHY, {"do": do})
        assert (refused.status_code, sentence in flat(refused.content)) == (403, True)
