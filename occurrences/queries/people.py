"""People as the rules see them: name, roles and teams."""

from django.contrib.auth.models import AbstractBaseUser, AnonymousUser, User

from occurrences.contract.permissions import Person


def person_of(user: AbstractBaseUser | AnonymousUser) -> Person:
    """The person behind a signed-in user, in two statements."""
    if not isinstance(user, User) or not user.is_active:
        return Person(name="", roles=frozenset(), teams=frozenset())
    return Person(
        name=user.username,
        roles=frozenset(user.groups.values_list("name", flat=True)),
        teams=frozenset(user.teams.values_list("name", flat=True)),
    )
