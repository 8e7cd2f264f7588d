"""The one home occurrence of each run (handoff contract, section 4).

It is the one named by the run's lowest-ranked record that names one, in whatever order they arrive.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from uuid import UUID

from django.db import connection

from occurrences.contract.handoffs import Handoff
from occurrences.models import Run, Source
from occurrences.services.handoffs.items import Filing

NO_RANK = 99


@dataclass(slots=True)
class Homes:
    """The runs of a batch by reference, the occurrences to judge again, and those a run moved to or from."""

    runs: dict[str, Run] = field(default_factory=dict)
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
    known = Run.objects.filter(source=source, run_ref__in=refs)
    homes = Homes(to_judge={f.key for f in filings if f.key is not None})
    if refs:
        homes.to_judge |= {h for h in known.values_list("home_id", flat=True) if h is not None}
    lock_occurrences(homes.to_judge | touched)
    if not refs:
        return homes
    # Made first where it is new, so that of two batches with the same run the second sees what the first did.
    Run.objects.bulk_create([Run(source=source, run_ref=ref) for ref in refs], ignore_conflicts=True)
    homes.runs = {run.run_ref: run for run in known.select_for_update(no_key=True).order_by("run_ref")}
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
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT key FROM occurrences_occurrence WHERE key = ANY(%s) ORDER BY key FOR NO KEY UPDATE",
            [sorted(keys)],
        )


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
    """Keep of each run who claimed it last and when it ended, from the records that were stored, and write it."""
    for filing in new:
        run = homes.runs.get(filing.said.job_ref or "")
        if run is not None:
            _note(run, filing)
    _store([r for r in homes.runs.values() if r.home_id is not None])


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
  FROM unnest(%s::text[], %s::text[], %s::bigint[], %s::uuid[], %s::int[], %s::text[], %s::text[], %s::int[],
              %s::timestamptz[], %s::int[], %s::timestamptz[]) AS t({", ".join((*LISTS, *COLUMNS))})
 WHERE r.id = t.id
"""  # noqa: S608  the names are the literals above


def _store(runs: Sequence[Run]) -> None:
    if runs:
        rows = [
            (*(SEPARATOR.join(map(str, getattr(r, c))) for c in LISTS), *(getattr(r, c) for c in COLUMNS)) for r in runs
        ]
        with connection.cursor() as cursor:
            cursor.execute(SQL, [*map(list, zip(*rows, strict=True))])
