"""Due to terminal, and due to flagged, with real beat, worker, broker and database.

Each window is produced for real in the lab and read back from the console. Waits are on what the console
says, with the contract's deadline plus two sweeps as the limit.
"""

import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest

from occurrences.lab import scenarios
from occurrences.lab.plan import BACKUP, REINDEX, ROLLUP, STATUS
from tests.console import SWEEP, Browser, Console, hidden, page_of, wait_until

TICK, CLAIM = timedelta(seconds=3), timedelta(seconds=4)  # the lab's own allowances
TWO_SWEEPS = timedelta(seconds=2 * SWEEP)
SLACK = timedelta(seconds=2)  # shipping once a second, half a second of margin, and this machine
LATE = "The detector last ran"
ABSENT = {"tick": 1, "enqueue": 2, "claim": 4, "terminal": 7}


@pytest.fixture(scope="module")
def console(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Console]:
    started = Console(tmp_path_factory.mktemp("lifecycle"))
    yield started
    started.stop()


def now() -> datetime:
    return datetime.now(UTC)


@pytest.fixture(autouse=True)
def everybody_works(console: Console) -> None:
    """Each window starts from a lab that runs: the newest occurrence ended on time."""
    known = "SELECT 1 FROM occurrences_schedule WHERE key = %s AND planned_to IS NOT NULL"
    wait_until(lambda: console.all(known, ROLLUP.key) != [], "beat has told its schedules")
    # beat and worker may still be starting after the window before: that costs the due times until they are there
    began = now()
    on_time = "SELECT 1 FROM occurrences_occurrence o JOIN occurrences_schedule c ON c.id = o.schedule_id "
    on_time += "WHERE c.key = %s AND o.due_at > %s AND o.verdict = 'on-time'"
    wait_until(lambda: console.all(on_time, ROLLUP.key, began) != [], "the lab works again")


def test_an_available_worker_is_on_time_at_all_stations(console):
    due = ROLLUP.next_due(now())
    console.wait_for_verdict(ROLLUP, due, "on-time")
    code, path = console.show_path(ROLLUP.identity(due))
    assert (code, path["verdict"], path["first_absent"]) == (0, "on-time", None)
    states = {h["handoff"]: h["state"] for h in path["handoffs"]}
    assert states.pop("expiration") == "not-expected"
    assert set(states.values()) == {"on-time"}
    assert console.show_path("celery:lab/nothing@2026-01-01T00:00:00Z")[0] == 1


def test_the_consoles_own_tasks_are_watched_the_same_way(console):
    wait_until(lambda: console.show_path("--latest", "celery:aglet")[0] == 0, "an own occurrence ended")
    _, path = console.show_path("--latest", "celery:aglet")
    assert path["verdict"] == "on-time"
    recorded = {h["handoff"] for h in path["handoffs"] if h["record"]}
    assert {"tick", "enqueue", "claim", "start", "terminal"} <= recorded


@pytest.mark.parametrize("signal", ["TERM", "KILL"])
def test_without_beat_the_tick_is_missing(console, signal):
    with console.control.away(scenarios.BEAT, signal):
        due = ROLLUP.next_due(now())
        limit = due + TICK + TWO_SWEEPS + SLACK
        console.wait_for_verdict(ROLLUP, due, "missing-tick", by=limit, never={"unknown"})
        assert console.state(ROLLUP, due) == ("missing-tick", ABSENT["tick"])


@pytest.mark.parametrize("signal", ["TERM", "KILL"])
def test_without_workers_the_claim_is_delayed_and_no_enqueue_is_missing(console, signal):
    with console.control.away(scenarios.WORKER, signal):
        due = ROLLUP.next_due(now())
        limit = due + CLAIM + TWO_SWEEPS + SLACK
        console.wait_for_verdict(ROLLUP, due, "delayed-claim", by=limit, never={"unknown", "missing-enqueue"})
        assert console.state(ROLLUP, due) == ("delayed-claim", ABSENT["claim"])
    # claimed at last: late, but nothing is absent any more, and the work item closes by itself
    wait_until(lambda: console.state(ROLLUP, due) == ("delayed-claim", None), "the late claim is recorded")
    key = console.all("SELECT key FROM occurrences_occurrence WHERE due_at = %s AND verdict = 'delayed-claim'", due)[0]
    sql = "SELECT closed_as FROM occurrences_absence WHERE occurrence_id = %s"
    wait_until(lambda: console.all(sql, *key) == [("arrived",)], "the absence ended as arrived")


