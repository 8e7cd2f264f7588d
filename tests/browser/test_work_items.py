"""The page of a work item with its script: the changed part alone, the focus on what came of it, and typing kept."""

from collections.abc import Callable

import pytest
from django.contrib.auth.models import User
from playwright.sync_api import expect

from occurrences.models import WorkItem
from occurrences.queries.clock import database_now
from occurrences.services import work_items
from tests.builders import Night

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
POLLED = 12_000


@pytest.fixture
def item(night: Night) -> WorkItem:
    return WorkItem.objects.get(verdict="missing-tick", closed_at=None)


def test_an_act_changes_its_part_and_takes_the_focus(item: WorkItem, operator: User, open_page: Callable):
    watched = open_page(f"/work-items/{item.pk}/", who=operator)
    page = watched.page
    page.evaluate("window.same = true")
    page.get_by_label("What should the others know?").fill("half a comment")
    page.get_by_role("button", name="Assign to me").click()
    expect(page.locator("#done")).to_have_text("Assigned: to otto, was nobody")
    expect(page.locator("#now")).to_contain_text("otto")
    expect(page.locator("#lines")).to_contain_text("assigned: to otto, was nobody")
    assert page.evaluate("document.activeElement.id") == "done"
    assert page.get_by_label("What should the others know?").input_value() == "half a comment"
    assert page.get_by_role("button", name="Assign to me").count() == 0
    page.get_by_role("button", name="Add the comment").click()
    expect(page.locator("#lines .comment")).to_contain_text("half a comment")
    assert page.get_by_label("What should the others know?").input_value() == ""
    assert page.evaluate("window.same")
    assert watched.complaints == []


def test_a_refusal_takes_the_focus_and_keeps_what_was_typed(item: WorkItem, operator: User, open_page: Callable):
    page = open_page(f"/work-items/{item.pk}/", who=operator).page
    page.get_by_label("Wait until (UTC)").fill("tomorrow")
    page.get_by_role("button", name="Wait", exact=True).click()
    expect(page.locator("#errors")).to_contain_text("Write a time in UTC")
    assert page.evaluate("document.activeElement.id") == "errors"
    assert page.get_by_label("Wait until (UTC)").input_value() == "tomorrow"


def test_what_another_person_does_arrives_while_one_types(
    item: WorkItem, operator: User, owner: User, open_page: Callable
):
    watched = open_page(f"/work-items/{item.pk}/", who=operator)
    page = watched.page
    page.get_by_label("What should the others know?").fill("half a comment")
    work_items.set_priority(pk=item.pk, priority=1, by=owner, now=database_now())
    expect(page.locator("#now")).to_contain_text("P1", timeout=POLLED)
    expect(page.locator("#lines")).to_contain_text("olga priority: P1, was P2")
    assert page.get_by_label("What should the others know?").input_value() == "half a comment"
    assert page.evaluate("document.activeElement.id") == "text"
    assert watched.complaints == []
