"""Sources and the keys that speak for them."""

import hashlib
from datetime import datetime

from django.db.models import Q

from occurrences.models import Source, SourceKey


def source_of_key(secret: str, now: datetime) -> Source | None:
    """The source a bearer key speaks for; None when the key is unknown, revoked or past its end."""
    digest = hashlib.sha256(secret.encode()).hexdigest()
    in_force = Q(expires_at__isnull=True) | Q(expires_at__gt=now)
    key = SourceKey.objects.select_related("source").filter(in_force, digest=digest, revoked_at__isnull=True).first()
    return None if key is None else key.source


def source_named(name: str) -> Source | None:
    """The source of that name."""
    return Source.objects.filter(name=name).first()
