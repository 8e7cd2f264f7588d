"""Deciding in a browser: replay to verified, skip, conflict and refusal, with and without JavaScript."""

from collections.abc import Callable
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from playwright.sync_api import Page, expect

from occurrences.models import Decision, Replay, WorkItem
from occurrences.queries.clock import database_now
from occurrences.queries.pages.addresses import address_of
from occurrences.services.replays import read_back
from tests.browser.looks import problems_of, shoot
from tests.builders import BILLING, Night, replayed

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
POLLED = 12_000
LOOKS = [(size, theme) for size in ("wide", "phone") for theme in ("light", "dark")]


@pytest.fixture(autouse=True)
def targets(settings: object) -> None:
    settings.TARGETS = {BILLING: "redis://127.0.0.1:1/0"}  # type: ignore[attr-defined]


def here(night: Night, key: str = "invoice-rollup") -> str:
    return address_of(night.identity(key))


def decide(page: Page, choice: str, reason: str) -> None:
    if choice:
        page.locator(f"input[value={choice}]").check()
    page.get_by_label("Reason (needed)").fill(reason)
    page.get_by_role("button", name="Record the decision").click()


def test_from_the_inbox_to_a_verified_replay_in_four_clicks(night: Night, operator: User, open_page: Callable):
    watched = open_page("/inbox/", who=operator)
    page = watched.page
    page.locator("td.c-what a.t").first.click()
    decide(page, "replay", "beat was away; the queue is idle")
    expect(page.locator("#decided")).to_be_visible()
    assert page.url.endswith("#decided")
    expect(page.get_by_role("heading", name="Recovery 1")).to_be_visible()
    expect(page.locator("#decide")).to_contain_text("Recovery 1 of this due time is under way.")
    now = database_now()
    Replay.objects.update(published_at=now)
    replayed(night, "invoice-rollup", "claim", "start", "terminal", at=now)
    expect(page.locator("#path")).to_contain_text("Verified", timeout=POLLED)
    expect(page.locator("h1")).to_contain_text("Recovered: invoice-rollup", timeout=POLLED)
    assert page.locator("ol.rail").count() == 2
    assert watched.complaints == []


def test_a_skip_in_the_browser(night: Night, operator: User, open_page: Callable):
    watched = open_page(here(night), who=operator)
    decide(watched.page, "skip", "Finance runs it by hand at 08:00")
    expect(watched.page.locator("h1")).to_contain_text("Skipped: invoice-rollup")
    expect(watched.page.get_by_text("Finance runs it by hand at 08:00").first).to_be_visible()
    assert watched.complaints == []


def test_typing_survives_the_polls_and_what_changed_is_a_conflict(
    night: Night, operator: User, open_page: Callable, shots: Path
):
    watched = open_page(here(night), who=operator)
    page = watched.page
    page.locator("input[value=replay]").check()
    reason = page.get_by_label("Reason (needed)")
    reason.fill("half a sentence")
    night.path(BILLING, "invoice-rollup", "tick", "enqueue")
    expect(page.locator("#news")).to_contain_text("This occurrence changed after this form was made", timeout=POLLED)
    assert reason.input_value() == "half a sentence"
    assert page.locator("input[value=replay]").is_checked()
    assert page.evaluate("document.activeElement.id") == "reason"
    page.get_by_role("button", name="Record the decision").click()
    expect(page.locator("h1")).to_contain_text("Not recorded: this occurrence changed while you were deciding")
    assert page.evaluate("document.activeElement.id") == "conflict"
    expect(page.locator("main")).to_contain_text("half a sentence")
    page.get_by_role("button", name="Keep my words as a note").click()
    expect(page.locator("#after")).to_contain_text("Not recorded, replay: half a sentence")
    assert Decision.objects.count() == 0
    assert [each for each in watched.complaints if "409" not in each] == []


def test_an_error_takes_the_focus_and_keeps_the_choice(night: Night, operator: User, open_page: Callable):
    page = open_page(here(night), who=operator).page
    decide(page, "skip", "  ")
    assert page.evaluate("document.activeElement.id") == "errors"
    assert page.locator("input[value=skip]").is_checked()
    decide(page, "", "now with a reason")
    expect(page.locator("#decided")).to_be_visible()


