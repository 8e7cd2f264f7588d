"""What is looked at on every page: accessibility, and whether anything sticks out sideways."""

from pathlib import Path

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page

TAGS = {"runOnly": {"type": "tag", "values": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]}}


def sticks_out(page: Page) -> bool:
    return bool(page.evaluate("document.documentElement.scrollWidth > document.documentElement.clientWidth"))


def violations(page: Page) -> list[tuple[str, list[str]]]:
    found = Axe().run(page, options=TAGS).response["violations"]
    return [(each["id"], [node["html"][:200] for node in each["nodes"]]) for each in found]


def problems_of(page: Page) -> list[object]:
    return [*violations(page), *(["sticks out"] if sticks_out(page) else [])]


def shoot(page: Page, folder: Path, name: str) -> None:
    page.screenshot(path=folder / f"{name}.png", full_page=True)
