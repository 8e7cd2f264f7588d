"""The order in which evidence, sweeps and clocks meet changes nothing of what is said in the end."""

import random
from datetime import timedelta

import pytest
from django.db import connection, transaction
from django.test.utils import CaptureQueriesContext

from occurrences.contract.absences import opens_work_item
from occurrences.contract.judging import judge
from occurrences.contract.verdicts import Verdict
from occurrences.models import Absence, CoverageStretch, Discrepancy, Occurrence, Run, Schedule, Unlinked
from occurrences.queries.questions import ask
from occurrences.services import workers
from occurrences.services.absences import sweep
from occurrences.services.schedules import plan, planning
from tests import wire
from tests.wire import T0, coverage, handoff, process, record

pytestmark = pytest.mark.django_db
S, M = timedelta(seconds=1), timedelta(minutes=1)
START = T0 - 2 * M
TRIALS = 12


@pytest.fixture(autouse=True)
def source():
    return wire.source(now=T0 - timedelta(hours=2), give_up=timedelta(minutes=5))


def ready(**more):
    record([wire.schedule(at=START, **more), *wire.watched(START)], now=START)


def at(due=T0) -> Occurrence:
    return Occurrence.objects.get(due_at=due)


def stretches() -> list[tuple[object, object]]:
    return list(CoverageStretch.objects.filter(role="scheduler").order_by("start").values_list("start", "end"))


def test_a_batch_whose_clock_was_read_first_may_get_the_lock_second():
    ready()
    record(wire.full_path()[2:], now=T0 + 5 * S)
    record(wire.full_path()[:2], now=T0 + timedelta(seconds=4.995))
    assert at().verdict == "on-time"


def test_a_sweep_whose_clock_was_read_before_the_evidence_came_does_not_overlook_it():
    ready()
    now = T0 + 12 * M
    record([handoff("tick", T0 + S), handoff("enqueue", T0 + 2 * S)], now=now + S)
    record(wire.covered(now + 2 * S), now=now + 2 * S)
    for seconds in (0, 10, 20):
        sweep(by="tests", now=now + seconds * S)
    assert at().verdict in ("delayed-claim", "missing-claim")
    assert set(at().absences.values_list("verdict", flat=True)) <= {"delayed-claim", "missing-claim"}


def test_what_cannot_be_told_when_it_comes_in_opens_its_gap_at_the_next_sweep():
    record([wire.schedule(at=START), process("scheduler", START, spool="beat")], now=START)
    late = T0 + 60 * M
    Occurrence.objects.exclude(due_at=T0).delete()
    beat = coverage("scheduler", late, spool="beat")
    record([handoff("tick", T0 + S), handoff("enqueue", T0 + 2 * S), beat], now=late)
    sweep(by="tests", now=late + 10 * S)
    assert at().verdict == "unknown"
    assert Absence.objects.get().occurrence_id is None


def test_what_could_not_be_told_is_judged_again_though_coverage_returns_in_small_steps():
    ready()
    record(wire.covered(START + S), now=START + S)
    sweep(by="tests", now=START + 8 * M)
    assert at(START).verdict == "unknown"
    back, reached = START + 9 * M, START + S
    while reached < back:
        reached += 10 * S
        record(wire.covered(min(reached, back)), now=back)
    sweep(by="tests", now=back + S)
    assert at(START).verdict == "missing-tick"


def test_a_hole_in_one_spool_stays_a_hole_while_another_lags_behind():
    record([wire.schedule(at=START), *wire.watched(START), process("scheduler", START, spool="b2", pid=11)], now=START)
    both = [coverage("scheduler", START + 5 * S, spool=s, first=1, last=2) for s in ("beat", "b2")]
    record(both, now=START + 5 * S)
    record([coverage("scheduler", START + 90 * S, spool="beat", first=10, last=10)], now=START + 90 * S)
    record([coverage("scheduler", START + 91 * S, spool="beat", first=11, last=11)], now=START + 91 * S)
    record([coverage("scheduler", START + 91 * S, spool="b2", first=3, last=3)], now=START + 92 * S)
    assert stretches() == [(START, START + 5 * S), (START + 90 * S, START + 91 * S)]
    sweep(by="tests", now=START + 93 * S)
    assert at(START).verdict == "pending"


def test_coverage_records_that_crossed_on_their_way_leave_no_hole():
    record(wire.watched(START), now=START)
    for first, last, seconds in ((3, 4, 2), (1, 2, 1), (5, 6, 4)):
        record([coverage("scheduler", START + seconds * S, spool="beat", first=first, last=last)], now=START + 4 * S)
    assert stretches() == [(START, START + 2 * S), (START + 2 * S, START + 4 * S)]  # they touch, so they join


