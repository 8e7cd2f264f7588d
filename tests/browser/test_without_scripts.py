"""Everything works without JavaScript."""

from collections.abc import Callable

import pytest
from django.contrib.auth.models import User
from django.urls import reverse
from playwright.sync_api import expect

from occurrences.queries.clock import database_now
from occurrences.services.people import fresh_link
from tests.builders import Night

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
PASSWORD = "a long enough phrase"


def test_one_signs_in_filters_reads_changes_the_theme_and_signs_out(night: Night, operator: User, open_page: Callable):
    operator.set_unusable_password()
    operator.save()
    link = reverse("sign-in-link", args=[fresh_link(person=operator, now=database_now())])
    watched = open_page(link, scripts=False, signed_in=False)
    page = watched.page
    page.get_by_role("button", name="Sign in").click()
    expect(page.locator("h1")).to_have_text("Inbox")
    expect(page.locator("p.note")).to_contain_text("Set a password")

    page.locator("summary").click()
    page.get_by_label("Verdict").select_option("delayed-claim")
    page.get_by_role("button", name="Filter").click()
    assert "verdict=delayed-claim" in page.url
    assert page.locator("table.inbox tbody tr").count() == 1
    page.locator("td.c-what a.t").click()
    expect(page.locator("h1")).to_contain_text("Claim delayed: search/re-index ü")
    page.locator("#r1 > summary").click()
    expect(page.locator("#r1 pre")).to_be_visible()

    page.get_by_role("link", name="Schedules").click()
    expect(page.locator("h1")).to_have_text("Schedules")
    page.get_by_role("button", name="Dark").click()
    assert page.locator("html").get_attribute("data-theme") == "dark"
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(14, 19, 25)"

    page.get_by_role("link", name=operator.username).click()
    page.get_by_label("New password", exact=True).fill(PASSWORD)
    page.get_by_label("New password confirmation").fill(PASSWORD)
    page.get_by_role("button", name="Save the password").click()
    expect(page.locator("p.note")).to_have_text("Your password is set.")
    page.get_by_role("button", name="Sign out").click()
    page.get_by_label("Name").fill(operator.username)
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Sign in").click()
    expect(page.locator("h1")).to_have_text("Inbox")
    assert watched.complaints == []


def test_a_page_that_cannot_refresh_itself_offers_a_link(night: Night, open_page: Callable):
    page = open_page("/inbox/", scripts=False).page
    stamp = page.locator("#live")
    expect(stamp).to_contain_text("refresh")
    stamp.click()
    expect(page.locator("h1")).to_have_text("Inbox")
