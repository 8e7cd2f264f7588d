"""Random evidence, splits, repetitions, sweeps, coverage and processes on a real database.

After each step whatever the next sweep does not have to look at is stored as the judge would say it now. In the end
the stored facts are those of the same evidence taken in at once.
"""

import random
from datetime import datetime, timedelta
from typing import Any

import pytest
from django.db import transaction
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule, run_state_machine_as_test

from occurrences.contract.absences import opens_work_item
from occurrences.contract.judging import judge
from occurrences.contract.verdicts import Verdict
from occurrences.models import Absence, Occurrence, Run
from occurrences.queries.questions import ask
from occurrences.queries.sweeps import START as FIRST
from occurrences.queries.sweeps import overdue
from occurrences.services.absences import sweep
from tests import wire
from tests.wire import T0, coverage, handoff, process, record

pytestmark = pytest.mark.django_db
S, M = timedelta(seconds=1), timedelta(minutes=1)
START = T0 - 2 * M
DUES = [T0 + n * M for n in range(3)]
SPOOLS = {"beat": "scheduler", "worker": "workers", "w2": "workers"}
END = T0 + 120 * M


def evidence(rng: random.Random) -> list[wire.Body]:
    """Runs with records left out, late, failed, misnamed or naming nothing, second deliveries and second runs."""
    found: dict[tuple[object, ...], wire.Body] = {}
    for n, due in enumerate(DUES):
        for run in (f"run-{n}", f"again-{n}")[: 1 + (rng.random() < 0.15)]:
            for word, seconds in (("tick", 0.1), ("enqueue", 0.2), ("claim", 1), ("start", 1.5), ("terminal", 3)):
                if rng.random() < 0.25:
                    continue
                named = word == "tick" or rng.random() < 0.6
                names = due if rng.random() < 0.9 else due + M
                record_id = f"{run}/{word}/{names if word == 'tick' else ''}"
                body = handoff(
                    word, due + timedelta(seconds=seconds * rng.choice([1, 1, 40])), run=run, record_id=record_id,
                    key="nightly" if named else None, due=names if named else None, outcome=_outcome(rng, word),
                )  # fmt: skip
                found.setdefault((record_id, body.get("due_at")), body)
            if rng.random() < 0.4:
                who = rng.choice([{"owner": "w1", "pid": 10}, {"owner": "w2", "pid": 22}])
                body = handoff("claim", due + 20 * S, due=due, run=run, delivery=2, **who)
                found[body["record_id"], None] = body
    return list(found.values())


def _outcome(rng: random.Random, word: str) -> str | None:
    if rng.random() < 0.85:
        return None
    return rng.choice(["failed", "lost", "retrying"]) if word == "terminal" else rng.choice(["failed", "skipped"])


