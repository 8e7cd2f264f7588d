"""People, and the browser. The servers are in `tests/servers.py`."""

import os
import shutil
from collections.abc import Callable

import pytest

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
def person(db: None) -> Callable[..., object]:
    """Make a person: `person("Ada", role="owner")`. The groups come from the service that `up` calls too."""
    from datetime import UTC, datetime

    from django.contrib.auth.models import Group, User

    from occurrences.services import installation

    def make(name: str, *, role: str) -> object:
        installation.prepare(now=datetime.now(UTC), by="tests", lab=False)
        user = User.objects.create_user(name.lower(), first_name=name)
        user.groups.add(Group.objects.get(name__iexact=role))
        return user

    return make


@pytest.fixture
def viewer(person: Callable[..., object]) -> object:
    return person("Vera", role="viewer")


@pytest.fixture
def operator(person: Callable[..., object]) -> object:
    return person("Otto", role="operator")


@pytest.fixture
def owner(person: Callable[..., object]) -> object:
    return person("Olga", role="owner")


@pytest.fixture
def admin(person: Callable[..., object]) -> object:
    return person("Ada", role="admin")
