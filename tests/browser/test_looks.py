"""Each page in both sizes and both themes: axe finds nothing, the browser complains of nothing, nothing sticks out."""

from collections.abc import Callable

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page

from occurrences.queries.pages.addresses import address_of
from tests.builders import SEARCH, Night

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
TAGS = {"runOnly": {"type": "tag", "values": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]}}
LOOKS = [(size, theme) for size in ("wide", "phone") for theme in ("light", "dark")]


def addresses(night: Night) -> dict[str, str]:
    return {
        "inbox": "/inbox/",
        "inbox-filtered": "/inbox/?verdict=delayed-claim",
        "inbox-no-match": "/inbox/?verdict=duplicate",
        "occurrence": address_of(night.identity("invoice-rollup")),
        "occurrence-delayed": address_of(night.identity("search/re-index ü", source=SEARCH)),
        "occurrence-well": address_of(night.identity("healthy")),
        "occurrence-failed": address_of(night.identity("broken")),
        "occurrence-blind": address_of(night.identity("partner-sync", source="celery:partner")),
        "occurrence-none": address_of(night.identity("healthy")).replace("00Z", "01Z"),
        "work-item": "/work-items/1/",
        "schedules": "/schedules/",
        "account": "/account/",
        "nothing": "/nothing/",
    }


def sticks_out(page: Page) -> bool:
    return bool(page.evaluate("document.documentElement.scrollWidth > document.documentElement.clientWidth"))


def violations(page: Page) -> list[tuple[str, list[str]]]:
    found = Axe().run(page, options=TAGS).response["violations"]
    return [(each["id"], [node["html"][:200] for node in each["nodes"]]) for each in found]


@pytest.mark.parametrize(("size", "theme"), LOOKS)
def test_every_page_is_accessible_and_quiet(night: Night, open_page: Callable, shots, size: str, theme: str):
    problems = []
    for name, address in addresses(night).items():
        watched = open_page(address, size=size, theme=theme)
        page = watched.page
        page.screenshot(path=shots / f"{name}-{size}-{theme}.png", full_page=True)
        problems += [(name, each) for each in violations(page)]
        quiet = [c for c in watched.complaints if "404" not in c]
        problems += [(name, each) for each in quiet]
        problems += [(name, "sticks out")] if sticks_out(page) else []
    assert problems == []