def test_a_refused_enqueue_is_missing_although_the_scheduler_ticked(console):
    with console.control.refusing_to_enqueue():
        due = ROLLUP.next_due(now())
        console.wait_for_verdict(ROLLUP, due, "missing-enqueue", never={"unknown", "delayed-claim", "missing-tick"})
    assert console.state(ROLLUP, due) == ("missing-enqueue", ABSENT["enqueue"])


def test_a_message_whose_time_ran_out_expired_before_its_claim(console):
    with console.control.away(scenarios.WORKER):
        due = REINDEX.next_due(now())
        console.wait_for_verdict(REINDEX, due, "expired-unclaimed", never={"unknown", "missing-enqueue"})
        assert console.state(REINDEX, due) == ("expired-unclaimed", ABSENT["claim"])


def test_a_worker_killed_in_the_middle_of_a_run_loses_it(console):
    due = BACKUP.next_due(now())
    console.wait_for_verdict(BACKUP, due, "pending")
    time.sleep(max((due + timedelta(seconds=BACKUP.takes / 2) - now()).total_seconds(), 0))
    with console.control.away(scenarios.WORKER, "KILL"):
        console.wait_for_verdict(BACKUP, due, "lost-after-claim", never={"unknown"})
        assert console.state(BACKUP, due) == ("lost-after-claim", ABSENT["terminal"])


def test_an_application_cut_off_from_the_console_is_never_called_missing(console):
    console.set("UPDATE occurrences_source SET give_up_seconds = 2 WHERE name = 'celery:lab'")
    missing = (
        "SELECT c.key, o.due_at, a.verdict FROM occurrences_absence a "
        "JOIN occurrences_occurrence o ON o.key = a.occurrence_id "
        "JOIN occurrences_schedule c ON c.id = o.schedule_id JOIN occurrences_source s ON s.id = a.source_id "
        "WHERE s.name = 'celery:lab' AND o.due_at > %s"
    )
    began = now()
    console.control.end("web")
    try:
        due = STATUS.next_due(now() + timedelta(seconds=1))
        console.wait_for_verdict(STATUS, due, "unknown", never={"missing-tick", "missing-enqueue", "delayed-claim"})
    finally:
        console.control.start("web")
    wait_until(lambda: console.state(STATUS, due) == ("on-time", None), "the true verdict came back")
    sql = "SELECT count(*) FROM occurrences_absence WHERE verdict = 'unknown' AND closed_at IS NULL"
    wait_until(lambda: console.all(sql) == [(0,)], "the gap is closed")
    assert console.all(missing, began) == []
    console.set("UPDATE occurrences_source SET give_up_seconds = 1800 WHERE name = 'celery:lab'")


@pytest.fixture(scope="module")
def owner(console: Console) -> Browser:
    return console.browser("The lab's owner")


REPLAYS = (
    "SELECT r.recovery_id, r.closed_as FROM occurrences_replay r "
    "JOIN occurrences_occurrence o ON o.key = r.occurrence_id "
    "JOIN occurrences_schedule c ON c.id = o.schedule_id WHERE c.key = %s AND o.due_at = %s"
)
STARTS = "SELECT count(*) FROM occurrences_handoffrecord WHERE recovery_id = %s AND handoff = 5"


def test_a_missed_run_is_replayed_under_its_own_identity_and_verified(console, owner):
    with console.control.refusing_to_enqueue():
        due = ROLLUP.next_due(now())
        console.wait_for_verdict(ROLLUP, due, "missing-enqueue")
    address = page_of(ROLLUP, due)
    form = hidden(owner.get(address)) | {"choice": "replay", "reason": "the broker refused it"}
    assert owner.send(f"{address}decisions/", form)[0] == 200  # the page again, after the redirection
    wait_until(lambda: [r[1] for r in console.all(REPLAYS, ROLLUP.key, due)] == ["verified"], "the replay is verified")
    wait_until(lambda: console.state(ROLLUP, due) == ("recovered", ABSENT["enqueue"]), "the occurrence is recovered")
    assert owner.send(f"{address}decisions/", form)[0] == 200  # the same form again: the first answer
    time.sleep(2 * SWEEP)
    replays = console.all(REPLAYS, ROLLUP.key, due)
    assert len(replays) == 1
    assert console.all(STARTS, replays[0][0]) == [(1,)]
    assert console.state(ROLLUP, due) == ("recovered", ABSENT["enqueue"])


