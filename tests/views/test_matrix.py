"""Every route, every method, everybody: the server answers as the table says, and no route is without a row."""

from collections.abc import Iterator
from urllib.parse import urlencode

import pytest
from django.contrib.auth.models import User
from django.db import transaction
from django.http import HttpResponse
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver, resolve

from occurrences.models import Team
from occurrences.queries.clock import database_now
from occurrences.services.people import fresh_link
from occurrences.services.sources import fresh_key
from tests.builders import BILLING, MINUTE, Night
from tests.views.clients import client_of, owned
from tests.views.matrix import METHODS, WHO, Row, table

pytestmark = pytest.mark.django_db
LETTERS = {303: "t", 401: "u", 403: "f", 404: "n", 405: "m", 409: "c", 422: "i"}
DOORS = ("/sign-in/", "/admin/login/")


@pytest.fixture
def everybody(
    night: Night, settings: object, person: object, viewer: User, operator: User, owner: User, admin: User
) -> dict[str, Client]:
    settings.TARGETS = {BILLING: "redis://127.0.0.1:1/0"}  # type: ignore[attr-defined]
    other = person("oskar", role="owner")  # type: ignore[operator]
    owned("Billing", owner)
    Team.objects.create(name="Search").members.add(other)
    key = fresh_key(source=BILLING, keep_old_for=MINUTE, by="tests", now=database_now())
    people = {"viewer": viewer, "operator": operator, "owner": owner, "other owner": other, "admin": admin}
    return {
        "anonymous": Client(),
        **{name: client_of(user) for name, user in people.items()},
        "source key": Client(headers={"Authorization": f"Bearer {key}"}),
    }


def letter(answer: HttpResponse) -> str:
    if answer.status_code in (301, 302):
        return "s" if answer["Location"].startswith(DOORS) else "r"
    return "o" if answer.status_code < 300 else LETTERS.get(answer.status_code, str(answer.status_code))


def ask(client: Client, row: Row, method: str) -> str:
    """The answer to one cell; whatever it changed is taken back."""
    session = dict(client.cookies)
    with transaction.atomic():
        row.before()
        answer = client.generic(method, row.path, **_body(row, method))
        transaction.set_rollback(True)
    client.cookies.clear()
    client.cookies.update(session)
    return letter(answer)


def _body(row: Row, method: str) -> dict[str, object]:
    sent: dict[str, object] = {"headers": row.headers}
    if method == "POST":
        sent |= {"data": urlencode(row.data), "content_type": "application/x-www-form-urlencoded"}
    return sent


def patterns(resolver: URLResolver, before: str = "") -> Iterator[str]:
    for each in resolver.url_patterns:
        here = before + str(each.pattern)
        if isinstance(each, URLPattern):
            yield here
        else:
            yield from patterns(each, here)


def in_administration(pattern: str) -> bool:
    return pattern.startswith("admin/")


def test_each_route_has_a_row_and_each_row_a_route(everybody: dict[str, Client], night: Night):
    rows = {resolve(row.path.partition("?")[0]).route for row in table(night, "token")}
    known = {pattern for pattern in patterns(get_resolver()) if not in_administration(pattern)}
    assert rows == known


def test_each_cell_of_the_table_is_as_written(everybody: dict[str, Client], night: Night, operator: User):
    token = fresh_link(person=operator, now=database_now())
    surprises = []
    for row in table(night, token):
        for method in METHODS:
            found = "".join(ask(everybody[who], row, method) for who in WHO)
            if found != row.expected(method):
                surprises.append(f"{method} {row.path} {row.about}: {found}, expected {row.expected(method)}")
    assert surprises == []


def test_nobody_but_an_admin_gets_into_the_administration(everybody: dict[str, Client], night: Night, operator: User):
    """Every route of it, by every method: others land at its door, and an admin meets no fault."""
    surprises = []
    for path in _administration(operator):
        for method in METHODS:
            row = Row(path=path, answers={})
            found = {who: ask(everybody[who], row, method) for who in WHO}
            insider = found.pop("admin")
            if set(found.values()) - {"s"} or insider == "s" or not insider.isalpha():
                surprises.append(f"{method} {path}: {found}, admin {insider}")
    assert surprises == []


def _administration(operator: User) -> Iterator[str]:
    """One address for each route; its own sign-in and sign-out pages are open to whoever is outside."""
    numbers = {"<id>": str(operator.pk), "<path:object_id>": str(operator.pk), "<path:content_type_id>": "1"}
    special = {"^(?P<app_label>auth|occurrences)/$": "auth/", "(?P<url>.*)$": "nothing/"}
    for pattern in patterns(get_resolver()):
        if not in_administration(pattern) or pattern in ("admin/login/", "admin/logout/"):
            continue
        path = pattern
        for old, new in (numbers | special).items():
            path = path.replace(old, new)
        yield f"/{path}"
