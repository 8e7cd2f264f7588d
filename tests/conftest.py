"""People, and the browser. The servers are in `tests/servers.py`."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from django.contrib.auth.models import User

CHROMIUM_NAMES = ("chromium", "chromium-browser", "google-chrome")
NO_CHROMIUM = "no chromium on PATH: browser tests need one (Debian: apt-get install chromium)"

# Playwright's synchronous interface runs an event loop in the thread of the tests, and Django would refuse
# every query there; nothing in these tests is asynchronous.
os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "1"


def chromium() -> str | None:
    return next(filter(None, map(shutil.which, CHROMIUM_NAMES)), None)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    in_browser = [item for item in items if "browser" in item.keywords]
    if "AGLET_REQUIRE_BROWSER" in os.environ and not (in_browser and chromium()):
        raise pytest.UsageError(NO_CHROMIUM if in_browser else "no browser test was collected")
    if not chromium():
        for item in in_browser:
            item.add_marker(pytest.mark.skip(reason=NO_CHROMIUM))


@pytest.fixture(scope="session")
def browser_type_launch_args() -> dict[str, object]:
    """Debian's own Chromium: nothing is downloaded, and it looks nothing up on its own."""
    quiet = "quic gpu background-networking component-update sync dev-shm-usage"
    return {
        "executable_path": chromium(),
        "args": ["--no-sandbox", "--no-first-run", *(f"--disable-{part}" for part in quiet.split())],
    }


@pytest.fixture
def person(db: None) -> Callable[..., User]:
    """Make a person: `person("ada", role="owner")`, by the services that `up` and `add_person` call."""
    # Imported here: Django's models load only after pytest-django has set Django up.
    from django.contrib.auth.models import User

    from occurrences.services import installation, people

    def make(name: str, *, role: str) -> User:
        now = datetime.now(UTC)
        installation.prepare(by="tests", now=now)
        people.add_person(name=name, role=role, by="tests", now=now)
        return User.objects.get(username=name)

    return make


@pytest.fixture
def viewer(person: Callable[..., User]) -> User:
    return person("vera", role="viewer")


@pytest.fixture
def operator(person: Callable[..., User]) -> User:
    return person("otto", role="operator")


@pytest.fixture
def owner(person: Callable[..., User]) -> User:
    return person("olga", role="owner")


@pytest.fixture
def admin(person: Callable[..., User]) -> User:
    return person("ada", role="admin")
