"""Live pages: what the script does between two loads, in a real browser."""

from collections.abc import Callable

import pytest
from django.contrib.sessions.models import Session
from playwright.sync_api import Page, expect

from occurrences.models import Sweep, WorkItem
from occurrences.queries.clock import database_now
from occurrences.queries.pages.addresses import address_of
from tests.builders import BILLING, Night

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
POLLED = 12_000  # one poll is 5 s away; a loaded machine is given another


def answers(page: Page, address: str) -> list[int]:
    """The status of each poll from now on."""
    seen: list[int] = []
    page.on("response", lambda r: address in r.url and seen.append(r.status))
    return seen


def test_polls_without_news_are_204_and_touch_nothing(night: Night, open_page: Callable):
    watched = open_page("/inbox/", own_clock=True)
    page = watched.page
    seen = answers(page, "/inbox/poll/")
    page.evaluate("""() => { window.touched = 0;
        new MutationObserver((all) => { window.touched += all.length })
            .observe(document.querySelector('table.inbox'), {childList: true, attributes: true}) }""")
    for _ in range(5):
        with page.expect_response("**/inbox/poll/**"):
            page.clock.run_for(5100)
    assert set(seen) == {204}
    assert page.evaluate("window.touched") == 0
    assert watched.complaints == []


def test_a_change_arrives_by_itself_and_the_focus_stays(night: Night, open_page: Callable):
    watched = open_page("/inbox/")
    page = watched.page
    item = WorkItem.objects.get(verdict="failed", closed_at__isnull=True)
    page.locator(f"#w{item.pk}").focus()
    WorkItem.objects.filter(pk=item.pk).update(priority=1, changed_at=database_now())
    expect(page.locator(f"tr:has(#w{item.pk}) .prio")).to_have_text("P1", timeout=POLLED)
    assert page.evaluate("document.activeElement.id") == f"w{item.pk}"
    expect(page.locator("#say")).to_have_text("5 open work items, 1 closed by itself.")
    WorkItem.objects.filter(pk=item.pk).update(closed_at=database_now(), closed_as="by hand", changed_at=database_now())
    expect(page).to_have_title("(4) Inbox - Aglet Recovery", timeout=POLLED)
    assert watched.complaints == []


def test_a_late_detector_appears_on_an_open_page(night: Night, open_page: Callable):
    page = open_page("/inbox/").page
    Sweep.objects.update(as_of=night.due, ended_at=night.due)
    expect(page.locator("#late")).to_contain_text("New misses are not being found.", timeout=POLLED)
    assert page.locator("#icon").get_attribute("href").endswith("late.svg")


def test_an_open_record_stays_open_when_new_evidence_comes(night: Night, open_page: Callable):
    watched = open_page(address_of(night.identity("invoice-rollup")))
    page = watched.page
    page.locator("#r1 > summary").click()
    night.path(BILLING, "invoice-rollup", "tick", "enqueue")
    expect(page.locator("#verdict")).not_to_contain_text("Enqueue missing", timeout=POLLED)
    assert page.locator("#r1").get_attribute("open") is not None
    assert watched.complaints == []


def test_the_end_of_the_session_shows_a_banner_and_no_sign_in_form_in_the_list(night: Night, open_page: Callable):
    page = open_page("/inbox/").page
    Session.objects.all().delete()
    note = page.get_by_role("alert")
    expect(note).to_contain_text("You were signed out", timeout=POLLED)
    assert note.get_by_role("link").get_attribute("href") == "/sign-in/?next=%2Finbox%2F"
    assert page.locator("input[type=password]").count() == 0
    assert page.locator("table.inbox").count() == 1
    expect(page.locator("#live")).to_contain_text("signed out")


def test_ages_grow_on_the_page_by_the_servers_clock(night: Night, open_page: Callable):
    page = open_page("/inbox/", own_clock=True).page
    age = page.locator("tbody time[data-age]").first
    before = age.text_content()
    page.clock.run_for(6000)
    assert age.text_content() != before


def test_without_a_server_the_page_says_that_it_is_stale_and_recovers(night: Night, open_page: Callable):
    page = open_page("/inbox/", own_clock=True).page
    page.route("**/poll/**", lambda route: route.abort())
    for _ in range(8):
        page.clock.run_for(5000)
    expect(page.locator("#live")).to_contain_text("Not updating since")
    page.unroute_all()
    with page.expect_response("**/inbox/poll/**"):
        page.clock.run_for(61_000)
    expect(page.locator("#live")).to_contain_text("Live")


def test_a_hidden_page_does_not_poll(night: Night, open_page: Callable):
    page = open_page("/inbox/", own_clock=True).page
    page.evaluate("Object.defineProperty(document, 'hidden', {get: () => true})")
    seen = answers(page, "/inbox/poll/")
    page.clock.run_for(120_000)
    page.wait_for_timeout(300)
    assert seen == []


def test_back_shows_the_whole_page(night: Night, open_page: Callable):
    page = open_page("/inbox/?verdict=missing-enqueue", own_clock=True).page
    with page.expect_response("**/inbox/poll/**"):
        page.clock.run_for(6000)
    page.locator("td.c-what a.t").first.click()
    expect(page.locator("#verdict")).to_contain_text("Enqueue missing: invoice-rollup")
    page.go_back()
    expect(page.locator("header.top")).to_be_visible()
    assert page.locator("table.inbox tbody tr").count() == 1
