"""People: who may sign in, in which role, and the links that let them in once."""

import secrets
from datetime import datetime, timedelta

from django.contrib.auth.models import Group, User
from django.core.exceptions import ValidationError
from django.db import transaction

from occurrences.contract.errors import ContractError
from occurrences.models import SignInLink
from occurrences.services import audit
from occurrences.services.sources import digest_of

ROLES = ("viewer", "operator", "owner", "admin")
LINK_LASTS = timedelta(hours=24)


class BadName(ContractError):
    """The name is none to sign in with."""


class UnknownRole(ContractError):
    """The role is none of viewer, operator, owner, admin."""


@transaction.atomic
def add_person(*, name: str, role: str, by: str, now: datetime) -> str:
    """Make the person if new, put them into the role's group, and return a one-time token.

    Raises BadName and UnknownRole. A person who exists gets the role as well and a new link.
    """
    try:
        User.username_validator(name)
    except ValidationError as error:
        raise BadName(f"'{name}' is no name to sign in with: {' '.join(error.messages)}") from error
    if role not in ROLES:
        raise UnknownRole(f"'{role}' is no role; one of {', '.join(ROLES)}")
    person, made = User.objects.get_or_create(username=name)
    if made:
        person.set_unusable_password()
    person.is_staff = person.is_superuser = person.is_superuser or role == "admin"
    person.save()
    person.groups.add(Group.objects.get(name=role))
    token = fresh_link(person=person, now=now)
    audit.write(by=by, act="person added" if made else "person changed", subject=name, now=now, after={"role": role})
    return token


def fresh_link(*, person: User, now: datetime) -> str:
    """Make a sign-in link for the person, valid once and for 24 hours; return its token."""
    token = secrets.token_urlsafe(32)
    SignInLink.objects.create(person=person, digest=digest_of(token), created_at=now, expires_at=now + LINK_LASTS)
    return token


def first_link_of(*, name: str, now: datetime) -> str | None:
    """Make the first link of a person who never had one; None for everybody else."""
    person = User.objects.filter(username=name, sign_in_links__isnull=True).first()
    return None if person is None else fresh_link(person=person, now=now)


@transaction.atomic
def use_link(*, token: str, now: datetime) -> User | None:
    """Spend the token and return its person; None when it is unknown, spent or too old.

    One conditional update on the link's own columns decides, so that of two uses at once only one signs in:
    a condition on another table would be looked up before the wait for the row, and hold for both.
    """
    spent = SignInLink.objects.filter(digest=digest_of(token), used_at__isnull=True, expires_at__gt=now)
    if not spent.update(used_at=now):
        return None
    person = SignInLink.objects.select_related("person").get(digest=digest_of(token)).person
    if not person.is_active:
        return None
    audit.write(by=person, act="signed in by link", subject=person.username, now=now)
    return person


@transaction.atomic
def set_password(*, person: User, password: str, by: User, now: datetime) -> None:
    """Give the person a password; the forms have checked that it is a good one."""
    person.set_password(password)
    person.save(update_fields=["password"])
    audit.write(by=by, act="password set", subject=person.username, now=now)


def has_an_admin() -> bool:
    """Whether there is an admin yet; `up` makes the first one when not."""
    return User.objects.filter(groups__name="admin").exists()
