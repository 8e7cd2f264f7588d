"""Store each record once. The key decides, so any process and any re-delivery meets the same row."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from uuid import UUID

from occurrences.contract.handoffs import Handoff
from occurrences.models import Discrepancy, Source
from occurrences.queries.arrays import array_cursor
from occurrences.services.handoffs.homes import Homes
from occurrences.services.handoffs.items import Filing

Key = tuple[UUID, int, bytes]


@dataclass(slots=True)
class Stored:
    """What storing a batch did: counts, the occurrences with new evidence, and the records that are new."""

    accepted: int = 0
    duplicate: int = 0
    discrepancy: int = 0
    touched: set[UUID] = field(default_factory=set)
    new: list[Filing] = field(default_factory=list)

    @property
    def new_ticks(self) -> list[Filing]:
        """The ticks among what is new."""
        return [f for f in self.new if f.said.handoff is Handoff.TICK and f.said.outcome == "ok"]


COLUMNS = """occurrence_id, handoff, record_key, record_id, body_digest, run_ref, outcome, delivery,
    recovery_number, recovery_id, observed_at, received_at, body"""
INSERT = f"""
INSERT INTO occurrences_handoffrecord (source_id, {COLUMNS})
SELECT %b, {COLUMNS.replace("body", "body::jsonb").replace("body::jsonb_digest", "body_digest")}
FROM unnest(%b::uuid[], %b::int[], %b::bytea[], %b::text[], %b::bytea[], %b::text[], %b::text[], %b::int[],
            %b::int[], %b::uuid[], %b::timestamptz[], %b::timestamptz[], %b::text[])
  AS t({COLUMNS})
ON CONFLICT (occurrence_id, handoff, record_key) DO NOTHING
RETURNING occurrence_id, handoff, record_key
"""  # noqa: S608  the names are the literals above
# The bounds let the planner leave out every other month.
DIGESTS = """
SELECT r.occurrence_id, r.handoff, r.record_key, r.body_digest FROM occurrences_handoffrecord r
  JOIN unnest(%b::uuid[], %b::int[], %b::bytea[]) AS t(occurrence_id, handoff, record_key)
    ON r.occurrence_id = t.occurrence_id AND r.handoff = t.handoff AND r.record_key = t.record_key
 WHERE r.occurrence_id BETWEEN %b AND %b
"""


def store(*, source: Source, filings: Sequence[Filing], homes: Homes, now: datetime) -> Stored:
    """Insert what is new; the same again is a duplicate, the same key with another body a discrepancy."""
    stored = Stored()
    first: dict[Key, Filing] = {}
    again: list[Filing] = []
    for filing in filings:
        if first.setdefault(_key(filing), filing) is not filing:
            again.append(filing)
    made = _insert(source, list(first.values()))
    new = stored.new = [f for key, f in first.items() if key in made]
    again += [f for key, f in first.items() if key not in made]
    stored.accepted = len(new)
    stored.touched = {f.key for f in new if f.key is not None}
    differing = _differing(again)
    stored.discrepancy = len(differing)
    stored.duplicate = len(again) - len(differing)
    rows = [discrepancy(source, f, "the same record id came with another body", now) for f in differing]
    rows += [discrepancy(source, f, reason, now) for f, reason in _astray(new, homes)]
    if rows:
        Discrepancy.objects.bulk_create(rows, ignore_conflicts=True)
    return stored


def _key(filing: Filing) -> Key:
    assert filing.key is not None  # noqa: S101  the homeless wait elsewhere
    return (filing.key, int(filing.said.handoff), filing.record_key)


def _insert(source: Source, filings: Sequence[Filing]) -> set[Key]:
    if not filings:
        return set()
    columns = zip(*(_columns(f) for f in filings), strict=True)
    with array_cursor() as cursor:
        cursor.execute(INSERT, [source.pk, *map(list, columns)])
        if cursor.rowcount == len(filings):
            return {_key(f) for f in filings}
        return set(cursor.fetchall())


def _columns(filing: Filing) -> tuple[object, ...]:
    said = filing.said
    return (
        filing.key,
        int(said.handoff),
        filing.record_key,
        said.record_id,
        filing.digest,
        said.job_ref,
        said.outcome,
        said.delivery,
        filing.recovery[1] if filing.recovery else 0,
        filing.recovery[0] if filing.recovery else None,
        said.observed_at,
        filing.received_at,
        filing.text,
    )


def _differing(filings: Sequence[Filing]) -> list[Filing]:
    known = _digests([_key(f) for f in filings])
    return [f for f in filings if known.get(_key(f)) != f.digest]


def _digests(keys: Sequence[Key]) -> dict[Key, bytes]:
    """The digests of the bodies that are stored under these keys."""
    if not keys:
        return {}
    occurrences = [key[0] for key in keys]
    with array_cursor() as cursor:
        columns = [list(column) for column in zip(*keys, strict=True)]
        cursor.execute(DIGESTS, [*columns, min(occurrences), max(occurrences)])
        return {(occurrence, handoff, key): digest for occurrence, handoff, key, digest in cursor.fetchall()}


def leave_where_they_lie(*, filings: Sequence[Filing], homes: Homes) -> None:
    """Keep a record that names none where it was filed before its run moved home: sent again, it is the same one."""
    moved: dict[Key, list[Filing]] = defaultdict(list)
    for filing in filings:
        run = homes.runs.get(filing.said.job_ref or "")
        if run is not None and filing.named is None and filing.recovery is None:
            for other in run.others:
                moved[other, int(filing.said.handoff), filing.record_key].append(filing)
    for key in _digests(list(moved)):
        for filing in moved[key]:
            filing.key = key[0]


def _astray(filings: Iterable[Filing], homes: Homes) -> list[tuple[Filing, str]]:
    """Records of a run that name another occurrence than the run's home."""
    found = []
    for filing in filings:
        run = homes.runs.get(filing.said.job_ref or "")
        if filing.recovery is None and run is not None and run.home_id not in (None, filing.key):
            found.append((filing, f"names {filing.named}; run {run.run_ref} is at home elsewhere"))
    return found


def discrepancy(source: Source, filing: Filing, reason: str, now: datetime) -> Discrepancy:
    """The row that keeps a record beside the one it differs from."""
    return Discrepancy(
        source=source,
        handoff=int(filing.said.handoff),
        record_id=filing.said.record_id,
        body_digest=filing.digest,
        occurrence_id=filing.key,
        reason=reason,
        body=filing.body,
        received_at=now,
    )
