"""Builders for the tests of the contract: one due time, and evidence around it in seconds."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

from occurrences.contract.coverage import Coverage, Stretch
from occurrences.contract.decisions import Choice, DecisionFact
from occurrences.contract.handoffs import CELERY_TAP, Capabilities, Handoff, Role
from occurrences.contract.judging import Judgement, Question, judge
from occurrences.contract.occurrences import Identity, recovery_id
from occurrences.contract.policies import Allowances
from occurrences.contract.records import Record
from occurrences.contract.workers import WorkerRow

DUE = datetime(2025, 1, 15, 2, 30, tzinfo=UTC)
IDENTITY = Identity(source="celery:billing", schedule_key="nightly", due_at=DUE)
OBSERVED = Capabilities()
TAP = Capabilities.from_mapping(CELERY_TAP)
ALLOWANCES = Allowances(
    tick=timedelta(seconds=60),
    enqueue=timedelta(seconds=30),
    ready=timedelta(seconds=30),
    claim=timedelta(seconds=120),
    start=timedelta(seconds=60),
    run=timedelta(seconds=900),
    readback=timedelta(seconds=900),
    expires=None,
    fold=timedelta(seconds=900),
)
USUAL = {
    Handoff.TICK: 1,
    Handoff.ENQUEUE: 2,
    Handoff.READY: 3,
    Handoff.CLAIM: 4,
    Handoff.START: 5,
    Handoff.TERMINAL: 40,
}
OWNERS = {Handoff.TICK: "beat", Handoff.ENQUEUE: "beat", Handoff.READY: "queue"}
BOTH = (Role.SCHEDULER, Role.WORKERS)


def at(seconds: float) -> datetime:
    """The moment `seconds` after the due time."""
    return DUE + timedelta(seconds=seconds)


def record(handoff: Handoff, seconds: float, **fields) -> Record:
    """One record of run r1, received as it happened."""
    run = fields.pop("run", None if handoff is Handoff.TICK else "r1")
    delivery = fields.get("delivery", 1)
    usual = {
        "record_id": f"{run or 'tick'}/{handoff.word}/{delivery}",
        "outcome": "succeeded" if handoff is Handoff.TERMINAL else "ok",
        "observed_at": at(seconds),
        "received_at": at(seconds),
        "owner": OWNERS.get(handoff, "w1"),
    }
    return Record(handoff=handoff, run=run, **(usual | fields))


def path(*handoffs: Handoff, **times: float) -> tuple[Record, ...]:
    """Records of the named handoffs at their usual moments; `claim=200` moves one."""
    return tuple(record(handoff, times.get(handoff.word, USUAL[handoff])) for handoff in handoffs)


def up_to(last: Handoff, **times: float) -> tuple[Record, ...]:
    """Records of every step up to `last`."""
    return path(*(handoff for handoff in USUAL if handoff <= last), **times)


def skip(seconds: float) -> DecisionFact:
    """A decision to skip, `seconds` after the due time."""
    return DecisionFact(choice=Choice.SKIP, at=at(seconds))


def replay(seconds: float, number: int = 1, **fields) -> DecisionFact:
    """A decision to replay, `seconds` after the due time."""
    known = str(recovery_id(IDENTITY, number))
    return DecisionFact(choice=Choice.REPLAY, at=at(seconds), recovery_number=number, recovery_id=known, **fields)


def replayed(handoff: Handoff, seconds: float, number: int = 1, **fields) -> Record:
    """One record of the `number`-th replay; from the claim on its worker names the original."""
    known = str(recovery_id(IDENTITY, number))
    told = handoff >= Handoff.CLAIM
    usual = {
        "record_id": f"{known}/{handoff.word}/{fields.get('delivery', 1)}",
        "owner_role": "worker" if told else "operator",
        "named": IDENTITY,
        "recovery": number,
        "recovery_id": known,
    }
    return record(handoff, seconds, run=known, **(usual | fields))


def worker(name: str = "w1", up_from: float = -9000, up_to: float | None = None, capacity: int = 2) -> WorkerRow:
    """A worker that is up from `up_from` to `up_to` seconds after the due time."""
    return WorkerRow(
        worker=name,
        up_from=at(up_from),
        up_to=at(up_to) if up_to is not None else None,
        capacity=capacity,
    )


def covered(*stretches: tuple[float, float], roles=BOTH, to_now: bool = False) -> Coverage:
    """Coverage of `roles` in the given stretches; with `to_now` the last one goes on."""
    return Coverage(
        provable=True,
        stretches=tuple(Stretch(start=at(a), end=at(b), role=role) for role in roles for a, b in stretches),
        to_now=frozenset(roles) if to_now else frozenset(),
    )


ALWAYS = covered((-9000, -8000), to_now=True)
NEVER = Coverage(provable=True)

BASE = Question(
    identity=IDENTITY,
    capabilities=OBSERVED,
    allowances=ALLOWANCES,
    expires_after=None,
    records=(),
    coverage=ALWAYS,
    give_up=timedelta(seconds=1800),
    as_of=DUE,
)


def ask(records=(), *, as_of: float, **fields) -> Judgement:
    """The judgement of `records` as of `as_of` seconds after the due time, with everything covered."""
    return judge(question(records, as_of=as_of, **fields))


def question(records=(), *, as_of: float, **fields) -> Question:
    """The question behind `ask`."""
    return replace(BASE, records=tuple(records), as_of=at(as_of), **fields)
