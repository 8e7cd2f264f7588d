"""The audit chain, read in the order it was written."""

from collections.abc import Iterator

from occurrences.contract.audit import Link, Walk, walk
from occurrences.models import AuditEntry

ROWS_AT_ONCE = 2_000


def link_of(entry: AuditEntry) -> Link:
    """The row as a link of the chain."""
    return Link(
        id=entry.pk or 0,
        at=entry.at,
        by=entry.by,
        act=entry.act,
        subject=entry.subject,
        detail=entry.detail,
        role=entry.role,
        before=entry.before,
        after=entry.after,
        request_id=entry.request_id,
        previous=entry.previous,
        digest=entry.digest,
    )


def walk_audit(*, expect: str | None = None) -> Walk:
    """Walk the whole chain, a few thousand rows in memory at a time; `expect` is a head that was kept elsewhere."""
    return walk(_links(), expect=expect)


def _links() -> Iterator[Link]:
    for entry in AuditEntry.objects.order_by("id").iterator(chunk_size=ROWS_AT_ONCE):
        yield link_of(entry)
