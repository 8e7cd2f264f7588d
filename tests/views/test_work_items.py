"""The page of a work item: its occurrences, oldest first, and its timeline."""

import re

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from occurrences.models import Absence, AuditEntry, WorkItem, WorkItemEntry
from occurrences.queries.clock import database_now
from occurrences.queries.pages.addresses import address_of
from tests.builders import BILLING, DAY, PARTNER, SECOND, Night
from tests.views.clients import client_of, decide_at, draft, flat

pytestmark = pytest.mark.django_db


def page(client: Client, verdict: str) -> str:
    item = WorkItem.objects.get(verdict=verdict, closed_at__isnull=True)
    return client.get(f"/work-items/{item.pk}/").content.decode()


def test_it_lists_each_occurrence_with_its_address(in_browser: Client, night: Night):
    shown = page(in_browser, "missing-tick")
    for n in range(4):
        assert f'href="{address_of(night.identity(f"ledger-{n}"))}"' in shown
    assert shown.count("joined: Tick missing") == 3


def test_a_gap_lists_what_cannot_be_told_because_of_it(in_browser: Client, night: Night):
    shown = re.sub(r"\s+", " ", page(in_browser, "unknown"))
    assert "Nothing was heard of celery:partner after" in shown
    assert "The observer was blind from" in shown
    assert address_of(night.identity("partner-sync", source=PARTNER)) in shown


def test_an_occurrence_that_was_missing_twice_counts_once_and_what_was_answered_no_longer_as_missing(
    in_browser: Client, night: Night
):
    one = Absence.objects.filter(verdict="missing-tick", closed_at=None).order_by("pk").first()
    assert one is not None
    Absence.objects.filter(pk=one.pk).update(closed_at=night.now + DAY, closed_as="arrived")
    words = "4 occurrences, one likely cause, 3 still missing: the first absent handoff is scheduler tick"
    assert words in flat(page(in_browser, "missing-tick"))
    one.pk, one.closed_at, one.closed_as = None, None, None
    one.save(force_insert=True)
    shown = flat(page(in_browser, "missing-tick"))
    assert "4 occurrences, one likely cause: the first absent" in shown
    assert shown.count("Absence: open") == 4
    assert "4 occurrences, one work item" in flat(in_browser.get(address_of(night.identity("ledger-0"))).content)


def test_an_unknown_one_is_not_found(in_browser: Client):
    for pk in (987654321, 99999999999999999999):
        assert in_browser.get(f"/work-items/{pk}/").status_code == 404


HTMX = {"HX-Request": "true"}


@pytest.fixture
def item(night: Night) -> WorkItem:
    return WorkItem.objects.get(verdict="missing-tick", closed_at__isnull=True)


@pytest.fixture
def otto(operator: User) -> Client:
    return client_of(operator)


def act(client: Client, item: WorkItem, do: str, **sent: object) -> str:
    answer = client.post(f"/work-items/{item.pk}/{do}/", sent, follow=True)
    assert answer.redirect_chain == [(f"/work-items/{item.pk}/", 303)], answer.content.decode()
    item.refresh_from_db()
    return flat(answer.content)


def refusal(client: Client, item: WorkItem, do: str, **sent: object) -> str:
    answer = client.post(f"/work-items/{item.pk}/{do}/", sent)
    assert answer.status_code == 422
    return flat(answer.content.decode().partition('id="result"')[2].partition("</div>")[0].join(["<main>", ""]))


def test_it_says_what_is_wrong_and_whom_to_ask(otto: Client, item: WorkItem):
    shown = flat(otto.get(f"/work-items/{item.pk}/").content)
    assert "4 occurrences, one likely cause: the first absent handoff is scheduler tick." in shown
    assert "ask: scheduler process" in shown


def test_each_act_shows_what_came_of_it_and_what_was_before(otto: Client, operator: User, item: WorkItem):
    assert "Assigned: to otto, was nobody" in act(otto, item, "assign", owner="otto")
    assert item.owner == operator
    assert "Assigned: to nobody, was otto" in act(otto, item, "assign", owner="")
    assert "Priority: P1, was P2" in act(otto, item, "priority", priority="1")
    assert "Next decision: replay before 04:30Z?" in act(otto, item, "next-decision", text="replay before 04:30Z?")
    assert "beat-1 was redeployed" in act(otto, item, "comment", text="beat-1 was redeployed")
    assert AuditEntry.objects.filter(subject=f"work item {item.pk}").count() == 5


@pytest.mark.parametrize("until", ["2099-11-29T18:00Z", "2099-11-29 19:00:00+01:00"])
def test_waiting_shows_what_was_understood_and_ends_by_hand(otto: Client, item: WorkItem, until: str):
    assert "Waiting: until 2099-11-29 18:00Z, or the next handoff" in act(otto, item, "snooze", until=until)
    assert "Woken: waits no longer" in act(otto, item, "wake")


def test_a_clock_time_is_the_next_such_time(otto: Client, item: WorkItem):
    for hours in (1, 23):
        at = (database_now() + hours * 3600 * SECOND).replace(second=0, microsecond=0)
        act(otto, item, "snooze", until=f"{at:%H:%M}Z")
        assert item.snoozed_until == at


@pytest.mark.parametrize("until", ["", "18:00", "tomorrow", "25:00Z", "2026-13-01T00:00Z", "9999-12-31T23:59-12:00"])
def test_a_time_that_is_not_understood_is_refused_with_how_to_write_it(otto: Client, item: WorkItem, until: str):
    assert "Write a time in UTC" in refusal(otto, item, "snooze", until=until)


