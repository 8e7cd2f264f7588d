"""Real beat and worker processes with the tap, on a real broker, against a real receiver."""

import os
import signal
import time
from collections import Counter

from tests.tap.applications import BEAT, WORKER, Application
from tests.tap.receiver import Receiver, Record

SOLO = ["worker", "-P", "solo", *WORKER[3:]]


def path_of(receiver: Receiver, run: str) -> list[str]:
    """The handoffs of one run in the order of their ranks, each once for each record."""
    ranks = ("tick", "enqueue", "claim", "start", "expiration", "terminal")
    found = [record["handoff"] for record in receiver.of("handoff", job_ref=run)]
    return sorted(found, key=ranks.index)


def assert_nothing_lost(receiver: Receiver) -> None:
    """Every spool's coverage leaves no number out from its first line on; what came twice is the same.

    A process that is killed between an answer and noting it has its last batch sent again by its heir.
    """
    bodies: dict[str, Record] = {}
    for record in receiver.of("handoff"):
        assert bodies.setdefault(record["record_id"], record) == record
    for spool in {record["spool"] for record in receiver.of("coverage")}:
        newest = 0
        for record in receiver.of("coverage", spool=spool):
            if record["seq_first"] is not None:
                assert record["seq_first"] <= newest + 1, (spool, newest, record)
                newest = record["seq_last"]
        assert newest > 0


def assert_nothing_lost_or_doubled(receiver: Receiver) -> None:
    """The same, and no line was sent twice."""
    assert_nothing_lost(receiver)
    counted = Counter(record["record_id"] for record in receiver.of("handoff"))
    assert [name for name, count in counted.items() if count > 1] == []


def finished(receiver: Receiver, count: int = 2) -> list[Record]:
    return receiver.wait_for("handoff", count=count, handoff="terminal")


def test_an_occurrence_is_seen_at_every_handoff_and_a_clean_stop_leaves_nothing(
    application: Application, receiver: Receiver
) -> None:
    application.start("worker", WORKER)
    application.start("beat", BEAT)
    end = finished(receiver)[0]
    assert application.end("beat") == 0
    assert application.end("worker") == 0
    assert path_of(receiver, end["job_ref"]) == ["enqueue", "claim", "start", "terminal"]
    path = {record["handoff"]: record for record in receiver.of("handoff", job_ref=end["job_ref"])}
    assert receiver.of("handoff", handoff="tick", due_at=end["due_at"])
    assert {record["due_at"] for record in path.values()} == {end["due_at"]}
    assert path["claim"]["owner"]["pid"] != path["start"]["owner"]["pid"] == path["terminal"]["owner"]["pid"]
    assert path["terminal"]["outcome"] == "succeeded"
    states = {(r["spool"], r["state"]) for r in receiver.of("process")}
    spools = {spool for spool, _ in states}
    assert len(spools) == 4, "beat, the worker and its two children"
    assert states == {(spool, state) for spool in spools for state in ("online", "offline")}
    assert [r["capacity"] for r in receiver.of("process", role="workers", state="online") if r["queues"]] == [2]
    assert application.spools() == []
    kinds = [(r["kind"], r.get("role") or r.get("owner", {}).get("role")) for r in receiver.records]
    assert kinds.index(("process", "scheduler")) < kinds.index(("handoff", "scheduler"))
    assert kinds.index(("process", "workers")) < kinds.index(("handoff", "worker"))
    assert_nothing_lost_or_doubled(receiver)


def test_the_solo_pool_has_one_spool_for_all_its_handoffs(application: Application, receiver: Receiver) -> None:
    application.start("worker", SOLO)
    application.start("beat", BEAT)
    end = finished(receiver, 1)[0]
    application.end("beat")
    application.end("worker")
    assert path_of(receiver, end["job_ref"]) == ["enqueue", "claim", "start", "terminal"]
    assert len({r["spool"] for r in receiver.of("process", role="workers")}) == 1
    assert_nothing_lost_or_doubled(receiver)


def test_beat_inside_a_worker_has_its_own_spool_and_is_closed_with_the_worker(
    application: Application, receiver: Receiver
) -> None:
    application.start("worker", [*WORKER, "-B", "--scheduler", BEAT[-1]])
    finished(receiver, 1)
    application.end("worker")
    assert {r["state"] for r in receiver.of("process", role="scheduler")} == {"online", "offline"}
    assert application.spools() == []
    assert_nothing_lost_or_doubled(receiver)


def test_with_the_console_down_the_application_notices_nothing_and_nothing_is_lost(
    application: Application, receiver: Receiver
) -> None:
    receiver.down()
    application.start("worker", WORKER)
    application.start("beat", BEAT)
    application.wait_for_text("worker", "succeeded")
    time.sleep(4)
    receiver.up()
    receiver.wait_for("handoff", handoff="terminal", count=4)
    receiver.down()
    time.sleep(3)
    receiver.up()
    before = len(receiver.of("handoff", handoff="terminal"))
    receiver.wait_for("handoff", handoff="terminal", count=before + 3)
    assert application.end("beat") == 0
    assert application.end("worker") == 0
    for name in ("beat", "worker"):
        assert "Traceback" not in application.text(name)
    sent = application.text("beat").count("Sending due task")
    assert sent == len(receiver.of("handoff", handoff="enqueue", outcome="ok"))
    assert sent == len(receiver.of("handoff", handoff="terminal", outcome="succeeded"))
    assert 1 <= application.text("beat").count("they wait in the spool") <= 3, "once for each kind of failure"
    assert_nothing_lost_or_doubled(receiver)