def test_a_missed_run_is_skipped_and_nothing_is_sent(console, owner):
    with console.control.refusing_to_enqueue():
        due = ROLLUP.next_due(now())
        console.wait_for_verdict(ROLLUP, due, "missing-enqueue")
    address = page_of(ROLLUP, due)
    form = hidden(owner.get(address)) | {"choice": "skip", "reason": "the next run covers it"}
    assert owner.send(f"{address}decisions/", form)[0] == 200
    console.wait_for_verdict(ROLLUP, due, "skipped")
    assert console.all(REPLAYS, ROLLUP.key, due) == []


def test_evidence_that_comes_while_the_form_is_open_refuses_the_decision(console, owner):
    with console.control.away(scenarios.WORKER):
        due = ROLLUP.next_due(now())
        console.wait_for_verdict(ROLLUP, due, "delayed-claim")
        address = page_of(ROLLUP, due)
        form = hidden(owner.get(address)) | {"choice": "replay", "reason": "no worker took it"}
    wait_until(lambda: console.state(ROLLUP, due) == ("delayed-claim", None), "it ran after all")
    status, page = owner.send(f"{address}decisions/", form)
    assert status == 409
    assert "no worker took it" in page  # every word is kept
    assert console.all(REPLAYS, ROLLUP.key, due) == []


def test_a_dead_beat_of_the_console_shows_a_banner_and_leaves_one_work_item(console):
    page = console.browser().get
    assert LATE not in page("/inbox/")
    short = ", ".join(f"{n}" for n in (3, 2, 2, 5, 5, 30, 900, 900))
    console.set(
        "INSERT INTO occurrences_claimagepolicy (scope, target, version, tick, enqueue, ready, claim, start, run, "
        f"readback, fold, effective_from, author, reason, created_at) VALUES ('source', 'celery:aglet', 1, {short}, "
        "'2000-01-01Z', 'test', 'short', now())"
    )
    console.control.end("beat", "KILL")
    killed = now()
    took = wait_until(lambda: LATE in page("/inbox/"), "the banner", seconds=10)
    assert took <= 2 * SWEEP + 1
    assert console.ready()["ready"] is True
    time.sleep(12)
    console.control.start("beat")
    back = now()
    sql = (
        "SELECT o.verdict FROM occurrences_occurrence o JOIN occurrences_source s ON s.id = o.source_id "
        "JOIN occurrences_schedule c ON c.id = o.schedule_id "
        "WHERE s.name = 'celery:aglet' AND c.key = 'plan' AND o.due_at > %s AND o.due_at < %s"
    )
    wait_until(lambda: {v for (v,) in console.all(sql, killed, back)} == {"missing-tick"}, "the gap is missing-tick")
    items = "SELECT DISTINCT a.work_item_id FROM occurrences_absence a JOIN occurrences_source s ON s.id = a.source_id "
    items += "WHERE s.name = 'celery:aglet' AND a.verdict = 'missing-tick' AND a.raised_at > %s"
    assert len(console.all(items, killed)) == 1
    for due in STATUS.dues(killed, back):
        assert console.state(STATUS, due) is not None, "an occurrence of the gap does not exist"


def test_an_orderly_stop_leaves_the_inbox_as_it_was(console):
    sql = "SELECT id, closed_at FROM occurrences_workitem WHERE closed_at IS NULL ORDER BY id"
    before = console.all(sql)
    stopped = now()
    data_dir, port = console.up.data_dir, console.up.port
    console.stop()
    time.sleep(5)
    again = Console(data_dir, port=port)
    console.up, console.db, console.control = again.up, again.db, again.control
    due = ROLLUP.next_due(now() + timedelta(seconds=2))
    console.wait_for_verdict(ROLLUP, due, "on-time")
    time.sleep(TICK.total_seconds() + 2 * SWEEP)
    assert console.all(sql) == before
    raised = (
        "SELECT o.key, a.verdict FROM occurrences_absence a JOIN occurrences_occurrence o ON o.key = a.occurrence_id "
    )
    raised += "WHERE o.due_at > %s"
    assert console.all(raised, stopped - timedelta(seconds=1)) == []
