"""Records that cannot be filed yet, and records that can be filed nowhere. Both are kept."""

import json
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any

from occurrences.contract.wire import HandoffIn, body_digest, parse_record
from occurrences.models import Discrepancy, Quarantine, Source, Unlinked
from occurrences.queries.arrays import array_cursor
from occurrences.services.handoffs.homes import Homes
from occurrences.services.handoffs.items import Filing
from occurrences.services.handoffs.storing import discrepancy


def file_waiting(*, source: Source, homes: Homes) -> list[Filing]:
    """Take out what waited for a run that has a home now, ready to be stored with the batch."""
    refs = [ref for ref, run in homes.runs.items() if run.home_id is not None]
    if not refs:
        return []
    with array_cursor() as cursor:
        cursor.execute(
            "DELETE FROM occurrences_unlinked WHERE source_id = %b AND run_ref = ANY(%b) "
            "RETURNING body::text, received_at",
            [source.pk, refs],
        )
        rows = cursor.fetchall()
    return [_refiled(source, body, received_at) for body, received_at in rows]


def _refiled(source: Source, body: str, received_at: datetime) -> Filing:
    value = json.loads(body)
    said = parse_record(value, source=source.name)
    assert isinstance(said, HandoffIn)  # noqa: S101  nothing else waits here
    return Filing.of(source.name, said, value, received_at)


def hold_unlinked(*, source: Source, filings: Sequence[Filing], now: datetime) -> tuple[int, int]:
    """Keep records whose run has no home yet; return how many are new, and how many differ from one that is kept."""
    if not filings:
        return 0, 0
    ids = {f.said.record_id for f in filings}
    held = {
        (handoff, record_id): body_digest(body)
        for handoff, record_id, body in Unlinked.objects.filter(source=source, record_id__in=ids).values_list(
            "handoff", "record_id", "body"
        )
    }
    new, differing = [], []
    for filing in filings:
        digest = held.setdefault((int(filing.said.handoff), filing.said.record_id), filing.digest)
        if digest != filing.digest:
            differing.append(filing)
        elif digest is filing.digest:
            new.append(filing)
    Unlinked.objects.bulk_create([_unlinked(source, f) for f in new], ignore_conflicts=True)
    rows = [discrepancy(source, f, "the same record id came with another body", now) for f in differing]
    Discrepancy.objects.bulk_create(rows, ignore_conflicts=True)
    return len(new), len(differing)


def _unlinked(source: Source, filing: Filing) -> Unlinked:
    return Unlinked(
        source=source,
        handoff=int(filing.said.handoff),
        record_id=filing.said.record_id,
        run_ref=filing.said.job_ref or "",
        body=filing.body,
        received_at=filing.received_at,
    )


def quarantine(*, source: Source, rows: Iterable[tuple[dict[str, Any], str]], now: datetime) -> int:
    """Keep well-formed records that cannot be placed, with the reason; return how many are new."""
    found = {body_digest(body): (body, reason) for body, reason in rows}
    if not found:
        return 0
    held = set(
        map(
            bytes,
            Quarantine.objects.filter(source=source, body_digest__in=list(found)).values_list("body_digest", flat=True),
        )
    )
    Quarantine.objects.bulk_create(
        [
            Quarantine(source=source, body_digest=digest, reason=reason, body=body, received_at=now)
            for digest, (body, reason) in found.items()
        ],
        ignore_conflicts=True,
    )
    return len(found.keys() - held)
