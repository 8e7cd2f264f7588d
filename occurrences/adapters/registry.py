"""Which target takes the replays of a source: addresses and secrets come from the environment alone.

The scheme of the address chooses: `redis`, `rediss` and `redis+socket` are a Celery application's broker, `https` and
`http` a webhook.
"""

import logging
from collections.abc import Mapping
from functools import cache
from urllib.parse import urlsplit

from django.conf import settings

from occurrences.adapters.base import ReplayTarget
from occurrences.adapters.celery import CeleryTarget
from occurrences.adapters.settings import BadSetting
from occurrences.adapters.webhook import WebhookTarget
from occurrences.adapters.webhook.hosts import place_of, read_hosts
from occurrences.adapters.webhook.signing import SETTING as SECRETS
from occurrences.adapters.webhook.signing import read_secrets

log = logging.getLogger("aglet.dispatch")
BROKERS = ("redis", "rediss", "redis+socket")
TARGETS = "AGLET_TARGETS"


def target_of(source: str, known: Mapping[str, str]) -> ReplayTarget | None:
    """The target of a source, or None where the installation has named none that can be used."""
    address = known.get(source)
    if address is None:
        return None
    try:
        return target_at(address, source)
    except BadSetting as error:
        log.warning("%s has no target: %s", source, error)
        return None


def target_at(address: str, source: str) -> ReplayTarget:
    """The target of a source at an address; raises BadSetting for one that cannot be used."""
    scheme = address.partition(":")[0]
    if scheme in BROKERS:
        return _celery(address)
    if scheme in ("https", "http"):
        return _webhook(address, source)
    raise BadSetting(TARGETS, "an address begins with redis, rediss, redis+socket, https or http")


@cache
def _celery(address: str) -> CeleryTarget:
    try:
        urlsplit(address).port  # noqa: B018  (raises for what is no number)
    except ValueError:
        raise BadSetting(TARGETS, "the address of the broker cannot be read") from None
    return CeleryTarget(address)


def _webhook(address: str, source: str) -> WebhookTarget:
    place = place_of(address, read_hosts(settings.WEBHOOK_HOSTS))
    secrets = settings.WEBHOOK_SECRETS.get(source)
    if secrets is None:
        raise BadSetting(SECRETS, "the source has none")
    return WebhookTarget(place, read_secrets(secrets))
