"""Whether the person who looks at a page may use a control on it, in the words of the refusal."""

from collections.abc import Callable
from typing import Any

from occurrences.contract.permissions import Forbidden, Person

NOBODY = Person(name="")


def refusal(check: Callable[..., None], person: Person, **about: Any) -> str:
    """The sentence for whoever may not; empty for whoever may. The service asks the same check again."""
    try:
        check(person, **about)
    except Forbidden as forbidden:
        return str(forbidden)
    return ""
