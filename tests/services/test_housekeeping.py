"""What nobody needs any more goes; what anybody may need stays."""

from datetime import timedelta

import pytest
from django.db import connection

from occurrences.models import HandoffRecord, Occurrence, Run, Source
from occurrences.services import installation
from occurrences.services.absences import sweep
from occurrences.services.housekeeping import keep_house
from tests import wire
from tests.wire import T0, record

pytestmark = pytest.mark.django_db
DAY = timedelta(days=1)
OWN = installation.OWN_SOURCE


@pytest.fixture(autouse=True)
def own() -> Source:
    wire.source(now=T0 - DAY)
    return Source.objects.get(name=OWN)


def on_time(of: Source) -> None:
    snapshot = wire.schedule(at=T0 - timedelta(minutes=1)) | {"source": of.name}
    record([snapshot], now=T0 - timedelta(minutes=1), of=of)
    record(wire.full_path(name=of.name), now=T0 + timedelta(seconds=5), of=of)


def test_closed_occurrences_of_our_own_go_after_two_days_with_their_records_and_runs(own):
    on_time(own)
    assert keep_house(by="tests", now=T0 + 2 * DAY - timedelta(hours=1)) == 0
    assert keep_house(by="tests", now=T0 + 2 * DAY + timedelta(hours=1)) == 1
    assert not HandoffRecord.objects.exists()
    assert not Run.objects.exists()
    assert not Occurrence.objects.filter(due_at=T0).exists()


def test_occurrences_of_other_sources_stay():
    on_time(Source.objects.get(name=wire.SOURCE))
    assert keep_house(by="tests", now=T0 + 30 * DAY) == 0
    assert HandoffRecord.objects.count() == 5


def test_a_flagged_occurrence_of_our_own_stays(own):
    body = wire.full_path(name=OWN)
    body[-1] |= {"outcome": "failed"}
    snapshot = wire.schedule(at=T0 - timedelta(minutes=1)) | {"source": OWN}
    record([snapshot], now=T0 - timedelta(minutes=1), of=own)
    record(body, now=T0 + timedelta(seconds=5), of=own)
    sweep(by="tests", now=T0 + timedelta(seconds=6))
    assert Occurrence.objects.get(due_at=T0).flagged_at is not None
    keep_house(by="tests", now=T0 + 30 * DAY)
    assert Occurrence.objects.filter(due_at=T0).exists()


def test_partitions_are_made_ahead_of_the_months_that_need_them():
    keep_house(by="tests", now=T0 + 100 * DAY)
    with connection.cursor() as cursor:
        cursor.execute("SELECT to_regclass('occurrences_handoffrecord_202703') IS NOT NULL")
        assert cursor.fetchone() == (True,)


def test_the_rows_the_product_needs_are_made_once():
    def counts() -> list[int]:
        with connection.cursor() as cursor:
            tables = ("auth_group", "occurrences_claimagepolicy", "occurrences_source", "occurrences_auditentry")
            found = []
            for table in tables:
                cursor.execute(f"SELECT count(*) FROM {table}")
                found.append(cursor.fetchone()[0])
            return found

    installation.prepare(by="tests", now=T0, lab=True)
    before = counts()
    installation.prepare(by="tests", now=T0 + DAY, lab=True)
    assert counts() == before
