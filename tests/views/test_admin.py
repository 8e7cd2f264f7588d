"""The administration of people: roles open it, teams own, and each change lies in the audit chain."""

import pytest
from django.contrib.auth.models import Group, User
from django.test import Client

from occurrences.models import AuditEntry, Team
from tests.views.clients import client_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def ada(admin: User) -> Client:
    return client_of(admin)


def save(client: Client, user: User, *roles: str) -> None:
    groups = [Group.objects.get(name=role).pk for role in roles]
    sent = {
        "username": user.username,
        "is_active": "on",
        "groups": groups,
        "first_name": "",
        "last_name": "",
        "email": "",
    }
    answer = client.post(f"/admin/auth/user/{user.pk}/change/", sent)
    assert answer.status_code == 302, answer.content.decode()
    user.refresh_from_db()


def test_the_role_of_an_admin_opens_this_place_and_losing_it_closes_it(ada: Client, operator: User):
    save(ada, operator, "operator", "admin")
    assert (operator.is_staff, operator.is_superuser) == (True, True)
    save(ada, operator, "operator")
    assert (operator.is_staff, operator.is_superuser) == (False, False)
    acts = AuditEntry.objects.filter(by="ada", act="user changed", subject=operator.username)
    assert acts.count() == 2


def test_a_team_is_made_and_deleted_with_its_lines_in_the_audit(ada: Client, owner: User):
    ada.post("/admin/occurrences/team/add/", {"name": "Billing", "members": [owner.pk]})
    team = Team.objects.get(name="Billing")
    assert list(team.members.all()) == [owner]
    ada.post(f"/admin/occurrences/team/{team.pk}/delete/", {"post": "yes"})
    assert list(AuditEntry.objects.filter(subject="Billing").values_list("act", flat=True).order_by("pk")) == [
        "team added",
        "team deleted",
    ]


def test_the_four_roles_cannot_be_deleted_renamed_or_added_to(ada: Client):
    role = Group.objects.get(name="operator")
    assert ada.post(f"/admin/auth/group/{role.pk}/delete/", {"post": "yes"}).status_code == 403
    assert ada.post("/admin/auth/group/add/", {"name": "king"}).status_code == 403
    ada.post(f"/admin/auth/group/{role.pk}/change/", {"name": "king"})
    assert Group.objects.filter(name="operator").exists()
