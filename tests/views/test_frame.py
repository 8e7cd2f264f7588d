"""What holds for every page: no inline code, no stale copy, the theme without a flash, and the detector's banner."""

import re
from datetime import timedelta

import pytest
from django.test import Client

from occurrences.models import Sweep
from occurrences.queries.clock import database_now
from occurrences.queries.pages.addresses import address_of
from tests.builders import Night

pytestmark = pytest.mark.django_db
INLINE = re.compile(r"<style|<script(?![^>]*\bsrc=)|\sstyle=|\son[a-z]+=|javascript:", re.IGNORECASE)


def pages(night: Night) -> list[str]:
    return ["/inbox/", "/schedules/", "/account/", address_of(night.identity("invoice-rollup"))]


def test_no_page_has_inline_code_and_each_forbids_it(in_browser: Client, night: Night):
    for address in [*pages(night), "/sign-in/", "/nothing/"]:
        answer = in_browser.get(address, follow=True)
        assert not INLINE.search(answer.content.decode()), address
        assert "default-src 'self'" in answer["Content-Security-Policy"]


def test_what_a_signed_in_person_saw_is_not_kept_by_the_browser(in_browser: Client, night: Night):
    for address in pages(night):
        answer = in_browser.get(address)
        assert "no-store" in answer["Cache-Control"]
        assert "HX-Request" in answer["Vary"]


def test_the_theme_is_kept_in_a_cookie_and_rendered_into_the_page(in_browser: Client):
    assert '<html lang="en" data-theme="auto">' in in_browser.get("/account/").content.decode()
    in_browser.post("/theme/", {"theme": "dark", "next": "/account/"})
    assert '<html lang="en" data-theme="dark">' in in_browser.get("/account/").content.decode()
    in_browser.post("/theme/", {"theme": "pink"})
    assert '<html lang="en" data-theme="dark">' in in_browser.get("/account/").content.decode()


def late_on(client: Client, address: str) -> bool:
    return "New misses are not being found." in client.get(address).content.decode()


def test_a_late_detector_is_told_on_every_signed_in_page_and_on_no_other(in_browser: Client, night: Night):
    assert not any(late_on(in_browser, address) for address in pages(night))
    Sweep.objects.update(as_of=database_now() - timedelta(minutes=6), ended_at=database_now() - timedelta(minutes=6))
    assert all(late_on(in_browser, address) for address in [*pages(night), "/nothing/"])
    assert "The detector last ran" in in_browser.get("/schedules/").content.decode()
    assert not late_on(Client(), "/sign-in/")


def test_a_detector_that_never_ran_is_late(in_browser: Client):
    assert "The detector has not run yet." in in_browser.get("/schedules/").content.decode()


def test_the_pages_for_refusals_say_what_to_do(in_browser: Client):
    assert "There is no page at this address" in in_browser.get("/nothing/").content.decode()
    strict = Client(enforce_csrf_checks=True)
    refused = strict.post("/sign-in/", {"username": "a", "password": "b"})
    assert (refused.status_code, "Nothing was changed" in refused.content.decode()) == (403, True)


def test_the_page_for_a_fault_of_ours_needs_neither_database_nor_session():
    from django.template.loader import get_template

    assert "The fault is in the console" in get_template("500.html").render()
