"""The audit chain: one row per act of a person or of a setting."""

import json
from contextvars import ContextVar
from datetime import datetime
from typing import Any

from django.contrib.auth.models import User
from django.db import connection

from occurrences.contract.audit import FIRST
from occurrences.contract.permissions import highest_role
from occurrences.models import AuditEntry
from occurrences.queries.audit import link_of
from occurrences.queries.people import person_of

CHAIN_LOCK = 7_017_001  # any constant: it only has to be ours alone
SYSTEM = "system"
# Set by the middleware for as long as a request is answered, so that its rows and its log line can be found together.
REQUEST_ID: ContextVar[str] = ContextVar("request_id", default="")


def write(
    *,
    by: User | str,
    act: str,
    subject: str,
    now: datetime,
    before: Any = None,
    after: Any = None,
    detail: dict[str, Any] | None = None,
) -> AuditEntry:
    """Append one row, chained to the one before it.

    `by` is a person, whose role at this moment is written down, or the name of a command or process. `before` and
    `after` are what the act changed, as JSON values. Call it last in the transaction: the lock on the chain is
    held until the commit.
    """
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(%s)", [CHAIN_LOCK])
    last = AuditEntry.objects.order_by("-id").values_list("digest", flat=True).first() or FIRST
    entry = AuditEntry(
        at=now,
        by=by.username if isinstance(by, User) else by,
        role=highest_role(person_of(by)) if isinstance(by, User) else SYSTEM,
        act=act,
        subject=subject,
        before=_plain(before),
        after=_plain(after),
        detail=_plain(detail or {}),
        request_id=REQUEST_ID.get(),
        previous=last,
    )
    entry.digest = link_of(entry).own_digest
    entry.save(force_insert=True)
    return entry


def _plain(value: Any) -> Any:
    """Return `value` as it will be read back, so that the digest can be computed again.

    PostgreSQL gives a large whole number back without its exponent, as an integer.
    """
    return json.loads(json.dumps(value), parse_float=_number)


def _number(text: str) -> int | float:
    number = float(text)
    return int(number) if number.is_integer() else number
