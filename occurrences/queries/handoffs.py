"""The evidence of a set of occurrences, as contract values."""

from collections import defaultdict
from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from occurrences.contract.handoffs import Handoff
from occurrences.contract.occurrences import Identity
from occurrences.contract.records import Record
from occurrences.queries.arrays import array_cursor

HANDOFFS = tuple(Handoff)
RECORDS = """
SELECT occurrence_id, handoff, record_id, run_ref, source_id, observed_at, received_at, body, recovery_number
  FROM occurrences_handoffrecord WHERE occurrence_id = ANY(%b)
"""
RUNS = """
SELECT source_id, run_ref, home_id, others FROM occurrences_run WHERE home_id = ANY(%b)
UNION
SELECT source_id, run_ref, home_id, others FROM occurrences_run WHERE source_id = ANY(%b) AND run_ref = ANY(%b)
"""


@dataclass(frozen=True, slots=True)
class Evidence:
    """Records by the occurrence they are judged with."""

    records: dict[UUID, list[Record]]


def evidence_of(keys: Collection[UUID]) -> Evidence:
    """Read the records that are judged with these occurrences, in at most three statements.

    A record lies where it named, but is judged with the home of its run (handoff contract, section 4).
    """
    wanted = set(keys)
    rows = _records(wanted)
    homes, others = _runs(wanted, rows)
    if away := others - wanted:
        rows += _records(away)
    records: dict[UUID, list[Record]] = defaultdict(list)
    for occurrence, handoff, record_id, run, source, *rest in rows:
        home = homes.get((source, run)) if run is not None else None
        judged_with = home or occurrence
        if judged_with in wanted and (occurrence in wanted or home is not None):
            records[judged_with].append(record_of(handoff, record_id, run, *rest))
    return Evidence(records)


def _records(keys: Collection[UUID]) -> list[Any]:
    with array_cursor() as cursor:
        cursor.execute(RECORDS, [list(keys)])
        return list(cursor.fetchall())


def _runs(wanted: set[UUID], rows: list[Any]) -> tuple[dict[tuple[int, str], UUID], set[UUID]]:
    """The home of each run concerned, and the other occurrences under which records of the runs at home here lie."""
    sources, refs = {row[4] for row in rows}, {row[3] for row in rows if row[3] is not None}
    with array_cursor() as cursor:
        cursor.execute(RUNS, [list(wanted), list(sources), list(refs)])
        runs = cursor.fetchall()
    homes = {(source, ref): home for source, ref, home, _ in runs if home is not None}
    return homes, {key for *_, home, others in runs if home in wanted for key in others}


def record_of(
    handoff: int,
    record_id: str,
    run: str | None,
    observed_at: datetime,
    received_at: datetime,
    body: dict[str, Any],
    recovery: int = 0,
) -> Record:
    """The contract value of a stored record; its body was checked when it came in.

    `recovery` is the number of the replay it belongs to by our own records; the id is the one it names itself.
    """
    owner = body.get("owner") or {}
    said = body.get("recovery")
    detail = body.get("detail") or {}
    return Record(
        handoff=HANDOFFS[handoff],
        record_id=record_id,
        outcome=body.get("outcome"),
        observed_at=observed_at,
        received_at=received_at,
        run=run,
        owner=owner.get("name"),
        owner_role=owner.get("role"),
        owner_pid=owner.get("pid"),
        owner_host=owner.get("host"),
        delivery=body.get("delivery") or 1,
        recovery=recovery,
        recovery_id=said.get("id") if isinstance(said, dict) else said,
        named=_named(body) if recovery else None,
        eta=_instant(detail["eta"]) if detail.get("eta") else None,
        expires_at=_instant(body["expires_at"]) if body.get("expires_at") else None,
        queue=body.get("queue"),
        reason=detail.get("error"),
    )


def _named(body: dict[str, Any]) -> Identity | None:
    if not body.get("schedule_key") or not body.get("due_at"):
        return None
    return Identity(source=body["source"], schedule_key=body["schedule_key"], due_at=_instant(body["due_at"]))


def _instant(text: str) -> datetime:
    return datetime.fromisoformat(text)