def test_a_console_that_never_answers_does_not_hold_up_a_stop(application: Application, receiver: Receiver) -> None:
    application.start("beat", BEAT)
    receiver.wait_for("handoff", handoff="enqueue")
    receiver.status = 503
    began = time.monotonic()
    assert application.end("beat") == 0
    assert time.monotonic() - began < 4
    receiver.status = None
    assert len(application.spools()) == 1
    application.start("worker", SOLO)
    receiver.wait_for("process", role="scheduler", state="offline")
    assert receiver.of("process", role="scheduler", state="lost") == []
    application.wait_for_text("worker", "ready.")
    assert application.end("worker") == 0
    assert application.spools() == []
    assert_nothing_lost_or_doubled(receiver)


def test_a_killed_beat_is_reported_lost_by_the_worker_within_seconds(
    application: Application, receiver: Receiver
) -> None:
    application.start("worker", WORKER)
    application.start("beat", BEAT)
    finished(receiver, 1)
    application.end("beat", signal.SIGKILL)
    began = time.monotonic()
    (lost,) = receiver.wait_for("process", state="lost")
    assert time.monotonic() - began < 5
    assert lost["role"] == "scheduler"
    application.end("worker")
    assert application.spools() == []
    assert_nothing_lost(receiver)


def test_a_killed_worker_and_its_children_are_reported_lost_by_beat(
    application: Application, receiver: Receiver
) -> None:
    application.start("worker", WORKER)
    application.start("beat", BEAT)
    finished(receiver, 1)
    application.end("worker", signal.SIGKILL)  # its children end with it: Celery asked the kernel for that
    began = time.monotonic()
    lost = receiver.wait_for("process", state="lost", count=3)
    assert time.monotonic() - began < 5
    assert {record["role"] for record in lost} == {"workers"}
    application.end("beat")
    assert application.spools() == []
    assert_nothing_lost(receiver)


def test_the_next_start_on_a_host_closes_the_gap_of_a_host_that_died_whole(
    application: Application, receiver: Receiver
) -> None:
    application.start("worker", WORKER)
    application.start("beat", BEAT)
    finished(receiver, 1)
    for name in ("beat", "worker"):
        os.kill(application.running[name].pid, signal.SIGKILL)
    for name in ("beat", "worker"):
        application.running.pop(name).wait(10)
    assert len(application.spools()) >= 1
    application.start("beat", BEAT)
    receiver.wait_for("process", state="lost", count=4)
    application.end("beat")
    assert_nothing_lost(receiver)


def test_a_killed_pool_child_ends_its_run_as_lost_and_its_own_spool(
    application: Application, receiver: Receiver
) -> None:
    application.start("worker", WORKER)
    application.start("beat", BEAT, env={"DEMO_TASKS": "slow"})
    start = receiver.wait_for("handoff", handoff="start")[0]
    application.end("beat")
    os.kill(start["owner"]["pid"], signal.SIGKILL)
    end = receiver.wait_for("handoff", handoff="terminal", job_ref=start["job_ref"])[0]
    assert (end["outcome"], end["detail"]["error"]) == ("lost", "WorkerLostError")
    receiver.wait_for("process", state="lost", pid=start["owner"]["pid"])
    application.end("worker", signal.SIGKILL)


def test_a_message_that_expired_in_the_queue_is_recorded_when_a_worker_fetches_it(
    application: Application, receiver: Receiver
) -> None:
    application.start("beat", BEAT, env={"DEMO_EXPIRES": "0.5"})
    first = receiver.wait_for("handoff", handoff="enqueue")[0]
    application.end("beat")
    assert first["expires_at"]
    time.sleep(0.6)
    application.start("worker", WORKER)
    receiver.wait_for("handoff", handoff="expiration", job_ref=first["job_ref"])
    application.end("worker")
    assert path_of(receiver, first["job_ref"]) == ["enqueue", "expiration"]


ENDS = {
    "broken": ["failed"],
    "unlucky": ["retrying", "failed"],
    "endless": ["failed"],
    "suicidal": ["succeeded"],
    "nowhere": ["failed"],
}


def test_every_way_to_end_is_told_once_for_each_delivery(application: Application, receiver: Receiver) -> None:
    application.start("worker", WORKER)
    receiver.wait_for("process", role="workers")
    application.start("beat", BEAT, env={"DEMO_TASKS": ",".join(ENDS), "DEMO_PERIOD": "2"})
    runs = {task: receiver.wait_for("handoff", handoff="enqueue", schedule_key=task)[0] for task in ENDS}
    application.end("beat")
    for task, ends in ENDS.items():
        run = runs[task]["job_ref"]
        receiver.wait_for("handoff", handoff="terminal", job_ref=run, count=len(ends))
    application.end("worker")
    for task, ends in ENDS.items():
        found = receiver.of("handoff", handoff="terminal", job_ref=runs[task]["job_ref"])
        assert [r["outcome"] for r in sorted(found, key=lambda r: r["delivery"])] == ends, task
    starts = receiver.of("handoff", handoff="start", job_ref=runs["suicidal"]["job_ref"])
    assert sorted(record["delivery"] for record in starts) == [1, 2]
    assert_nothing_lost_or_doubled(receiver)


def test_tasks_that_are_not_ours_are_not_recorded(application: Application, receiver: Receiver) -> None:
    application.start("worker", WORKER)
    receiver.wait_for("process", role="workers")
    application.start("other", [*BEAT], env={"AGLET_TAP_SOURCE": "celery:somebody-else"})
    application.wait_for_text("worker", "succeeded")
    application.end("other")
    application.end("worker")
    assert receiver.of("handoff", source="celery:demo") == []
