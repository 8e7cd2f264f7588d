"""The address of an occurrence is its identity."""

from urllib.parse import quote

from django.urls import reverse

from occurrences.contract.occurrences import Identity

PLACE = "KEY"  # source names have no capitals, so this cannot be one


def address_of(identity: Identity) -> str:
    """The page of the occurrence.

    A slash in the schedule key is written %2F: a browser would tidy away `a/../b` or `a//b` before asking.
    """
    pattern = reverse("occurrence", args=[identity.source, PLACE, identity.compact])
    return pattern.replace(f"/{PLACE}/", f"/{quote(identity.schedule_key, safe='')}/", 1)
