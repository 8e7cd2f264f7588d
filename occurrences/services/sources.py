"""Sources and their keys."""

import hashlib
import secrets
from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import Q

from occurrences.contract.handoffs import CELERY_TAP, Role
from occurrences.contract.occurrences import check_source_name
from occurrences.models import Coverage, Source, SourceKey
from occurrences.services import audit

YEAR = timedelta(days=365)


def digest_of(secret: str) -> str:
    """The form in which a key or token is stored: SHA-256, hex."""
    return hashlib.sha256(secret.encode()).hexdigest()


@transaction.atomic
def register(
    *,
    name: str,
    by: str,
    now: datetime,
    capabilities: dict[str, str] | None = None,
    give_up: timedelta | None = None,
) -> Source:
    """Return the source of that name, made with its three coverage rows if it is new.

    Raises InvalidIdentity for a name that is not of the form of source names.
    """
    check_source_name(name)
    source, made = Source.objects.get_or_create(
        name=name, defaults={"created_at": now, "capabilities": capabilities or dict(CELERY_TAP)}
    )
    if made:
        Coverage.objects.bulk_create(Coverage(source=source, role=r, to_now=r == Role.CLOCK) for r in Role)
    if give_up is not None:
        source.give_up_seconds = int(give_up.total_seconds())
        source.save(update_fields=["give_up_seconds"])
    if made:
        audit.write(by=by, act="source registered", subject=name, now=now)
    return source


@transaction.atomic
def fresh_key(
    *, source: str, by: str, now: datetime, keep_old_for: timedelta | None = None, valid_for: timedelta = YEAR
) -> str:
    """Make a key for the source and return it; it is stored nowhere but as a digest.

    With `keep_old_for` the keys made before end after that time, else they stay as they are.
    """
    owner = Source.objects.get(name=source)
    secret = f"aglet_{secrets.token_urlsafe(32)}"
    if keep_old_for is not None:
        owner.keys.filter(Q(expires_at__isnull=True) | Q(expires_at__gt=now + keep_old_for)).update(
            expires_at=now + keep_old_for
        )
    SourceKey.objects.create(
        source=owner,
        digest=digest_of(secret),
        prefix=secret[6:12],
        made_by=by,
        created_at=now,
        expires_at=now + valid_for,
    )
    audit.write(by=by, act="key made", subject=source, now=now, detail={"prefix": secret[6:12]})
    return secret