def test_a_role_never_heard_of_costs_one_look_and_not_one_at_every_sweep():
    record([wire.schedule(at=START, rule="every 1s")], now=START)
    plan(now=START, ahead=10 * M)
    assert sweep(by="tests", now=START + 4 * M).judged == 240
    assert sweep(by="tests", now=START + 4 * M + 10 * S).judged == 10


def test_a_snapshot_that_comes_while_the_planner_works_is_planned_by_its_own_rule(monkeypatch):
    ready()
    read = planning.in_force

    def read_and_be_overtaken(keys):
        found = read(keys)
        monkeypatch.setattr(planning, "in_force", read)
        record([wire.schedule(at=START + 5 * M, rule="every 7s")], now=START + 5 * M)
        return found

    monkeypatch.setattr(planning, "in_force", read_and_be_overtaken)
    plan(now=START + 5 * M, ahead=20 * M)
    plan(now=START + 5 * M + 10 * S, ahead=20 * M)
    dues = Occurrence.objects.filter(due_at__gte=START + 16 * M, due_at__lt=START + 17 * M)
    assert dues.count() in (8, 9)


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
def test_of_two_records_of_the_same_rank_the_earlier_occurrence_is_the_home(order):
    ready()
    bodies = [handoff("enqueue", T0 + S, due=d, record_id=str(d)) for d in (T0, T0 + M)]
    for index in order:
        record([bodies[index]], now=T0 + 5 * S)
    assert Run.objects.get().home.due_at == T0


def test_a_claimant_is_lost_though_its_claim_said_less_of_it_than_its_process_did():
    ready()
    claim = handoff("claim", T0 + S) | {"owner": {"role": "worker", "name": "w1"}}
    record([handoff("tick", T0), handoff("enqueue", T0), claim], now=T0 + 2 * S)
    lost = process("workers", START, spool="worker", state="lost", last_seen=wire.text(T0 + 5 * S))
    record([lost, coverage("scheduler", T0 + 6 * S, spool="beat")], now=T0 + 6 * S)
    sweep(by="tests", now=T0 + 16 * S)
    assert at().verdict == "lost-after-claim"


def test_an_end_that_comes_after_the_next_claim_does_not_end_it():
    ready()
    record([handoff("tick", T0), handoff("enqueue", T0), handoff("claim", T0 + S)], now=T0 + 2 * S)
    record([handoff("claim", T0 + 10 * S, delivery=2)], now=T0 + 11 * S)
    record([handoff("terminal", T0 + 2 * S, outcome="retrying")], now=T0 + 12 * S)
    lost = process("workers", START, spool="worker", state="lost", last_seen=wire.text(T0 + 20 * S))
    record([lost, coverage("scheduler", T0 + 21 * S, spool="beat")], now=T0 + 21 * S)
    sweep(by="tests", now=T0 + 22 * S)
    assert at().verdict == "lost-after-claim"


def test_a_delivery_that_was_lost_makes_the_next_one_a_recovery_though_the_loss_is_told_last():
    ready()
    second = {"owner": "w2", "pid": 22, "delivery": 2}
    words = [("claim", 30), ("start", 31), ("terminal", 32)]
    later = [handoff(w, T0 + s * S, **second) for w, s in words]
    two = process("workers", START, spool="w2", pid=22, name="w2")
    first = [handoff("tick", T0), handoff("enqueue", T0), handoff("claim", T0 + S)]
    record([two, *first, *later], now=T0 + 33 * S)
    lost = process("workers", START, spool="worker", state="lost", last_seen=wire.text(T0 + 5 * S))
    proof = [coverage("scheduler", T0 + 40 * S, spool="beat"), coverage("workers", T0 + 40 * S, spool="w2")]
    record([lost, *proof], now=T0 + 40 * S)
    sweep(by="tests", now=T0 + 50 * S)
    assert at().verdict == "recovered"


def test_a_record_that_is_kept_beside_another_changes_nothing_of_its_run():
    ready()
    record(wire.full_path()[:4], now=T0 + 3 * S)
    assert record([handoff("claim", T0 + 50 * S, owner="w9", pid=99)], now=T0 + 55 * S).discrepancy == 1
    assert Run.objects.get().claimant_name == "w1"


def test_an_unlinked_record_with_the_id_of_another_is_kept_beside_it():
    bodies = [handoff("claim", T0, key=None, due=None, run=run, record_id="same") for run in ("r1", "r2")]
    assert record(bodies[:1], now=T0).unlinked == 1
    assert record(bodies[1:], now=T0).discrepancy == 1
    assert (Unlinked.objects.count(), Discrepancy.objects.count()) == (1, 1)


