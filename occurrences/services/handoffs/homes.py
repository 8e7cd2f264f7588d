"""The one home occurrence of each run (handoff contract, section 4).

It is the one named by the run's lowest-ranked record that names one, in whatever order they arrive.
"""

from collections.abc import Collection, Sequence
from copy import copy
from dataclasses import dataclass, field
from datetime import datetime
from uuid import UUID

from occurrences.contract.handoffs import Handoff
from occurrences.models import Source
from occurrences.queries.arrays import array_cursor
from occurrences.services.handoffs.items import Filing

NO_RANK = 99


@dataclass(slots=True)
class Run:
    """A row of the runs, as it is while a batch is recorded."""

    id: int
    run_ref: str
    home_id: UUID | None
    home_rank: int | None
    claimant_name: str | None
    claimant_host: str | None
    claimant_pid: int | None
    claimed_at: datetime | None
    claims: int
    ended_at: datetime | None
    others: list[UUID]
    claimants: list[str]


@dataclass(slots=True)
class Homes:
    """The runs of a batch by reference, the occurrences to judge again, and those a run moved to or from."""

    runs: dict[str, Run] = field(default_factory=dict)
    as_stored: dict[str, Run] = field(default_factory=dict)
    to_judge: set[UUID] = field(default_factory=set)
    moved: set[UUID] = field(default_factory=set)

    def home_of(self, ref: str) -> UUID | None:
        """The key of the run's home, if it has one."""
        run = self.runs.get(ref)
        return None if run is None else run.home_id


def find_homes(*, source: Source, filings: Sequence[Filing], touched: set[UUID]) -> Homes:
    """Lock the occurrences concerned in key order, then the runs, and settle the home of each run.

    `touched` are the occurrences to lock besides the homes.
    """
    refs = sorted({f.said.job_ref for f in filings if f.said.job_ref is not None})
    homes = Homes(to_judge={f.key for f in filings if f.key is not None})
    if refs:
        homes.to_judge |= _known_homes(source, refs)
    lock_occurrences(homes.to_judge | touched)
    if not refs:
        return homes
    homes.runs = {run.run_ref: run for run in _made_and_locked(source, refs)}
    homes.as_stored = {ref: copy(run) for ref, run in homes.runs.items()}
    settled_meanwhile = {r.home_id for r in homes.runs.values() if r.home_id is not None} - homes.to_judge
    if settled_meanwhile:
        homes.to_judge |= settled_meanwhile
        lock_occurrences(settled_meanwhile)
    for filing in filings:
        if filing.said.job_ref is not None and filing.key is not None:
            _settle(homes, homes.runs[filing.said.job_ref], filing.key, int(filing.said.handoff))
    homes.to_judge |= {r.home_id for r in homes.runs.values() if r.home_id is not None}
    return homes


def lock_occurrences(keys: set[UUID]) -> None:
    """Lock the rows in key order, which is the order of everybody."""
    with array_cursor() as cursor:
        cursor.execute(
            "SELECT key FROM occurrences_occurrence WHERE key = ANY(%b) ORDER BY key FOR NO KEY UPDATE",
            [sorted(keys)],
        )


def _known_homes(source: Source, refs: list[str]) -> set[UUID]:
    with array_cursor() as cursor:
        cursor.execute(
            "SELECT home_id FROM occurrences_run WHERE source_id = %b AND run_ref = ANY(%b) AND home_id IS NOT NULL",
            [source.pk, refs],
        )
        return {row[0] for row in cursor.fetchall()}


# Made first where it is new, so that of two batches with the same run the second sees what the first did.
MAKE = """
INSERT INTO occurrences_run (source_id, run_ref, others, claimants, claims)
SELECT %b, run_ref, '{}', '{}', 0 FROM unnest(%b::text[]) WITH ORDINALITY AS t(run_ref, n) ORDER BY n
ON CONFLICT (source_id, run_ref) DO NOTHING
"""
LOCK = """
SELECT id, run_ref, home_id, home_rank, claimant_name, claimant_host, claimant_pid, claimed_at, claims, ended_at,
       others, claimants
  FROM occurrences_run WHERE source_id = %b AND run_ref = ANY(%b) ORDER BY run_ref FOR NO KEY UPDATE
"""


def _made_and_locked(source: Source, refs: list[str]) -> list[Run]:
    with array_cursor() as cursor:
        cursor.execute(MAKE, [source.pk, refs])
        cursor.execute(LOCK, [source.pk, refs])
        return [Run(*row) for row in cursor.fetchall()]


def _settle(homes: Homes, run: Run, named: UUID, rank: int) -> None:
    """Let the lowest rank decide, and of two of the same rank the earlier occurrence, in whatever order they come."""
    before = run.home_id
    standing = (NO_RANK if run.home_rank is None else run.home_rank, before or named)
    if before is None or (rank, named) < standing:
        run.home_id, run.home_rank = named, rank
        if before not in (None, named):
            homes.moved |= {before, named}
    away = {*run.others, named, *([before] if before else [])} - {run.home_id}
    run.others = sorted(away)


def note_claimants(*, homes: Homes, new: Sequence[Filing]) -> None:
    """Keep of each run who claimed it last and when it ended, from the records that were stored; write what changed."""
    for filing in new:
        run = homes.runs.get(filing.said.job_ref or "")
        if run is not None:
            _note(run, filing)
    _store([r for ref, r in homes.runs.items() if r.home_id is not None and r != homes.as_stored[ref]])


def _note(run: Run, filing: Filing) -> None:
    said = filing.said
    when = min(said.observed_at, filing.received_at)
    takes = said.handoff is Handoff.CLAIM or (said.handoff is Handoff.START and run.claims == 0)
    if takes and said.outcome == "ok":
        run.claims += said.handoff is Handoff.CLAIM
        run.claimants = sorted({*run.claimants, said.owner_name or ""})
        if _later(when, run.claimed_at):
            run.claimant_name, run.claimant_host, run.claimant_pid = said.owner_name, said.owner_host, said.owner_pid
            run.claimed_at = when
    elif said.handoff in (Handoff.TERMINAL, Handoff.EXPIRATION) and _later(when, run.ended_at):
        # the latest end there is; one before the last claim is that of an earlier delivery
        run.ended_at = when


def _later(when: datetime, than: datetime | None) -> bool:
    return than is None or when > than


COLUMNS = (
    "id", "home_id", "home_rank", "claimant_name", "claimant_host", "claimant_pid", "claimed_at", "claims", "ended_at",
)  # fmt: skip
LISTS = ("others", "claimants")
SEPARATOR = "\x1f"
SQL = f"""
UPDATE occurrences_run r
   SET others = string_to_array(t.others, chr(31))::uuid[], claimants = string_to_array(t.claimants, chr(31)),
       {", ".join(f"{c} = t.{c}" for c in COLUMNS if c != "id")}
  FROM unnest(%b::text[], %b::text[], %b::bigint[], %b::uuid[], %b::int[], %b::text[], %b::text[], %b::int[],
              %b::timestamptz[], %b::int[], %b::timestamptz[]) AS t({", ".join((*LISTS, *COLUMNS))})
 WHERE r.id = t.id
"""  # noqa: S608  the names are the literals above


def _store(runs: Collection[Run]) -> None:
    if runs:
        rows = [
            (*(SEPARATOR.join(map(str, getattr(r, c))) for c in LISTS), *(getattr(r, c) for c in COLUMNS)) for r in runs
        ]
        with array_cursor() as cursor:
            cursor.execute(SQL, [*map(list, zip(*rows, strict=True))])