def test_a_double_press_decides_once(night: Night, operator: User, open_page: Callable):
    page = open_page(here(night), who=operator).page
    page.locator("input[value=replay]").check()
    page.get_by_label("Reason (needed)").fill("twice")
    page.get_by_role("button", name="Record the decision").dblclick()
    expect(page.locator("#decided")).to_be_visible()
    assert (Decision.objects.count(), Replay.objects.count()) == (1, 1)


@pytest.mark.parametrize(("size", "theme"), LOOKS)
def test_each_look_of_deciding_is_accessible(
    night: Night, operator: User, viewer: User, open_page: Callable, shots: Path, size: str, theme: str
):
    def look(name: str, page: Page) -> None:
        shoot(page, shots, f"{name}-{size}-{theme}")
        problems.extend((name, each) for each in problems_of(page))

    problems: list[object] = []
    reading = open_page(here(night), size=size, theme=theme)
    look("decide-viewer", reading.page)
    watched = open_page(here(night), size=size, theme=theme, who=operator)
    look("decide", watched.page)
    stale = open_page(here(night), size=size, theme=theme, who=operator)
    decide(watched.page, "replay", "")
    look("decide-422", watched.page)
    decide(watched.page, "", "beat was away; the queue is idle")
    look("rails-decided", watched.page)
    decide(stale.page, "replay", "I saw the same a minute later")
    look("conflict-409", stale.page)
    now = database_now()
    Replay.objects.update(published_at=now)
    replayed(night, "invoice-rollup", "claim", "start", "terminal", at=now)
    read_back(by="tests", now=database_now())
    watched.page.goto(here(night))
    look("rails-verified", watched.page)
    watched.page.goto(f"/work-items/{WorkItem.objects.get(verdict='missing-tick', closed_at=None).pk}/")
    look("work-item", watched.page)
    watched.page.goto("/decisions/")
    look("decisions", watched.page)
    loud = [c for each in (reading, watched, stale) for c in each.complaints if "409" not in c and "422" not in c]
    assert (problems, loud) == ([], [])


def test_the_whole_flow_without_scripts(night: Night, operator: User, open_page: Callable):
    watched = open_page("/inbox/", who=operator, scripts=False)
    page = watched.page
    page.locator("td.c-what a.t").first.click()
    decide(page, "replay", " ")
    expect(page.locator("#errors")).to_contain_text("Give a reason")
    decide(page, "", "beat was away")
    expect(page.locator("#decided")).to_be_visible()
    stale = open_page(here(night, "broken"), who=operator, scripts=False).page
    page.goto(here(night, "broken"))
    decide(page, "skip", "by hand")
    decide(stale, "skip", "me too")
    expect(stale.locator("h1")).to_contain_text("Not recorded")
    stale.get_by_role("button", name="Keep my words as a note").click()
    expect(stale.locator("#after")).to_contain_text("Not recorded, skip: me too")
    stale.get_by_role("link", name="Work item", exact=False).first.click()
    for label, value, button in (
        ("Next decision", "ask Finance", "Write it down"),
        ("Wait until (UTC)", "18:00Z", "Wait"),
    ):
        stale.get_by_label(label).fill(value)
        stale.get_by_role("button", name=button, exact=True).click()
        expect(stale.locator("p.note").first).to_be_visible()
    stale.get_by_role("button", name="Assign to me").click()
    expect(stale.locator("#now")).to_contain_text("otto")
    expect(stale.locator("#now")).to_contain_text("Waiting until")
    stale.get_by_role("button", name="Wait no longer").click()
    stale.get_by_label("Close by hand, because").fill("decided")
    stale.get_by_role("button", name="Close by hand").click()
    expect(stale.locator("#now")).to_contain_text("Closed by hand")
    page.get_by_role("link", name="Decisions").click()
    assert page.locator("tbody tr").count() == 2
    assert [each for each in watched.complaints if "409" not in each and "422" not in each] == []