def test_a_claim_that_failed_does_not_hide_that_every_slot_was_taken():
    hourly = wire.schedule(at=START, rule="every 3600s", anchor=wire.text(T0))
    one = process("workers", START, spool="worker", capacity=1)
    record([hourly, one, process("scheduler", START, spool="beat")], now=START)
    busy = [handoff(w, START + S, key="busy", due=START, run="b") for w in ("tick", "enqueue", "claim", "start")]
    record(busy, now=START + 2 * S)
    failed = handoff("claim", T0 + S, outcome="failed")
    record([handoff("tick", T0), handoff("enqueue", T0), failed], now=T0 + 2 * S)
    end = T0 + 11 * M
    record(wire.covered(end), now=end)
    sweep(by="tests", now=end)
    assert at().verdict == "delayed-claim"


def test_an_expected_gap_of_which_something_is_known_is_not_deleted():
    floating = wire.schedule("f", at=START, rule="every 60s", dialect="interval-floating", anchor=None)
    record([floating, *wire.watched(START)], now=START)
    due = Occurrence.objects.get(expected_gap=True).due_at
    failed = handoff("enqueue", due, key="f", due=due, run="x", outcome="failed", due_basis="floating")
    record([failed], now=due + S)
    record([handoff("tick", due + 5 * S, key="f", due=due + 5 * S, due_basis="floating")], now=due + 6 * S)
    assert Occurrence.objects.filter(due_at=due).exists()


def test_a_snapshot_of_years_ago_plans_nothing_that_no_partition_may_hold():
    record([wire.schedule(at=T0 - timedelta(days=3 * 365), rule="every 86400s")], now=T0)
    assert not Occurrence.objects.filter(due_at__lt=T0 - timedelta(days=400)).exists()
    assert Schedule.objects.get().planned_to is not None


@pytest.mark.parametrize("kind", ["schedule", "process", "coverage"])
def test_the_number_of_statements_does_not_depend_on_how_many_of_a_kind_a_batch_holds(kind):
    record([process("scheduler", START, spool=f"c{n}") for n in range(50)], now=START)

    def statements(first: int, many: int) -> int:
        numbers = range(first, first + many)
        bodies = {
            "schedule": [wire.schedule(f"s{n}", at=START, rule="every 3600s") for n in numbers],
            "process": [process("scheduler", START, spool=f"p{n}") for n in numbers],
            "coverage": [coverage("scheduler", START + S, spool=f"c{n}", first=1, last=2) for n in numbers],
        }[kind]
        with CaptureQueriesContext(connection) as queries:
            assert record(bodies, now=START + S).accepted == many
        return len(queries)

    assert statements(0, 2) >= statements(10, 40)


def test_any_order_split_and_repetition_with_sweeps_between_gives_what_the_pure_judge_says():
    for seed in range(TRIALS):
        rng = random.Random(seed)
        bodies, lost = _evidence(rng), rng.random() < 0.4
        outcomes = []
        for order in range(2):
            mark = transaction.savepoint()
            outcomes.append(_play(random.Random(seed * 10 + order), list(bodies), lost))
            transaction.savepoint_rollback(mark)
        assert outcomes[0] == outcomes[1], f"seed {seed}"


def _evidence(rng: random.Random) -> list[wire.Body]:
    """Two runs with records left out, late, misnamed or naming nothing, and now and then a second delivery."""
    found: dict[tuple[object, ...], wire.Body] = {}
    for n in range(2):
        due, run = T0 + n * M, f"run-{n}"
        for word, seconds in (("tick", 0.1), ("enqueue", 0.2), ("claim", 1), ("start", 1.5), ("terminal", 3)):
            if rng.random() < 0.25:
                continue
            named = word == "tick" or rng.random() < 0.6
            names = due if rng.random() < 0.9 else due + M
            when = due + timedelta(seconds=seconds * rng.choice([1, 1, 40]))
            record_id = f"{run}/{word}/{names if word == 'tick' else ''}"
            where = {"key": "nightly" if named else None, "due": names if named else None}
            body = handoff(word, when, run=run, record_id=record_id, **where)
            found.setdefault((record_id, word, body.get("due_at")), body)
        if rng.random() < 0.5:
            who = rng.choice([{"owner": "w1", "pid": 10}, {"owner": "w2", "pid": 22}])
            body = handoff("claim", due + 20 * S, due=due, run=run, delivery=2, **who)
            found[(body["record_id"], "claim", None)] = body
    return list(found.values())


