"""The list of schedules: rule in words, what came, what comes, and whether we watch."""

import re

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from occurrences.models import Pause, Source
from tests.builders import BILLING, DAY, PARTNER, Night

pytestmark = pytest.mark.django_db


def row(client: Client, key: str, address: str = "/schedules/") -> str:
    page = client.get(address).content.decode().partition("<tbody>")[2]
    found = next(part for part in page.split("</tr>") if f"<strong>{key}</strong>" in part)
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", found)).strip()


def test_a_watched_schedule_shows_its_rule_its_past_and_its_next_due(in_browser: Client, night: Night):
    shown = row(in_browser, "healthy")
    assert "every day" in shown
    assert "Europe/Berlin" in shown
    assert shown.count("On time, due") == 3
    assert f"{night.due + DAY:%H:%M}Z" in shown
    assert shown.endswith("Watched")


def test_what_is_not_watched_says_why(in_browser: Client, night: Night):
    assert "Not watched switched off in its scheduler" in row(in_browser, "switched-off")
    assert "Not watched" in row(in_browser, "sun-rise")
    assert "by the longest gap between ticks" in row(in_browser, "every-minute-or-so")


def test_a_pause_shows_with_its_reason(in_browser: Client, night: Night):
    source = Source.objects.get(name=PARTNER)
    Pause.objects.create(source=source, start=night.now - DAY, reason="moving house", by="tests")
    assert "Paused moving house" in row(in_browser, "partner-sync")
    assert "Paused" not in row(in_browser, "healthy")


def test_a_source_can_be_picked_and_nothing_says_so(in_browser: Client, night: Night):
    page = in_browser.get(f"/schedules/?source={PARTNER}").content.decode()
    assert "partner-sync" in page
    assert "invoice-rollup" not in page
    assert "No schedule of nobody" in in_browser.get("/schedules/?source=nobody").content.decode()


def test_without_schedules_the_page_says_where_they_come_from(in_browser: Client):
    assert "No schedule is known yet" in in_browser.get("/schedules/").content.decode()


def test_the_number_of_statements_does_not_grow_with_the_rows(in_browser: Client, night: Night):
    def statements(address: str) -> int:
        with CaptureQueriesContext(connection) as context:
            in_browser.get(address)
        return len(context)

    statements("/schedules/")
    few = statements(f"/schedules/?source={PARTNER}")
    for n in range(20):
        night.plan(BILLING, f"more-{n}")
    assert statements(f"/schedules/?source={BILLING}") == few
