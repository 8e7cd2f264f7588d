"""A signed-in browser on a live server over a bad night, and what no page may do."""

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.test import Client
from playwright.sync_api import Browser, BrowserContext, Page

from occurrences.queries.clock import database_now
from tests.builders import SECOND, Night, bad_night

SIZES = {
    "wide": {"width": 1280, "height": 800},
    "phone": {"width": 390, "height": 844},
    "narrow": {"width": 320, "height": 640},
}


@pytest.fixture
def night(transactional_db: None) -> Night:
    return bad_night(database_now() - 4 * SECOND)


def session_of(user: User) -> str:
    client = Client()
    client.force_login(user)
    return client.cookies["sessionid"].value


class Watched:
    """A page that keeps what the browser complains about."""

    def __init__(self, context: BrowserContext) -> None:
        self.complaints: list[str] = []
        self.page: Page = context.new_page()
        self.page.on("console", lambda m: m.type in ("error", "warning") and self.complaints.append(m.text))
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))


@pytest.fixture
def open_page(browser: Browser, live_server: object, viewer: User) -> Iterator[Callable[..., Watched]]:
    """Open a page, as a viewer if not said: `open_page("/inbox/", size="phone", theme="dark", scripts=False)`."""
    contexts: list[BrowserContext] = []

    def opened(
        address: str,
        *,
        size: str = "wide",
        theme: str = "light",
        scripts: bool = True,
        signed_in: bool = True,
        own_clock: bool = False,
        who: User | None = None,
    ) -> Watched:
        context = browser.new_context(
            base_url=live_server.url,  # type: ignore[attr-defined]
            viewport=SIZES[size],  # type: ignore[arg-type]
            color_scheme=theme,  # type: ignore[arg-type]
            java_script_enabled=scripts,
        )
        contexts.append(context)
        if signed_in:
            context.add_cookies([{"name": "sessionid", "value": session_of(who or viewer), "url": live_server.url}])  # type: ignore[attr-defined]
        watched = Watched(context)
        if own_clock:  # the test moves it, so that half a minute passes at once
            watched.page.clock.install()
        watched.page.goto(address)
        return watched

    yield opened
    for context in contexts:
        context.close()


@pytest.fixture(scope="session")
def shots(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the pictures go: to be looked at, set AGLET_SHOTS to a folder."""
    folder = Path(os.environ["AGLET_SHOTS"]) if "AGLET_SHOTS" in os.environ else tmp_path_factory.mktemp("shots")
    folder.mkdir(exist_ok=True)
    return folder
