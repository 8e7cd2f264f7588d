"""The evidence of a set of occurrences, as contract values."""

from collections import defaultdict
from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db.models import Q

from occurrences.contract.handoffs import Handoff
from occurrences.contract.occurrences import Identity
from occurrences.contract.records import Record
from occurrences.models import HandoffRecord, Run

COLUMNS = (
    "occurrence_id", "handoff", "record_id", "run_ref", "source_id", "received_at", "body",
    "recovery_number", "recovery_id",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Evidence:
    """Records by the occurrence they are judged with."""

    records: dict[UUID, list[Record]]


def evidence_of(keys: Collection[UUID]) -> Evidence:
    """Read the records that are judged with these occurrences, in at most three statements.

    A record lies where it named, but is judged with the home of its run (handoff contract, section 4).
    """
    rows = list(HandoffRecord.objects.filter(occurrence_id__in=list(keys)).values_list(*COLUMNS))
    refs = {row[3] for row in rows if row[3] is not None}
    sources = {row[4] for row in rows}
    runs = Run.objects.filter(Q(home_id__in=list(keys)) | Q(source_id__in=sources, run_ref__in=refs))
    homes = {(r.source_id, r.run_ref): r for r in runs}
    away = {k for r in homes.values() if r.home_id in set(keys) for k in r.others} - set(keys)
    if away:
        rows += HandoffRecord.objects.filter(occurrence_id__in=away).values_list(*COLUMNS)
    records: dict[UUID, list[Record]] = defaultdict(list)
    wanted = set(keys)
    for row in rows:
        run = homes.get((row[4], row[3])) if row[3] is not None else None
        judged_with = run.home_id if run is not None and run.home_id is not None else row[0]
        if judged_with in wanted and (row[0] in wanted or run is not None):
            records[judged_with].append(record_of(row[1], row[2], row[3], row[5], row[6], row[7]))
    return Evidence(records)


def record_of(
    handoff: int, record_id: str, run: str | None, received_at: datetime, body: dict[str, Any], recovery: int = 0
) -> Record:
    """The contract value of a stored record; its body was checked when it came in.

    `recovery` is the number of the replay it belongs to by our own records; the id is the one it names itself.
    """
    owner = body.get("owner") or {}
    said = body.get("recovery")
    detail = body.get("detail") or {}
    return Record(
        handoff=Handoff(handoff),
        record_id=record_id,
        outcome=body.get("outcome"),
        observed_at=_instant(body["observed_at"]),
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
