"""Signing in and out: once per link, never onward to another site, and nothing shown before."""

import re
from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from occurrences.models import AuditEntry, SignInLink
from occurrences.queries.clock import database_now
from occurrences.services.people import add_person, fresh_link

pytestmark = pytest.mark.django_db
PASSWORD = "a long enough phrase"


@pytest.fixture
def ada(operator: User) -> User:
    operator.set_password(PASSWORD)
    operator.save()
    return operator


def sign_in(client: Client, name: str, password: str, **more: str):
    return client.post("/sign-in/", {"username": name, "password": password, **more})


def test_every_page_asks_for_a_sign_in_and_keeps_where_one_wanted_to_go(client: Client):
    for address in ("/inbox/", "/schedules/", "/account/", "/work-items/1/", "/o/a/b/20261025T013000Z/"):
        answer = client.get(address)
        assert (answer.status_code, answer["Location"]) == (302, f"/sign-in/?next={address}")


def test_the_right_password_leads_onward(client: Client, ada: User):
    answer = sign_in(client, ada.username, PASSWORD, next="/schedules/?source=celery:billing")
    assert (answer.status_code, answer["Location"]) == (302, "/schedules/?source=celery:billing")
    assert client.get("/inbox/").status_code == 200


def test_a_wrong_password_is_told_without_saying_which_part_was_wrong(client: Client, ada: User):
    wrong, nobody = sign_in(client, ada.username, "no"), sign_in(client, "nobody", PASSWORD)
    assert wrong.status_code == nobody.status_code == 422
    assert "Please enter a correct username and password" in wrong.content.decode()
    assert "nobody" in nobody.content.decode()
    assert PASSWORD not in nobody.content.decode()


@pytest.mark.parametrize("elsewhere", ["https://evil.example/", "//evil.example/", "javascript:alert(1)"])
def test_nobody_is_sent_to_another_site(client: Client, ada: User, elsewhere: str):
    assert sign_in(client, ada.username, PASSWORD, next=elsewhere)["Location"] == "/"
    client.post("/theme/", {"theme": "dark", "next": elsewhere})
    assert client.post("/theme/", {"theme": "dark", "next": elsewhere})["Location"] == "/inbox/"


def test_looking_at_a_link_spends_nothing_and_the_button_signs_in_once(client: Client, person: object):
    person("Vera", role="viewer")
    token = add_person(name="new", role="operator", by="tests", now=database_now())
    address = reverse("sign-in-link", args=[token])
    assert [client.get(address).status_code for _ in range(2)] == [200, 200]
    assert client.post(address)["Location"] == "/inbox/"
    assert "Set a password" in client.get("/inbox/").content.decode()
    again = Client().post(address)
    assert again.status_code == 410
    assert "no longer works" in again.content.decode()


def test_an_old_and_an_invented_link_are_gone(client: Client, ada: User):
    token = fresh_link(person=ada, now=database_now() - timedelta(hours=25))
    for each in (token, "invented"):
        assert client.post(reverse("sign-in-link", args=[each])).status_code == 410
    assert not SignInLink.objects.filter(used_at__isnull=False).exists()
    assert client.get("/inbox/").status_code == 302


def test_signing_out_ends_the_session_and_takes_a_post(client: Client, ada: User):
    client.force_login(ada)
    assert client.get("/sign-out/").status_code == 405
    assert client.post("/sign-out/")["Location"] == "/sign-in/"
    assert client.get("/inbox/").status_code == 302


def test_who_came_by_link_sets_a_password_and_stays_signed_in(client: Client, operator: User):
    operator.set_unusable_password()
    operator.save()
    client.force_login(operator)
    assert "Set a password" in client.get("/account/").content.decode()
    short = client.post("/account/", {"new_password1": "short", "new_password2": "short"})
    assert (short.status_code, "at least 12" in short.content.decode()) == (422, True)
    done = client.post("/account/", {"new_password1": PASSWORD, "new_password2": PASSWORD})
    assert done["Location"] == "/account/"
    assert "Change your password" in client.get("/account/").content.decode()
    operator.refresh_from_db()
    assert operator.check_password(PASSWORD)


def test_signing_in_by_link_is_on_the_audit_trail(client: Client, ada: User):
    client.post(reverse("sign-in-link", args=[fresh_link(person=ada, now=database_now())]))
    assert AuditEntry.objects.filter(act="signed in by link", by=ada.username).exists()


def test_administration_is_for_admins_and_holds_people_groups_and_teams_only(
    client: Client, operator: User, admin: User
):
    client.force_login(operator)
    assert client.get("/admin/").status_code == 302
    User.objects.filter(pk=admin.pk).update(is_staff=True, is_superuser=True)
    client.force_login(User.objects.get(pk=admin.pk))
    page = client.get("/admin/").content.decode()
    assert set(re.findall(r'href="/admin/(\w+/\w+)/"', page)) == {"auth/user", "auth/group", "occurrences/team"}
