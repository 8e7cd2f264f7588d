"""A clock that runs far ahead, in the inbox and on its work item."""

from datetime import UTC, datetime, timedelta

import pytest
from django.urls import reverse

from occurrences.models import WorkItem
from occurrences.services.absences import sweep
from tests import wire
from tests.wire import HOST, handoff, record

pytestmark = pytest.mark.django_db
NOW = datetime.now(UTC).replace(microsecond=0)


def test_a_clock_that_runs_ahead_is_named_and_nothing_is_said_of_a_blind_observer(client, viewer):
    wire.source(now=NOW - timedelta(hours=1))
    record([handoff("claim", NOW + timedelta(minutes=11), due=NOW)], now=NOW)
    sweep(by="tests", now=NOW)
    client.force_login(viewer)
    for address in (reverse("inbox"), reverse("work-item", args=[WorkItem.objects.get().pk])):
        page = client.get(address).content.decode()
        assert f"The clock of {HOST} runs ahead" in page
        assert "observer was blind" not in page
