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
    """Lock the occurrences concerned in key order, then the runs, and settle the home of each run."""
    refs = sorted({f.said.job_ref for f in filings if f.said.job_ref is not None})
    known = Run.objects.filter(source=source, run_ref__in=refs)
    homes = Homes(to_judge=set(touched))
    if refs:
        homes.to_judge |= {h for h in known.values_list("home_id", flat=True) if h is not None}
    lock_occurrences(homes.to_judge)
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
        if filing.said.job_ref is not None:
            _take(source, homes, filing)
    _store(source, [r for r in homes.runs.values() if r.home_id is not None])
    return homes


def lock_occurrences(keys: set[UUID]) -> None:
    """Lock the rows in key order, which is the order of everybody."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT key FROM occurrences_occurrence WHERE key = ANY(%s) ORDER BY key FOR NO KEY UPDATE",
            [sorted(keys)],
        )


def _take(source: Source, homes: Homes, filing: Filing) -> None:
    ref = filing.said.job_ref or ""
    run = homes.runs.setdefault(ref, Run(source=source, run_ref=ref))
    rank = int(filing.said.handoff)
    if filing.key is not None and filing.key != run.home_id:
        before = run.home_id
        if before is None or rank < (NO_RANK if run.home_rank is None else run.home_rank):
            run.home_id, run.home_rank = filing.key, rank
            if before is not None:
                homes.moved |= {before, filing.key}
        other = before if run.home_id == filing.key else filing.key
        if other is not None and other not in run.others:
            run.others = [*run.others, other]
        run.others = [k for k in run.others if k != run.home_id]
    elif filing.key is not None and run.home_rank is not None:
        run.home_rank = min(run.home_rank, rank)
    _note_claimant(run, filing)
    if run.home_id is not None:
        homes.to_judge.add(run.home_id)


def _note_claimant(run: Run, filing: Filing) -> None:
    said, owner = filing.said, filing.body.get("owner") or {}
    when = min(said.observed_at, filing.received_at)
    if said.handoff is Handoff.CLAIM and said.outcome in (None, "ok") and _later(when, run.claimed_at):
        run.claimant_name, run.claimant_host, run.claimant_pid = (
            owner.get("name"),
            owner.get("host"),
            owner.get("pid"),
        )
        run.claimed_at = when
        if run.ended_at is not None and run.ended_at < when:
            run.ended_at = None  # a retry or a redelivery takes a slot again
    elif said.handoff in (Handoff.TERMINAL, Handoff.EXPIRATION) and _later(when, run.ended_at):
        run.ended_at = when


def _later(when: datetime, than: datetime | None) -> bool:
    return than is None or when > than


COLUMNS = (
    "run_ref", "home_id", "home_rank", "claimant_name", "claimant_host", "claimant_pid", "claimed_at", "ended_at",
)  # fmt: skip
SQL = f"""
INSERT INTO occurrences_run (source_id, others, {", ".join(COLUMNS)})
SELECT %s, string_to_array(others, ',')::uuid[], {", ".join(COLUMNS)}
FROM unnest(%s::text[], %s::text[], %s::uuid[], %s::int[], %s::text[], %s::text[], %s::int[], %s::timestamptz[],
            %s::timestamptz[]) AS t(others, {", ".join(COLUMNS)})
ORDER BY run_ref
ON CONFLICT (source_id, run_ref) DO UPDATE SET
    others = excluded.others, {", ".join(f"{c} = excluded.{c}" for c in COLUMNS if c != "run_ref")}
"""  # noqa: S608  the names are the literals above


def _store(source: Source, runs: Sequence[Run]) -> None:
    if runs:
        rows = [(",".join(map(str, r.others)), *(getattr(r, c) for c in COLUMNS)) for r in runs]
        with connection.cursor() as cursor:
            cursor.execute(SQL, [source.pk, *map(list, zip(*rows, strict=True))])
