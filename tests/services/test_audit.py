"""An audit row says who, in which role, what was there before and after, and which request it was."""

from datetime import UTC, datetime

import pytest
from django.contrib.auth.models import Group, User
from django.test import Client

from occurrences.models import AuditEntry
from occurrences.services import audit

pytestmark = pytest.mark.django_db
T0 = datetime(2026, 11, 30, 3, tzinfo=UTC)


def person(*roles: str) -> User:
    made = User.objects.create_user("otto", password="a long enough one")
    made.groups.set([Group.objects.get_or_create(name=role)[0] for role in roles])
    return made


@pytest.mark.parametrize(
    ("roles", "written"),
    [([], "none"), (["viewer"], "viewer"), (["operator", "viewer"], "operator"), (["owner", "admin"], "admin")],
)
def test_the_role_is_the_one_held_at_that_moment(roles, written):
    otto = person(*roles)
    row = audit.write(by=otto, act="act", subject="subject", now=T0)
    otto.groups.clear()
    assert AuditEntry.objects.get(pk=row.pk).role == written


def test_a_command_has_no_person_behind_it():
    assert audit.write(by="add_source", act="act", subject="subject", now=T0).role == "system"


def test_what_was_there_before_and_after_is_read_back_as_it_was_written():
    row = audit.write(by="tests", act="act", subject="subject", now=T0, before={"a": [1, None]}, after="x")
    stored = AuditEntry.objects.get(pk=row.pk)
    assert (stored.before, stored.after) == ({"a": [1, None]}, "x")


def test_the_row_of_a_request_carries_the_id_it_is_answered_with(client: Client):
    client.force_login(person("operator"))
    data = {
        "old_password": "a long enough one",
        "new_password1": "quite another one",
        "new_password2": "quite another one",
    }
    answer = client.post("/account/", data)
    row = AuditEntry.objects.get(act="password set")
    assert row.request_id == answer.headers["X-Request-ID"]
    assert (row.by, row.role) == ("otto", "operator")
    assert audit.REQUEST_ID.get() == ""
