"""The audit chain: one row per act of a person or of a setting."""

import hashlib
import json
from datetime import datetime
from typing import Any

from django.db import connection

from occurrences.models import AuditEntry

CHAIN_LOCK = 7_017_001  # any constant: it only has to be ours alone
FIRST = "0" * 64


def write(*, by: str, act: str, subject: str, now: datetime, detail: dict[str, Any] | None = None) -> AuditEntry:
    """Append one row, chained to the one before it.

    Call it last in the transaction: the lock on the chain is held until the commit.
    """
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(%s)", [CHAIN_LOCK])
    last = AuditEntry.objects.order_by("-id").values_list("digest", flat=True).first() or FIRST
    entry = AuditEntry(at=now, by=by, act=act, subject=subject, detail=detail or {}, previous=last)
    entry.digest = digest_of(entry)
    entry.save(force_insert=True)
    return entry


def digest_of(entry: AuditEntry) -> str:
    """SHA-256 over the row's own words and the digest of the row before it, as hex."""
    body = [entry.previous, entry.at.isoformat(), entry.by, entry.act, entry.subject, entry.detail]
    canonical = json.dumps(body, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(canonical.encode()).hexdigest()