class Storage(RuleBasedStateMachine):
    """One source with two workers and a pool of records, of which some have been sent."""

    @initialize(seed=st.integers(0, 10**6))
    def begin(self, seed: int) -> None:
        self.mark = transaction.savepoint()
        self.rng = random.Random(seed)
        self.pool = evidence(self.rng)
        self.unsent = list(self.pool)
        self.sequence = dict.fromkeys(SPOOLS, 0)
        self.missing: list[wire.Body] = []
        self.lost: wire.Body | None = None
        self.now = T0 + 4 * M
        prepare()

    @rule(size=st.integers(1, 5))
    def ingest(self, size: int) -> None:
        self.rng.shuffle(self.unsent)
        self._take(self.unsent[:size])
        self.unsent = self.unsent[size:]

    @rule(size=st.integers(1, 6))
    def ingest_again(self, size: int) -> None:
        sent = [body for body in self.pool if body not in self.unsent]
        again = self.rng.sample(sent, min(size, len(sent)))
        assert record(again, now=self.now).duplicate == len(again)

    @rule(seconds=st.sampled_from([1, 10, 61, 300, 601, 1900]))
    def wait(self, seconds: int) -> None:
        self.now = min(self.now + seconds * S, END - M)

    @rule()
    def look(self) -> None:
        sweep(by="tests", now=self.now)

    @rule(spool=st.sampled_from(list(SPOOLS)), behind=st.sampled_from([0, 0, 5, 120]), arrives=st.booleans())
    def prove(self, spool: str, behind: int, arrives: bool) -> None:
        if spool == "w2" and self.lost is not None:
            return
        self.sequence[spool] += 1
        number = self.sequence[spool]
        body = coverage(SPOOLS[spool], self.now - behind * S, spool=spool, first=number, last=number)
        if arrives:
            self._take([body])
        else:
            self.missing.append(body)

    @rule()
    def mend(self) -> None:
        if self.missing:
            self._take([self.missing.pop(self.rng.randrange(len(self.missing)))])

    @rule(state=st.sampled_from(["offline", "lost"]), after=st.sampled_from([10, 25, 200]))
    def end_a_worker(self, state: str, after: int) -> None:
        if self.lost is None:
            # whoever closes a spool has shipped what was in it
            left = [body for body in self.missing if body["spool"] == "w2"]
            self.missing = [body for body in self.missing if body not in left]
            self._take([body for number in range(1, 61) for body in left if body["seq_first"] == number])
            seen = wire.text(T0 + after * S)
            self.lost = process("workers", START, spool="w2", pid=22, name="w2", state=state, last_seen=seen)
            self._take([self.lost])

    @invariant()
    def what_the_sweep_need_not_look_at_is_right(self) -> None:
        if hasattr(self, "now"):
            moment = timedelta(microseconds=1)  # what is armed now is overdue from the next moment on
            armed = {key for _, key in overdue(now=self.now + moment, after=FIRST, limit=1000)}
            check(Occurrence.objects.filter(due_at__gte=T0, due_at__lt=self.now).exclude(key__in=armed), self.now)

    def teardown(self) -> None:
        if not hasattr(self, "mark"):
            return
        self._take(self.unsent)
        found = settle(self.lost)
        transaction.savepoint_rollback(self.mark)
        mark = transaction.savepoint()
        prepare()
        record(self.pool, now=T0 + 4 * M)
        if self.lost is not None:
            record([self.lost], now=T0 + 5 * M)
        assert found == settle(self.lost)
        transaction.savepoint_rollback(mark)

    def _take(self, bodies: list[wire.Body]) -> None:
        record(bodies, now=self.now)


def prepare() -> None:
    wire.source(now=T0 - timedelta(hours=2), give_up=timedelta(minutes=5))
    second = process("workers", START, spool="w2", pid=22, name="w2")
    record([wire.schedule(at=START), *wire.watched(START), second], now=START)


def settle(lost: wire.Body | None) -> list[Any]:
    """Prove everything, sweep until nothing changes, and return what is stored."""
    spools = [spool for spool in SPOOLS if lost is None or spool != "w2"]
    record([whole for spool in spools for whole in mended(spool)], now=END)
    for n in range(3):
        sweep(by="tests", now=END + n * 10 * S)
    now = END + 30 * S
    check(Occurrence.objects.filter(due_at__gte=T0, due_at__lte=DUES[-1] + M), now)
    return facts()


def mended(spool: str) -> list[wire.Body]:
    """Coverage to the end, with whatever numbers were held back so far."""
    role = SPOOLS[spool]
    held = [coverage(role, END, spool=spool, first=n, last=n) for n in range(1, 61)]
    return [*held, coverage(role, END, spool=spool)]


def facts() -> list[Any]:
    rows = Occurrence.objects.filter(due_at__gte=T0, due_at__lte=DUES[-1] + M).order_by("due_at")
    flagged = Absence.objects.filter(closed_at=None, occurrence__isnull=False)
    return [
        *rows.values_list("due_at", "verdict", "first_absent"),
        *Run.objects.order_by("run_ref").values_list("run_ref", "home__due_at"),
        *flagged.order_by("occurrence_id").values_list("occurrence__due_at", flat=True),
    ]


def check(rows: Any, now: datetime) -> None:
    """Hold what is stored against what the judge says of all the evidence there is."""
    rows = list(rows)
    cases = ask([row.key for row in rows], as_of=now)
    for row in rows:
        said = judge(cases[row.key].question)
        stored = (row.due_at, row.verdict, row.first_absent)
        assert stored == (row.due_at, said.verdict.value, said.first_absent)
        wanted = opens_work_item(said.verdict, still_absent=said.still_absent) and said.verdict is not Verdict.UNKNOWN
        assert wanted == cases[row.key].has_open_absence


def run(examples: int, steps: int) -> None:
    limits = settings(
        max_examples=examples, stateful_step_count=steps, deadline=None, database=None, derandomize=True,
        suppress_health_check=list(HealthCheck), phases=[Phase.generate],
    )  # fmt: skip
    run_state_machine_as_test(Storage, settings=limits)


def test_storage_follows_the_judge_whatever_comes_in_which_order():
    run(examples=10, steps=15)


@pytest.mark.long
def test_storage_follows_the_judge_in_a_long_run():
    run(examples=300, steps=40)
