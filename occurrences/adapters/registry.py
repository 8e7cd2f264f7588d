"""Which target takes the replays of a source: addresses come from the environment alone."""

from collections.abc import Mapping
from functools import cache

from occurrences.adapters.base import ReplayTarget
from occurrences.adapters.celery import CeleryTarget


def target_of(source: str, known: Mapping[str, str]) -> ReplayTarget | None:
    """The target of a source, or None where the installation has named none."""
    address = known.get(source)
    return None if address is None else _celery(address)


@cache
def _celery(address: str) -> CeleryTarget:
    return CeleryTarget(address)
