"""The page of a work item: its occurrences, oldest first, and its timeline."""

import re

import pytest
from django.test import Client

from occurrences.models import WorkItem
from occurrences.queries.pages.addresses import address_of
from tests.builders import PARTNER, Night

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
    assert "the observer was blind" in shown
    assert address_of(night.identity("partner-sync", source=PARTNER)) in shown


def test_an_unknown_one_is_not_found(in_browser: Client):
    for pk in (987654321, 99999999999999999999):
        assert in_browser.get(f"/work-items/{pk}/").status_code == 404
