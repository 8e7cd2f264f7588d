import pytest
from django.test import Client

from occurrences.queries.clock import database_now
from tests.builders import SECOND, Night, bad_night


@pytest.fixture
def night(db: None) -> Night:
    return bad_night(database_now() - 4 * SECOND)


@pytest.fixture
def in_browser(client: Client, viewer: object) -> Client:
    """A client that is signed in as a viewer."""
    client.force_login(viewer)  # type: ignore[arg-type]
    return client
