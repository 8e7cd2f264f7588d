"""`verify_audit` walks the chain that is stored, and names the first row that does not hold."""

from datetime import UTC, datetime, timedelta
from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.db import connection

from occurrences.models import AuditEntry
from occurrences.services import audit

pytestmark = pytest.mark.django_db
T0 = datetime(2026, 11, 30, 3, tzinfo=UTC)


def call(*arguments: str) -> str:
    out = StringIO()
    call_command("verify_audit", *arguments, stdout=out)
    return out.getvalue()


@pytest.fixture
def rows():
    return [
        audit.write(
            by="tests", act="act", subject="üñí\n1.0", now=T0 + timedelta(seconds=n), before=0.1, after=[1e22, n]
        )
        for n in range(5)
    ]


def tampered(sql: str, *values: object) -> None:
    """Change rows as somebody would who owns the table: the trigger is switched off first."""
    with connection.cursor() as cursor:
        cursor.execute("ALTER TABLE occurrences_auditentry DISABLE TRIGGER audit_append_only")
        cursor.execute(sql, values)
        cursor.execute("ALTER TABLE occurrences_auditentry ENABLE TRIGGER audit_append_only")


def test_what_is_stored_holds(rows):
    before = AuditEntry.objects.count()
    assert call() == f"{before} rows hold. Head {rows[-1].digest}\n"
    assert call("--head", rows[1].digest).startswith(f"{before} rows hold")


def test_one_changed_letter_is_named(rows):
    tampered("UPDATE occurrences_auditentry SET subject = 'unknown' WHERE id = %s", rows[2].pk)
    with pytest.raises(CommandError, match=rf"Row {rows[2].pk} .*words are not") as caught:
        call()
    assert caught.value.returncode == 1


def test_a_deleted_row_is_named_at_the_next_one(rows):
    tampered("DELETE FROM occurrences_auditentry WHERE id = %s", rows[2].pk)
    with pytest.raises(CommandError, match=rf"Row {rows[3].pk} .*removed"):
        call()


def test_rows_cut_off_are_found_by_the_head(rows):
    tampered("DELETE FROM occurrences_auditentry WHERE id >= %s", rows[3].pk)
    call()
    with pytest.raises(CommandError, match="cut off"):
        call("--head", rows[4].digest)


@pytest.mark.parametrize("head", ["", "abc", "g" * 64, "0" * 65])
def test_a_head_that_is_none_is_refused(head):
    with pytest.raises(CommandError, match="64 hexadecimal") as caught:
        call("--head", head)
    assert caught.value.returncode == 2
