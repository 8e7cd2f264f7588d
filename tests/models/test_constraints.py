"""The database refuses what the rules forbid, whoever asks."""

from datetime import timedelta

import pytest
from django.db import DatabaseError, IntegrityError, connection, transaction

from occurrences.models import AuditEntry, HandoffRecord, Occurrence, Pause, Process
from occurrences.queries.audit import link_of
from occurrences.services import audit
from tests import wire
from tests.wire import T0, record

pytestmark = pytest.mark.django_db


@pytest.fixture
def source():
    made = wire.source(now=T0)
    record(wire.full_path(), now=T0 + timedelta(seconds=5))
    return made


def refuses(sql: str) -> str:
    with pytest.raises((IntegrityError, DatabaseError)) as caught, transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(sql)
    return str(caught.value)


@pytest.mark.parametrize("value", ["infinity", "-infinity", "1999-12-31T23:59:59Z", "2100-01-01T00:00:00Z"])
@pytest.mark.parametrize("column", ["due_at", "changed_at", "flagged_at"])
def test_times_lie_between_2000_and_2100(source, column, value):
    assert "in_range" in refuses(f"UPDATE occurrences_occurrence SET {column} = '{value}'")


def test_a_deadline_has_a_role_and_a_role_a_deadline(source):
    assert "with" in refuses("UPDATE occurrences_occurrence SET next_deadline = now(), next_role = NULL")
    assert "with" in refuses("UPDATE occurrences_occurrence SET next_deadline = NULL, next_role = 'clock'")


def test_a_verdict_outside_the_vocabulary_is_refused(source):
    assert "verdict_known" in refuses("UPDATE occurrences_occurrence SET verdict = 'healthy'")


@pytest.mark.parametrize(
    "verb", ["UPDATE occurrences_handoffrecord SET delivery = 2", "DELETE FROM occurrences_handoffrecord"]
)
def test_handoff_records_are_append_only(source, verb):
    assert "append-only" in refuses(verb)


def test_retention_may_delete_records_but_nobody_may_change_them(source):
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SET LOCAL aglet.retention = 'on'")
        cursor.execute("DELETE FROM occurrences_handoffrecord WHERE handoff = 7")
    assert HandoffRecord.objects.count() == 4
    assert "append-only" in refuses(
        "SET LOCAL aglet.retention = 'on'; UPDATE occurrences_handoffrecord SET delivery = 2"
    )


@pytest.mark.parametrize("verb", ["UPDATE occurrences_auditentry SET by = 'x'", "DELETE FROM occurrences_auditentry"])
def test_the_audit_is_append_only_even_for_retention(source, verb):
    assert "append-only" in refuses(f"SET LOCAL aglet.retention = 'on'; {verb}")


def test_audit_rows_are_chained_from_the_first_one_on(source):
    rows = list(AuditEntry.objects.order_by("id"))
    assert rows[0].previous == audit.FIRST
    for before, row in zip([None, *rows], rows, strict=False):
        assert row.previous == (before.digest if before else audit.FIRST)
        assert row.digest == link_of(AuditEntry.objects.get(pk=row.pk)).own_digest


def test_the_audit_chain_cannot_fork(source):
    first = AuditEntry.objects.order_by("id").first()
    with pytest.raises(IntegrityError), transaction.atomic():
        AuditEntry.objects.create(at=T0, by="x", act="x", subject="x", previous=first.previous, digest="0" * 64)


def test_a_source_has_one_open_pause_at_most(source):
    Pause.objects.create(source=source, start=T0, reason="x", by="x")
    with pytest.raises(IntegrityError), transaction.atomic():
        Pause.objects.create(source=source, start=T0, reason="x", by="x")


def test_a_process_has_ended_exactly_when_it_is_not_online(source):
    row = {"source": source, "spool": "s", "role": "workers", "name": "w", "host": "h", "pid": 1}
    with pytest.raises(IntegrityError), transaction.atomic():
        Process.objects.create(**row, state="lost", started_at=T0, last_seen=T0)
    with pytest.raises(IntegrityError), transaction.atomic():
        Process.objects.create(**row, state="online", started_at=T0, last_seen=T0, ended_at=T0)


def test_an_occurrence_with_records_cannot_be_deleted(source):
    with pytest.raises(IntegrityError), transaction.atomic():
        Occurrence.objects.all()._raw_delete("default")


def test_records_lie_in_the_partition_of_their_month(source):
    with connection.cursor() as cursor:
        cursor.execute("SELECT DISTINCT tableoid::regclass::text FROM occurrences_handoffrecord")
        assert cursor.fetchall() == [("occurrences_handoffrecord_202610",)]


def test_there_is_no_default_partition(source):
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT count(*) FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid "
            "WHERE i.inhparent = 'occurrences_handoffrecord'::regclass "
            "AND pg_get_expr(c.relpartbound, c.oid) = 'DEFAULT'"
        )
        assert cursor.fetchone() == (0,)


def test_every_time_column_of_ours_has_its_range_held():
    """A new time column without its constraint fails here."""
    from django.apps import apps
    from django.db import models

    missing = []
    for model in apps.get_app_config("occurrences").get_models():
        held = " ".join(str(c.condition) for c in model._meta.constraints if isinstance(c, models.CheckConstraint))
        times = [f.name for f in model._meta.fields if isinstance(f, models.DateTimeField)]
        if model is not HandoffRecord:  # made by hand, tried above and below
            missing += [f"{model.__name__}.{name}" for name in times if f"{name}__gte" not in held]
    assert not missing
