"""Judgements per second in one process, by how much evidence there is."""

from collections.abc import Callable, Iterator, Mapping
from datetime import timedelta

from occurrences.contract.coverage import Coverage, Stretch
from occurrences.contract.handoffs import CELERY_TAP, Capabilities, Role
from occurrences.contract.judging import Question, find, judge
from occurrences.contract.occurrences import Identity
from occurrences.contract.policies import DEFAULT_ALLOWANCES, DEFAULT_GIVE_UP
from occurrences.contract.records import Record
from occurrences.contract.wire import HandoffIn
from occurrences.contract.workers import SlotUse, WorkerRow
from occurrences.management.bench.figures import Figure, rate_of
from occurrences.management.bench.world import NAME, PERIOD, START, STEPS, handoff, parsed

EACH = 2000
DUE = START + 10 * PERIOD
SECOND = timedelta(seconds=1)


def measure(rounds: int) -> Iterator[Figure]:
    """Yield for each size of evidence what is stored, beside the whole judgement with its words."""
    for name, question in _cases().items():
        found = [(_rate(judge, question), _rate(find, question)) for _ in range(rounds)]
        whole, stored = zip(*found, strict=True)
        yield Figure(
            name=f"judging {name}", unit="judgements", rates=stored, against="what a page shows",
            other_rates=whole,
        )  # fmt: skip


def _rate(act: Callable[[Question], object], question: Question) -> float:
    return rate_of(EACH, lambda: [act(question) for _ in range(EACH)])


def _cases() -> Mapping[str, Question]:
    return {
        "an occurrence without a record": _question(()),
        "a run that went well (5 records)": _question(_records(1)),
        "a run handed over 4 times (14 records)": _question(_records(4)),
        "the same beside 40 workers and 200 runs": _question(_records(4), workers=40, slots=200, stretches=20),
    }


def _records(deliveries: int) -> tuple[Record, ...]:
    found = [_record(word, 1, seconds) for word, seconds in STEPS.items()]
    for number in range(2, deliveries + 1):
        found += [_record(word, number, STEPS[word] + 60 * number) for word in ("claim", "start", "terminal")]
    return tuple(found)


def _record(word: str, delivery: int, seconds: float) -> Record:
    body = handoff("nightly", DUE, word, DUE + timedelta(seconds=seconds))
    said = parsed([body])[0].parsed
    assert isinstance(said, HandoffIn)  # noqa: S101  made so above
    outcome = "retrying" if word == "terminal" and delivery < 4 and seconds > 60 else said.outcome
    return Record(
        handoff=said.handoff, record_id=f"{said.record_id}/{delivery}", outcome=outcome, delivery=delivery,
        observed_at=said.observed_at, received_at=said.observed_at + SECOND, run=said.job_ref,
        owner=said.owner_name, owner_role=said.owner_role, owner_pid=said.owner_pid, owner_host=said.owner_host,
    )  # fmt: skip


def _question(records: tuple[Record, ...], *, workers: int = 2, slots: int = 4, stretches: int = 1) -> Question:
    proven = tuple(
        Stretch(start=START + n * PERIOD / 2, end=START + (n + 0.9) * PERIOD / 2, role=role, known_at=DUE)
        for role in (Role.SCHEDULER, Role.WORKERS)
        for n in range(stretches - 1)
    )
    whole = tuple(Stretch(start=DUE - PERIOD, end=DUE + PERIOD, role=r) for r in (Role.SCHEDULER, Role.WORKERS))
    names = [f"worker-{n}" for n in range(workers - 1)] + ["worker"]
    return Question(
        identity=Identity(source=NAME, schedule_key="nightly", due_at=DUE),
        capabilities=Capabilities.from_mapping(CELERY_TAP),
        allowances=DEFAULT_ALLOWANCES,
        expires_after=None,
        records=records,
        coverage=Coverage(provable=True, stretches=proven + whole),
        give_up=DEFAULT_GIVE_UP,
        as_of=DUE + PERIOD,
        workers=tuple(WorkerRow(worker=n, up_from=START, up_to=None, capacity=8, pid=10) for n in names),
        slots=tuple(SlotUse(worker=names[n % workers], start=DUE, end=DUE + SECOND) for n in range(slots)),
    )
