"""The address of an occurrence is its identity, that of a schedule its source and key."""

from urllib.parse import quote

from django.urls import reverse

from occurrences.contract.occurrences import Identity

PLACE = "KEY"  # source names have no capitals, so this cannot be one


def address_of(identity: Identity) -> str:
    """The page of the occurrence.

    A slash in the schedule key is written %2F: a browser would tidy away `a/../b` or `a//b` before asking.
    """
    return _with_key(reverse("occurrence", args=[identity.source, PLACE, identity.compact]), identity.schedule_key)


def address_of_schedule(source: str, key: str) -> str:
    """The page of the schedule."""
    return _with_key(reverse("schedule", args=[source, PLACE]), key)


def _with_key(pattern: str, key: str) -> str:
    return pattern.replace(f"/{PLACE}/", f"/{quote(key, safe='')}/", 1)