def test_a_time_that_is_over_is_refused_and_kept_in_its_field(otto: Client, item: WorkItem):
    answer = otto.post(f"/work-items/{item.pk}/snooze/", {"until": "2020-01-01T00:00Z"})
    assert "The time to wait until lies in the past." in answer.content.decode()
    assert 'value="2020-01-01T00:00Z"' in answer.content.decode()


def test_closing_and_reopening_need_a_reason(otto: Client, item: WorkItem):
    assert "Give a reason" in refusal(otto, item, "close", reason=" ")
    assert "Closed: it was the move" in act(otto, item, "close", reason="it was the move")
    assert "Reopened: it came back" in act(otto, item, "reopen", reason="it came back")
    assert "It is open." in refusal(otto, item, "reopen", reason="again")


@pytest.mark.parametrize(
    ("do", "sent"), [("assign", {"owner": "vera"}), ("assign", {"owner": "x"}), ("priority", {"priority": "5"}),
                     ("comment", {"text": ""}), ("next-decision", {"text": "x" * 501})],
)  # fmt: skip
def test_bad_input_changes_nothing(otto: Client, viewer: User, item: WorkItem, do: str, sent: dict):
    before = WorkItemEntry.objects.count()
    assert refusal(otto, item, do, **sent)
    assert WorkItemEntry.objects.count() == before


def test_with_htmx_only_the_changed_parts_come(otto: Client, item: WorkItem):
    answer = otto.post(f"/work-items/{item.pk}/priority/", {"priority": "3"}, headers=HTMX)
    part = answer.content.decode()
    assert "<html" not in part
    assert "Priority: P3, was P2" in part
    assert re.findall(r'id="(\w+)"[^>]* hx-swap-oob', part) == ["now", "lines", "triage"]
    wrong = otto.post(f"/work-items/{item.pk}/priority/", {"priority": "9"}, headers=HTMX)
    assert wrong.status_code == 422
    assert "oob" not in wrong.content.decode()


def test_polls_bring_the_live_parts_only_when_something_changed(otto: Client, item: WorkItem):
    page = otto.get(f"/work-items/{item.pk}/").content.decode()
    poll = re.search(r'hx-get="([^"]+)"', page)[1]  # type: ignore[index]
    assert otto.get(poll, headers=HTMX).status_code == 204
    act(otto, item, "comment", text="news")
    part = otto.get(poll, headers=HTMX).content.decode()
    assert "news" in part
    assert "<form" not in part
    assert otto.get(poll)["Location"] == f"/work-items/{item.pk}/"


def test_a_viewer_sees_each_control_disabled_with_the_reason(viewer: User, item: WorkItem):
    vera = client_of(viewer)
    main = vera.get(f"/work-items/{item.pk}/").content.decode().partition("<main")[2].partition("</main>")[0]
    controls = re.findall(r"<(?:button|select|textarea|input(?! type=.hidden))[^>]*>", main)
    assert [c for c in controls if "disabled" not in c] == []
    assert "Needs an operator, an owner or an admin." in main
    refused = vera.post(f"/work-items/{item.pk}/comment/", {"text": "x"})
    assert (refused.status_code, "Needs an operator, an owner or an admin." in flat(refused.content)) == (403, True)


def test_the_decision_of_each_occurrence_is_listed(otto: Client, night: Night):
    item = WorkItem.objects.get(verdict="missing-enqueue")
    otto.post(decide_at(night), draft(night, choice="skip"))
    shown = flat(otto.get(f"/work-items/{item.pk}/").content)
    assert "Decision: Skip otto" in shown


def test_an_unknown_work_item_is_not_found_by_any_method(otto: Client, night: Night):
    assert otto.post("/work-items/987654/comment/", {"text": "x"}).status_code == 404
    assert otto.get("/work-items/987654/poll/", headers=HTMX).status_code == 404


def test_the_number_of_statements_does_not_grow_with_members_and_lines(otto: Client, item: WorkItem):
    def statements(pk: int) -> int:
        with CaptureQueriesContext(connection) as context:
            otto.get(f"/work-items/{pk}/")
        return len(context)

    one = WorkItem.objects.get(verdict="missing-enqueue").pk
    statements(one)
    for n in range(10):
        act(otto, item, "comment", text=str(n))
    statements(one)
    assert statements(item.pk) == statements(one)


def in_section(client: Client, title: str, address: str = "/inbox/") -> str:
    page = client.get(address).content.decode()
    return flat(page.partition(f">{title}</h2>")[2].partition("</section>")[0].join(["<main>", ""]))


def test_what_waits_leaves_the_list_until_its_time_or_a_handoff(otto: Client, night: Night):
    item = WorkItem.objects.get(verdict="missing-enqueue")
    act(otto, item, "snooze", until="2099-01-01T00:00Z")
    rows = otto.get("/inbox/").content.decode().partition("<tbody>")[2].partition("</tbody>")[0]
    assert "invoice-rollup" not in rows
    assert "invoice-rollup" in in_section(otto, "Waiting")
    night.now = database_now() + SECOND
    night.path(BILLING, "invoice-rollup", "tick", "enqueue", late=night.now - night.due - SECOND)
    rows = otto.get("/inbox/").content.decode().partition("<tbody>")[2].partition("</tbody>")[0]
    assert "invoice-rollup" in rows
    assert ">Waiting</h2>" not in otto.get("/inbox/").content.decode()


def test_the_chips_show_mine_and_what_nobody_owns(otto: Client, item: WorkItem):
    act(otto, item, "assign", owner="otto")
    mine = otto.get("/inbox/?owner=me").content.decode()
    assert mine.count("<tr") == 2
    assert f'id="w{item.pk}"' in mine
    assert f'id="w{item.pk}"' not in otto.get("/inbox/?owner=none").content.decode()
    assert "owner=me" in re.search(r'hx-get="([^"]+)"', mine)[1]  # type: ignore[index]
