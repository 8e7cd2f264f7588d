"""Each page in both sizes and both themes: axe finds nothing, the browser complains of nothing, nothing sticks out."""

from collections.abc import Callable
from pathlib import Path

import pytest
from django.contrib.auth.models import User

from occurrences.models import Sweep, WorkItem
from occurrences.queries.clock import database_now
from occurrences.queries.pages.addresses import address_of, address_of_schedule
from tests.browser.looks import problems_of, shoot, sticks_out, violations
from tests.builders import BILLING, DAY, MAIL, PARTNER, SEARCH, Night, few_signals, odd_evidence

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
LOOKS = [(size, theme) for size in ("wide", "phone") for theme in ("light", "dark")]


def main_pages(night: Night) -> dict[str, str]:
    return {
        "inbox": "/inbox/",
        "occurrence": address_of(night.identity("invoice-rollup")),
        "occurrence-delayed": address_of(night.identity("search/re-index ü", source=SEARCH)),
    }


def other_pages(night: Night) -> dict[str, str]:
    items = WorkItem.objects.filter(closed_at__isnull=True)
    return {
        "inbox-filtered": "/inbox/?verdict=delayed-claim",
        "inbox-no-match": "/inbox/?verdict=duplicate",
        "occurrence-well": address_of(night.identity("healthy")),
        "occurrence-failed": address_of(night.identity("broken")),
        "occurrence-blind": address_of(night.identity("partner-sync", source=PARTNER)),
        "occurrence-signals": address_of(night.identity("few-signals", source=MAIL)),
        "schedule-clock": address_of_schedule(MAIL, "spring-and-autumn"),
        "occurrence-none": address_of(night.identity("healthy")).replace("00Z", "01Z"),
        "work-item": f"/work-items/{items.get(verdict='missing-tick').pk}/",
        "work-item-gap": f"/work-items/{items.get(verdict='unknown').pk}/",
        "schedules": "/schedules/",
        "schedule": address_of_schedule(BILLING, "invoice-rollup"),
        "schedule-unwatched": address_of_schedule(BILLING, "sun-rise"),
        "sources": "/sources/",
        "source": f"/sources/{BILLING}/",
        "source-blind": f"/sources/{PARTNER}/",
        "evidence": f"/sources/{BILLING}/evidence/",
        "evidence-quarantine": f"/sources/{BILLING}/evidence/?kind=quarantine",
        "evidence-none": f"/sources/{BILLING}/evidence/?kind=unlinked",
        "policies": "/policies/",
        "not-allowed": "/policies/new/",
        "decisions-none": "/decisions/",
        "account": "/account/",
        "nothing": "/nothing/",
    }


def shoot_and_check(open_page: Callable, shots: Path, pages: dict[str, str], size: str, theme: str) -> list[object]:
    problems: list[object] = []
    for name, address in pages.items():
        watched = open_page(address, size=size, theme=theme)
        shoot(watched.page, shots, f"{name}-{size}-{theme}")
        problems += [(name, each) for each in problems_of(watched.page)]
        problems += [(name, each) for each in watched.complaints if "404" not in each and "403" not in each]
        watched.page.close()
    return problems


@pytest.mark.parametrize(("size", "theme"), LOOKS)
def test_the_main_pages_are_accessible_and_quiet(night: Night, open_page: Callable, shots: Path, size: str, theme: str):
    assert shoot_and_check(open_page, shots, main_pages(night), size, theme) == []
    WorkItem.objects.update(closed_at=database_now(), closed_as="by hand")
    empty = {"inbox-empty": "/inbox/"}
    assert shoot_and_check(open_page, shots, empty, size, theme) == []
    Sweep.objects.update(as_of=night.due, ended_at=night.due)
    assert shoot_and_check(open_page, shots, {"inbox-empty-late": "/inbox/"}, size, theme) == []


@pytest.mark.parametrize(("size", "theme"), [("wide", "light"), ("phone", "dark")])
def test_the_other_pages_are_too(night: Night, open_page: Callable, shots: Path, size: str, theme: str):
    odd_evidence(night)
    few_signals(night)
    assert shoot_and_check(open_page, shots, other_pages(night), size, theme) == []


@pytest.mark.parametrize(("size", "theme"), LOOKS)
def test_what_an_admin_sees_is_too(night: Night, admin: User, open_page: Callable, shots: Path, size: str, theme: str):
    WorkItem.objects.filter(verdict="failed").update(snoozed_until=night.now + DAY, snoozed_at=night.now)
    problems: list[object] = []
    page = open_page("/policies/new/", size=size, theme=theme, who=admin).page
    page.locator("input[name=claim]").fill("300")
    for name, reason in (("policy-422", ""), ("policies-two", "Half the claim age: the queue is short at night")):
        page.get_by_label("Reason (needed)").fill(reason)
        page.get_by_role("button", name="Publish").click()
        shoot(page, shots, f"{name}-{size}-{theme}")
        problems += [(name, each) for each in problems_of(page)]
    for name, address in {
        "policy-new": "/policies/new/",
        "occurrence-moved": address_of(night.identity("invoice-rollup")),
        "schedule-admin": address_of_schedule(BILLING, "invoice-rollup"),
        "inbox-waiting": "/inbox/",
        "people": "/admin/",
        "person": f"/admin/auth/user/{admin.pk}/change/",
    }.items():
        watched = open_page(address, size=size, theme=theme, who=admin)
        shoot(watched.page, shots, f"{name}-{size}-{theme}")
        problems += [(name, each) for each in watched.complaints]
        problems += [(name, each) for each in problems_of(watched.page) if not address.startswith("/admin/")]
    assert problems == []


@pytest.mark.parametrize("address", ["/sign-in/", "/sign-in/a-token/"])
def test_the_pages_before_signing_in_are_too(person: Callable, open_page: Callable, shots: Path, address: str):
    for size, theme in (("wide", "light"), ("phone", "dark")):
        watched = open_page(address, size=size, theme=theme, signed_in=False)
        watched.page.screenshot(path=shots / f"{address.strip('/').replace('/', '-')}-{size}-{theme}.png")
        assert (violations(watched.page), watched.complaints, sticks_out(watched.page)) == ([], [], False)


def test_at_320_pixels_nothing_sticks_out(night: Night, open_page: Callable):
    odd_evidence(night)
    few_signals(night)
    out = []
    for name, address in (main_pages(night) | other_pages(night)).items():
        watched = open_page(address, size="narrow")
        out += [name] if sticks_out(watched.page) else []
        watched.page.close()
    assert out == []


def test_what_to_know_first_is_on_the_first_screen(night: Night, open_page: Callable):
    page = open_page(address_of(night.identity("invoice-rollup"))).page
    last = page.evaluate("document.querySelector('.facts').getBoundingClientRect().bottom")
    assert last <= 800
    assert page.evaluate("document.querySelector('.rail').getBoundingClientRect().bottom") <= 800


def test_each_thing_one_can_press_is_reached_by_the_keyboard_with_a_ring(night: Night, open_page: Callable):
    page = open_page("/inbox/").page
    wanted = page.evaluate(
        "[...document.querySelectorAll('a[href], button, summary')].filter(e => e.checkVisibility()).length"
    )
    seen = set()
    for _ in range(wanted):
        page.keyboard.press("Tab")
        seen.add(page.evaluate("document.activeElement.outerHTML"))
        assert page.evaluate("getComputedStyle(document.activeElement).outlineStyle") == "solid"
    assert len(seen) == wanted