def _play(rng: random.Random, bodies: list[wire.Body], lost: bool) -> list[object]:
    record(
        [wire.schedule(at=START), *wire.watched(START), process("workers", START, spool="w2", pid=22, name="w2")],
        now=START,
    )
    bodies += rng.sample(bodies, len(bodies) // 3)
    rng.shuffle(bodies)
    now = T0 + 5 * M
    while bodies:
        part, bodies = bodies[:3], bodies[3:]
        # the clock of a batch is read before it waits for its locks, so it may lie behind that of another
        record(part, now=now + rng.randint(-2, 2) * S)
        if rng.random() < 0.4:
            sweep(by="tests", now=now - S)
        now += S
    if lost:
        gone = process("workers", START, spool="worker", state="lost", last_seen=wire.text(T0 + 10 * S))
        record([gone], now=now)
    end = T0 + 90 * M
    record([*wire.covered(end), coverage("workers", end, spool="w2")], now=end)
    for n in range(3):
        sweep(by="tests", now=end + n * 10 * S)
    return _checked(end + 30 * S)


def _checked(now) -> list[object]:
    """What is stored, once it was compared with what the judge says of all the evidence."""
    rows = list(Occurrence.objects.filter(due_at__gte=T0, due_at__lte=T0 + 2 * M).order_by("due_at"))
    cases = ask([r.key for r in rows], as_of=now)
    said: list[object] = []
    for row in rows:
        found = judge(cases[row.key].question)
        assert (row.verdict, row.first_absent) == (found.verdict.value, found.first_absent)
        wanted = opens_work_item(found.verdict, still_absent=found.still_absent) and found.verdict != Verdict.UNKNOWN
        assert wanted == cases[row.key].has_open_absence
        said.append((row.due_at, row.verdict, row.first_absent))
    return [*said, *Run.objects.order_by("run_ref").values_list("run_ref", "home__due_at")]


def test_the_spool_of_a_host_that_will_not_return_is_a_hole_though_another_lags():
    record([*wire.watched(START), process("scheduler", START, spool="b2", pid=11)], now=START)
    workers.retire_spool(source=wire.SOURCE, spool="beat", by="admin", now=START + 90 * S)
    record([coverage("scheduler", START + 100 * S, spool="b2")], now=START + 100 * S)
    assert stretches() == [(START, START), (START + 90 * S, START + 100 * S)]


def test_what_waits_in_a_hole_is_looked_at_as_soon_as_the_hole_is_mended():
    ready()
    record([coverage("scheduler", START + 5 * S, spool="beat", first=1, last=1)], now=START + 5 * S)
    record([coverage("scheduler", START + 90 * S, spool="beat", first=3, last=3)], now=START + 90 * S)
    record([coverage("scheduler", START + 91 * S, spool="beat", first=4, last=4)], now=START + 91 * S)
    sweep(by="tests", now=START + 92 * S)
    assert (at(START).verdict, at(START).next_role) == ("pending", "clock")
    record([coverage("scheduler", START + 93 * S, spool="beat", first=2, last=2)], now=START + 93 * S)
    sweep(by="tests", now=START + 94 * S)
    assert at(START).verdict == "missing-tick"


def test_a_gap_in_the_evidence_is_named_once_its_hole_is_mended_though_the_run_went_well():
    ready()
    record([coverage("scheduler", START + 5 * S, spool="beat", first=1, last=1)], now=START + 5 * S)
    run = wire.full_path(START)[1:]
    record(run, now=START + 6 * S)
    for seconds, number in ((90, 3), (91, 4)):
        record(
            [coverage("scheduler", START + seconds * S, spool="beat", first=number, last=number)], now=START + 91 * S
        )
    sweep(by="tests", now=START + 7 * M)
    assert (at(START).verdict, at(START).first_absent) == ("on-time", None)
    record([coverage("scheduler", START + 93 * S, spool="beat", first=2, last=2)], now=START + 7 * M + S)
    sweep(by="tests", now=START + 7 * M + 2 * S)
    assert (at(START).verdict, at(START).first_absent) == ("on-time", 1)


def test_a_gap_in_the_evidence_is_named_though_its_coverage_comes_after_the_time_to_wait():
    ready()
    record(wire.full_path(START)[1:], now=START + 6 * S)
    record([coverage("scheduler", START + 6 * S, spool="beat")], now=START + 6 * S)
    sweep(by="tests", now=START + 9 * M)
    assert (at(START).verdict, at(START).first_absent) == ("on-time", None)
    record([coverage("scheduler", START + 9 * M, spool="beat")], now=START + 9 * M + S)
    sweep(by="tests", now=START + 9 * M + 2 * S)
    assert (at(START).verdict, at(START).first_absent) == ("on-time", 1)
