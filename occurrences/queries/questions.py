"""Everything the judge needs to know about a set of occurrences, in a constant number of statements."""

import logging
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TypeVar
from uuid import UUID

from occurrences.contract.coverage import Coverage
from occurrences.contract.decisions import DecisionFact
from occurrences.contract.handoffs import Handoff
from occurrences.contract.judging import Question
from occurrences.contract.policies import PolicyVersion, resolve
from occurrences.contract.workers import SlotUse, WorkerRow
from occurrences.models import Pause
from occurrences.queries.arrays import array_cursor
from occurrences.queries.coverage import coverages
from occurrences.queries.decisions import decision_facts
from occurrences.queries.handoffs import Evidence, evidence_of
from occurrences.queries.occurrences import Row, Watched, stored, watched
from occurrences.queries.policies import policy_versions
from occurrences.queries.workers import slot_uses, worker_rows

log = logging.getLogger("aglet.judge")
T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """An occurrence as stored, and the question to put to the judge about it."""

    key: UUID
    source_id: int
    schedule_id: int
    question: Question
    policy_id: int | None
    chain: tuple[PolicyVersion, ...]
    stored: tuple[str, int | None, datetime | None, str | None, int | None, datetime | None]
    has_open_absence: bool
    flagged: bool
    priority: int
    watches_failed: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class World:
    """What the occurrences of a batch share."""

    as_of: datetime
    sources: dict[int, Watched]
    policies: Sequence[PolicyVersion]
    pauses: dict[int, list[tuple[datetime, datetime | None]]]
    coverages: dict[int, Coverage]
    workers: dict[int, tuple[WorkerRow, ...]]
    slots: dict[int, tuple[SlotUse, ...]]
    open_absences: set[UUID]
    decisions: dict[UUID, tuple[DecisionFact, ...]]
    evidence: Evidence


def ask(keys: Collection[UUID], *, as_of: datetime) -> dict[UUID, Case]:
    """Build the case of each occurrence, in key order.

    Whoever waits for a lock reads evidence that came after its own clock was read: then the question is put as
    of the newest receipt, so that nothing which is already stored is left out.
    """
    rows = stored(keys)
    if not rows:
        return {}
    world = _world(rows, as_of)
    cases = {}
    for row in rows:
        try:
            cases[row.key] = _case(row, world)
        except Exception:  # one poisoned row must not stop the batch, the page or the sweep that meets it
            log.exception("no question can be made of %s", row.key)
    return cases


def _world(rows: Sequence[Row], as_of: datetime) -> World:
    sources = {row.source_id for row in rows}
    keys = [row.key for row in rows]
    earliest = min(row.due_at for row in rows)
    proven = coverages(sources, earliest)  # before the evidence it speaks of, never after it
    evidence = evidence_of(keys)
    as_of = max([as_of, *(r.received_at for records in evidence.records.values() for r in records)])
    return World(
        as_of=as_of,
        sources=watched(sources),
        policies=policy_versions(),
        pauses=_pauses(sources, earliest),
        coverages=proven,
        workers=_tuples(worker_rows(sources, earliest)),
        slots=_tuples(slot_uses(sources, *_unclaimed_since(rows, evidence, as_of))),
        open_absences=_with_open_absence(keys),
        decisions=decision_facts(keys),
        evidence=evidence,
    )


def _tuples(found: Mapping[int, list[T]]) -> dict[int, tuple[T, ...]]:
    return {source_id: tuple(rows) for source_id, rows in found.items()}


def _with_open_absence(keys: list[UUID]) -> set[UUID]:
    with array_cursor() as cursor:
        cursor.execute(
            "SELECT occurrence_id FROM occurrences_absence WHERE occurrence_id = ANY(%b) AND closed_at IS NULL",
            [keys],
        )
        return {row[0] for row in cursor.fetchall()}


def _pauses(sources: Iterable[int], earliest: datetime) -> dict[int, list[tuple[datetime, datetime | None]]]:
    found: dict[int, list[tuple[datetime, datetime | None]]] = defaultdict(list)
    rows = Pause.objects.filter(source_id__in=sources).exclude(end__lt=earliest)
    for source_id, start, end in rows.values_list("source_id", "start", "end"):
        found[source_id].append((start, end))
    return found


def _unclaimed_since(rows: Sequence[Row], evidence: Evidence, as_of: datetime) -> tuple[datetime, datetime]:
    """The span in which free slots matter: from the oldest due time that waits for a claim."""
    waiting = [
        row.due_at
        for row in rows
        if row.due_at <= as_of
        and any(r.handoff in (Handoff.ENQUEUE, Handoff.READY) for r in evidence.records[row.key])
        and not any(r.handoff >= Handoff.CLAIM and r.fills for r in evidence.records[row.key])
    ]
    return (min(waiting), as_of) if waiting else (as_of, as_of)


def _case(row: Row, world: World) -> Case:
    source = world.sources[row.source_id]
    chosen = [p for p in world.policies if row.policy_moved and p.id == row.policy_id]
    found = resolve(world.policies, due_at=row.due_at, source=source.name, queue=row.queue, schedule=row.schedule_key)
    version = chosen[0] if chosen else found.version
    return Case(
        key=row.key,
        source_id=row.source_id,
        schedule_id=row.schedule_id,
        question=_question(row, source, version, world),
        policy_id=version.id,
        chain=tuple(found.chain),
        stored=row.stored,
        has_open_absence=row.key in world.open_absences,
        flagged=row.flagged,
        priority=row.priority,
        watches_failed=row.watches_failed,
    )


def _question(row: Row, source: Watched, policy: PolicyVersion, world: World) -> Question:
    return Question(
        identity=source.identity(row),
        capabilities=source.capabilities,
        allowances=policy.allowances,
        expires_after=None if row.expires_after is None else timedelta(seconds=row.expires_after),
        records=tuple(world.evidence.records[row.key]),
        workers=world.workers.get(row.source_id, ()),
        slots=world.slots.get(row.source_id, ()),
        coverage=world.coverages[row.source_id],
        give_up=source.give_up,
        as_of=world.as_of,
        paused=any(s <= row.due_at and (e is None or row.due_at < e) for s, e in world.pauses.get(row.source_id, ())),
        in_rule=row.planned,
        floating=row.dialect == "interval-floating",
        expected_gap=row.expected_gap,
        decisions=world.decisions.get(row.key, ()),
        queue=row.queue,
    )
