"""What is said of the occurrences of a window: variants of the kinds of fault that the kept windows show."""

import pytest

from occurrences.contract import window_judging
from tests.contract.window_documents import answers, document, event, moment, name, path, said, worker

NEEDS = "needs-evidence"
TAP = {"ready": "merged_with:enqueue"}
POLICY = document()["policy"]


def decision(hour: float, seconds: float, choice: str = "replay", recovery: str | None = "rec") -> dict:
    own = recovery if choice == "replay" else None
    return {"decision": choice, "occurrence": name(hour), "at": moment(hour, seconds), "recovery_id": own}


def replayed(kind: str, seconds: float, **fields) -> dict:
    return event(kind, 1, seconds, run="rec") | {"occurrence": name(1)} | fields


def schedule(**fields) -> dict:
    return document()["schedule"] | fields


# --- expiry ------------------------------------------------------------------------------------------


def test_an_expiry_is_judged_by_the_clock_until_it_is_recorded():
    expiring = {"policy": POLICY | {"expires_s": 600}, "workers": [worker(), worker(worker="w2")]}
    waiting = [*path(0), *path(1, "ready")]
    assert said(*waiting, **expiring, observed=1 + 602 / 3600) == ("missing-claim", "claim", NEEDS)
    assert said(*waiting, **expiring) == ("expired-unclaimed", "claim", NEEDS)
    assert said(*waiting, event("expiration", 1, 1500, run="run-1"), **expiring) == ("expired-unclaimed", "claim", True)
    claimed = [*path(0), *path(1, "claim"), event("expiration", 1, 700, run="run-1")]
    assert said(*claimed, **expiring) == ("expired-unclaimed", "start", True)


def test_a_recorded_expiry_needs_no_coverage_and_outlives_its_worker():
    claimed = [*path(0), *path(1, "claim"), event("terminal", 1, 700, run="run-1", outcome="expired")]
    assert said(*claimed, coverage=[])[0] == "expired-unclaimed"
    gone = [worker(up_to=2), worker(worker="w2")]
    assert said(*claimed, workers=gone) == ("expired-unclaimed", "start", True)
    killed = [worker(up_to=1.1), worker(worker="w2")]
    assert said(*claimed, workers=killed)[0] == "lost-after-claim"


def test_expiry_counts_from_what_stands_for_the_enqueue():
    expiring = POLICY | {"expires_s": 600}
    ticks = [*path(0), event("tick", 1, 1)]
    merged = {"enqueue": "merged_with:tick", "ready": "merged_with:enqueue"}
    assert said(*ticks, policy=expiring, capabilities=merged) == ("expired-unclaimed", "claim", NEEDS)
    silent = {"enqueue": "none"}
    ready = [*path(0), event("tick", 1, 1), event("ready", 1, 3, run="r", occurrence=name(1))]
    assert said(*ready, policy=expiring, capabilities=silent)[0] == "expired-unclaimed"
    assert said(*ticks, policy=expiring, capabilities=silent)[0] == "missing-ready"


def test_a_run_that_starts_after_its_expiry_says_so_and_a_recovered_one_outranks_it():
    expiring = POLICY | {"expires_s": 600}
    assert said(*path(1, claim=700, start=701, terminal=720), policy=expiring) == (
        "ran-after-expiry", "expiration", False,
    )  # fmt: skip
    thrown = [*path(1, claim=700, start=701, terminal=720), event("expiration", 1, 650, run="run-1")]
    assert said(*thrown, policy=expiring) == ("ran-after-expiry", None, False)
    retried = [*path(1, "start", run="r"), event("terminal", 1, 30, run="r", outcome="failed")]
    retried += [event("claim", 1, 900, run="r"), event("start", 1, 901, run="r"), event("terminal", 1, 902, run="r")]
    assert said(*retried, policy=expiring)[0] == "recovered"


# --- claims and workers --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("workers", "verdict"),
    [
        ([worker()], "missing-claim"),
        ([worker(up_from=1 + 3 / 3600)], "missing-claim"),
        ([worker(up_from=1 + 4 / 3600)], "delayed-claim"),
        ([worker(up_to=1 + 124 / 3600)], "missing-claim"),
        ([worker(up_to=1 + 123 / 3600)], "delayed-claim"),
        ([worker(up_to=1 + 60 / 3600), worker(up_from=1 + 60 / 3600)], "delayed-claim"),
        ([worker(capacity=0)], "delayed-claim"),
        ([], "delayed-claim"),
    ],
)
def test_a_claim_is_missing_only_beside_a_slot_that_was_free_all_the_way(workers, verdict):
    found = said(*path(0), *path(1, "ready"), workers=workers)
    assert found == (verdict, "claim", NEEDS if verdict == "missing-claim" else False)


def test_slots_are_taken_by_every_run_of_the_schedule_and_free_when_it_ended():
    one = [worker(capacity=1)]
    waiting = path(1, "ready")
    long = path(0, "start")
    assert said(*long, *waiting, workers=one, observed=1.1)[0] == "delayed-claim"
    assert said(*long, *waiting, observed=1.1)[0] == "missing-claim"
    assert said(*path(0, terminal=3603), *waiting, workers=one, observed=1.1)[0] == "missing-claim"
    assert said(*path(0, terminal=3604), *waiting, workers=one, observed=1.1)[0] == "delayed-claim"
    stray = event("claim", 1, 123, run="stray", occurrence=name(0.5))
    assert said(*waiting, stray, workers=one, observed=1.1)[0] == "delayed-claim"


def test_a_claim_that_came_late_is_delayed_whatever_the_workers_did():
    assert said(*path(1, claim=124, start=125, terminal=150)) == ("delayed-claim", None, False)
    assert said(*path(1, claim=123, start=125, terminal=150)) == ("on-time", None, False)


@pytest.mark.parametrize(("last", "absent"), [("claim", "start"), ("start", "terminal")])
def test_a_claimant_that_went_down_is_lost_at_once_even_when_its_name_came_back(last, absent):
    workers = [worker(up_to=1.01), worker(up_from=1.02)]
    lost = [*path(0), *path(1, last)]
    assert said(*lost, workers=workers, observed=1.011) == ("lost-after-claim", absent, NEEDS)
    assert said(*lost, workers=workers, observed=1.0095)[0] == "pending"
    behind = [*path(0), *path(1, last, claim=-9000, start=-8999)]
    assert said(*behind, workers=[worker(up_from=0.9, up_to=1.01)], observed=1.011)[0] == "lost-after-claim"


# --- deliveries and runs -------------------------------------------------------------------------------


def test_a_failed_delivery_stays_failed_until_the_next_claim():
    failed = [*path(1, "start", run="r"), event("terminal", 1, 30, run="r", outcome="failed")]
    assert said(*path(0), *failed) == ("failed", None, NEEDS)
    again = [*failed, event("claim", 1, 1000, run="r")]
    assert said(*again, observed=1 + 1060 / 3600) == ("pending", None, False)
    assert said(*again, observed=1 + 1061 / 3600) == ("delayed-start", "start", False)
    started = [*again, event("start", 1, 1010, run="r")]
    assert said(*started, observed=1 + 1910 / 3600) == ("pending", None, False)
    assert said(*started, observed=1 + 1911 / 3600) == ("overran", "terminal", False)
    assert said(*started, event("terminal", 1, 1500, run="r")) == ("recovered", None, False)


def test_where_starts_stand_for_claims_the_claim_is_judged_on_the_first_delivery():
    shown = {"claim": "merged_with:start"}
    first = [event(kind, 1, seconds, run="r") for kind, seconds in (("tick", 1), ("enqueue", 2), ("ready", 3))]
    failed = [*first, event("start", 1, 5, run="r"), event("terminal", 1, 30, run="r", outcome="failed")]
    again = event("start", 1, 1000, run="r")
    assert said(*failed, again, capabilities=shown, observed=1 + 1100 / 3600) == ("pending", None, False)
    assert said(*failed, again, event("terminal", 1, 1100, run="r"), capabilities=shown)[0] == "recovered"
    assert said(*first, capabilities=shown, observed=1 + 184 / 3600)[:2] == ("missing-claim", "claim")
    assert said(*first, capabilities=shown, observed=1 + 183 / 3600)[:2] == ("pending", None)


def test_two_runs_are_a_duplicate_once_both_became_ready_by_whatever_shows_it():
    second = [event("enqueue", 1, 2, run="b")]
    assert said(*path(1), *second)[0] == "on-time"
    assert said(*path(1), *second, capabilities=TAP)[0] == "duplicate"
    assert said(*path(1), *second, event("start", 1, 9, run="b"))[0] == "duplicate"


def test_two_live_owners_are_a_duplicate_and_a_redelivery_after_a_loss_is_none():
    two = {"owner": "w2"}
    copy = [event("claim", 1, 600, run="run-1", **two), event("start", 1, 601, run="run-1", **two)]
    both = [worker(), worker(worker="w2")]
    assert said(*path(1, "start"), *copy, workers=both)[0] == "duplicate"
    gone = [worker(up_to=1.1), worker(worker="w2")]
    assert said(*path(1, "start"), *copy, workers=gone, observed=1.2)[0] == "pending"
    assert said(*path(1, "start"), *copy, event("terminal", 1, 700, run="run-1", **two), workers=gone)[0] == "recovered"


# --- capabilities --------------------------------------------------------------------------------------


def test_a_handoff_without_capability_is_never_absent_and_gives_its_time_to_the_next():
    made = path(1, "enqueue")
    none = {"ready": "none", "claim": "none"}
    assert said(*made, capabilities=none, observed=1 + 212 / 3600) == ("pending", None, False)
    assert said(*made, capabilities=none, observed=1 + 213 / 3600) == ("delayed-start", "start", False)
    assert said(*path(0), capabilities={"tick": "none"}, observed=1 + 91 / 3600)[:2] == ("missing-enqueue", "enqueue")
    assert said(*path(1, "start"), capabilities={"terminal": "none"})[0] == "pending"


def test_a_handoff_merged_with_a_later_one_is_the_absent_one_and_has_the_sum_of_the_time():
    ticked = [event("tick", 1, 1)]
    merged = {"enqueue": "merged_with:claim", "ready": "merged_with:claim"}
    assert said(*ticked, capabilities=merged, observed=1 + 181 / 3600) == ("pending", None, False)
    assert said(*ticked, capabilities=merged, observed=1 + 182 / 3600)[:2] == ("missing-enqueue", "enqueue")
    claimed = [*ticked, event("claim", 1, 181, run="r", occurrence=name(1))]
    assert said(*claimed, capabilities=merged, observed=1 + 200 / 3600) == ("pending", None, False)
    late = [*ticked, event("claim", 1, 182, run="r", occurrence=name(1))]
    assert said(*late, capabilities=merged, observed=1 + 200 / 3600) == ("late-enqueue", None, False)


def test_a_handoff_merged_with_an_earlier_one_stands_with_it_through_a_chain():
    chained = {"ready": "merged_with:enqueue", "enqueue": "merged_with:tick"}
    ticked = [*path(0), event("tick", 1, 1)]
    assert said(*ticked, capabilities=chained, observed=1 + 121 / 3600) == ("pending", None, False)
    assert said(*ticked, capabilities=chained, observed=1 + 122 / 3600) == ("missing-claim", "claim", NEEDS)
    assert said(*path(0), capabilities=chained)[:2] == ("missing-tick", "tick")


def test_a_lost_middle_record_is_the_first_absent_handoff_and_names_no_verdict():
    without = [each for each in path(1) if each["kind"] != "claim"]
    assert said(*without) == ("on-time", "claim", False)
    assert said(*without, capabilities={"claim": "none"}) == ("on-time", None, False)
    assert said(*without, coverage=[]) == ("on-time", None, False)


# --- coverage ------------------------------------------------------------------------------------------


def covered(*spans, **fields) -> dict:
    return {"coverage": [{"from": moment(*a), "to": moment(*b)} | fields for a, b in spans]}


def test_an_absence_is_judged_when_coverage_reaches_its_limit_and_unknown_after_the_give_up_time():
    short = covered(((0, 0), (1, 59)))
    assert said(**short, observed=1 + 1860 / 3600) == ("pending", None, False)
    assert said(**short, observed=1 + 1861 / 3600) == ("unknown", None, False)
    assert said(**covered(((0, 0), (1, 60))), observed=1.5)[:2] == ("missing-tick", "tick")
    assert said(**covered(((0, 0), (1, 30)), ((1, 30), (2, 0))), observed=1.5)[:2] == ("missing-tick", "tick")


def test_a_stretch_that_became_known_later_counts_from_then_on():
    coverage = [
        {"from": moment(0), "to": moment(1, 30)},
        {"from": moment(1, 30), "to": moment(2), "recorded_at": moment(2.5)},
    ]
    assert said(coverage=coverage, observed=2.49)[0] == "unknown"
    assert said(coverage=coverage, observed=2.5)[:2] == ("missing-tick", "tick")


def test_each_role_proves_its_own_handoffs():
    scheduler = covered(((0, 0), (3, 0)), role="scheduler")
    assert said(**scheduler) == ("missing-tick", "tick", NEEDS)
    assert said(*path(1, "ready"), **scheduler)[0] == "unknown"
    workers = covered(((0, 0), (3, 0)), role="workers")
    assert said(**workers)[0] == "unknown"
    assert said(*path(1, "ready"), **workers)[0] == "missing-claim"
    assert said(*path(1, "enqueue"), **workers, capabilities={"ready": "merged_with:claim"})[0] == "missing-ready"


def test_a_lost_claimant_is_proven_by_coverage_up_to_its_end_and_a_late_record_resolves_the_unknown():
    gone = {"workers": [worker(up_to=1.1)]}
    assert said(*path(1, "start"), **gone, **covered(((0, 0), (1.1, 0))), observed=1.11)[0] == "lost-after-claim"
    blind = covered(((0, 0), (1.1, -1)))
    assert said(*path(1, "start"), **gone, **blind, observed=1.11)[0] == "pending"
    assert said(*path(1, "start"), **gone, **blind)[0] == "unknown"
    assert said(*path(1), **gone, **blind)[0] == "on-time"


# --- decisions -----------------------------------------------------------------------------------------


def test_a_skip_holds_until_the_original_starts():
    skip = {"decisions": [decision(1, 300, "skip")]}
    assert said(*path(1, "ready"), **skip) == ("skipped", "claim", False)
    assert said(*path(1, claim=299, start=300, terminal=400), **skip)[0] == "ran-after-skip"
    assert said(*path(1, start=299, claim=298, terminal=400), **skip)[0] == "delayed-claim"
    assert said(**skip, observed=1 + 299 / 3600)[0] == "missing-tick"
    assert said(*path(1, "enqueue", tick=200, enqueue=201), **skip) == ("skipped", "ready", False)


def test_the_latest_decision_counts():
    both = [decision(1, 300), decision(1, 400, "skip")]
    assert said(decisions=both)[0] == "skipped"
    assert said(decisions=both, observed=1.1) == ("pending", "tick", False)


def test_a_replay_is_pending_until_it_is_read_back_or_its_time_is_over():
    replay = {"decisions": [decision(1, 900)]}
    assert said(*path(0), **replay, observed=1.5) == ("pending", "tick", False)
    assert said(*path(0), **replay, observed=1 + 1801 / 3600) == ("recovery-unverified", "tick", NEEDS)
    sent = replayed("enqueue", 901)
    assert said(sent, **replay, observed=1 + 1801 / 3600)[0] == "recovery-unverified"
    other = [replayed("start", 905, occurrence=name(2)), replayed("terminal", 910, occurrence=None)]
    assert said(*path(0), *other, **replay, observed=1.3) == ("recovery-unverified", "tick", NEEDS)


def test_a_replay_that_is_read_back_is_judged_like_a_run():
    replay = {"decisions": [decision(1, 900)]}
    claimed = replayed("claim", 905)
    assert said(claimed, **replay, observed=1 + 965 / 3600) == ("pending", "tick", False)
    assert said(claimed, **replay, observed=1 + 966 / 3600) == ("delayed-start", "tick", False)
    started = [claimed, replayed("start", 910, occurrence=None)]
    assert said(*started, **replay, observed=1 + 1810 / 3600) == ("pending", "tick", False)
    assert said(*started, **replay, observed=1 + 1811 / 3600) == ("overran", "tick", False)
    assert said(*started, replayed("terminal", 950), **replay) == ("recovered", "tick", False)
    assert said(*started, replayed("terminal", 950, outcome="failed"), **replay) == ("failed", "tick", NEEDS)
    gone = {"workers": [worker(up_to=1.3)]}
    assert said(*started, **replay, **gone, observed=1.31) == ("lost-after-claim", "tick", NEEDS)


def test_an_original_that_came_after_all_beside_a_replay_ran_twice():
    replay = {"decisions": [decision(1, 900)]}
    late = path(1, tick=1000, enqueue=1001, ready=1002, claim=1003, start=1004, terminal=1100)
    assert said(*late, **replay) == ("late-enqueue", None, False)
    assert said(*late, replayed("start", 1200), **replay) == ("duplicate", None, False)
    assert said(*late, replayed("claim", 1200), **replay) == ("late-enqueue", None, False)
    before = path(1, "start")
    assert said(*before, replayed("start", 1200), **replay, observed=1.4)[0] == "pending"


# --- clocks --------------------------------------------------------------------------------------------


def test_a_clock_that_runs_ahead_or_behind_changes_no_order():
    ahead = path(1)
    for each in ahead:
        if each["owner"] == "w1":
            each["at"] = moment(1, 900)
    assert said(*ahead) == ("on-time", None, False)
    assert said(*path(1, claim=-900, start=-899, terminal=-600)) == ("on-time", None, False)
    assert said(*path(1, tick=-5, enqueue=-4)) == ("on-time", None, False)


def test_late_evidence_is_judged_by_when_it_happened():
    held_back = [each | {"recorded_at": moment(2)} for each in path(1)]
    assert said(*path(0), *held_back, observed=1.9) == ("missing-tick", "tick", True)
    assert said(*path(0), *held_back, observed=2) == ("on-time", None, False)


# --- named times, pauses, revisions, zones -------------------------------------------------------------


def test_a_time_outside_the_rule_is_not_due_by_name_alone():
    assert said(*path(0.5), of=0.5) == ("not-due", "due", False)
    assert said(event("tick", 0.5, 1), of=0.5) == ("not-due", "due", False)
    assert said(event("start", 1, 5, run="a", occurrence=name(7.5)), of=7.5) == ("not-due", None, False)
    stray = {"decisions": [decision(0.5, 100, "skip")]}
    assert said(*path(0.5, "ready"), of=0.5, **stray)[:2] == ("not-due", "due")


def test_a_pause_suppresses_unless_a_run_of_it_exists():
    paused = schedule(pauses=[{"from": moment(1), "to": moment(2), "reason": "x"}])
    assert said(schedule=paused) == ("paused", None, False)
    assert said(event("tick", 1, 1), schedule=paused) == ("paused", None, False)
    assert said(*path(1), schedule=paused) == ("not-due", "due", False)
    assert said(schedule=paused, of=2)[0] == "missing-tick"
    assert said(schedule=paused, observed=0.5) == ("not-due", None, False)
    assert said(event("tick", 1.5, 1), schedule=paused, of=1.5) == ("not-due", "due", False)


def test_local_due_is_written_in_the_zone_of_the_rule_in_force():
    moved = schedule(
        timezone="Australia/Lord_Howe",
        revisions=[{"from": moment(1.5), "cron": "0 * * * *", "timezone": "Asia/Kathmandu"}],
    )
    found = answers(event("tick", 1.75, 1, occurrence=name(1.75)), schedule=moved, until=4)
    assert {key: answer.local_due for key, answer in found.items()} == {
        name(0): "2025-03-03T11:00:00+11:00",
        name(1): "2025-03-03T12:00:00+11:00",
        name(1.75): "2025-03-03T07:30:00+05:45",
        name(2.25): "2025-03-03T08:00:00+05:45",
        name(3.25): "2025-03-03T09:00:00+05:45",
    }
    assert [answer.judgement.verdict.value for answer in found.values()] == [
        "missing-tick", "missing-tick", "not-due", "missing-tick", "not-due",
    ]  # fmt: skip


def test_both_passes_of_a_half_hour_fold_are_occurrences_of_a_job_with_a_star():
    fold = schedule(timezone="Australia/Lord_Howe", cron="*/30 1 * * *")
    span = {"from": "2025-04-05T14:00:00Z", "to": "2025-04-05T16:00:00Z"}
    found = answers(schedule=fold, window=span, observe_at="2025-04-05T16:00:00Z")
    assert [answer.local_due[11:] for answer in found.values()] == [
        "01:00:00+11:00", "01:30:00+11:00", "01:30:00+10:30",
    ]  # fmt: skip


def test_what_lies_around_is_gathered_once_whatever_the_number_of_occurrences(monkeypatch):
    asked = []
    monkeypatch.setattr(window_judging, "runs_of", lambda records: asked.append(1) or ())
    strays = [event("start", hour, 1800, run=f"stray-{hour}", occurrence=name(hour + 0.5)) for hour in range(3)]
    answers(*strays, *path(0), until=20, observed=20)
    assert len(asked) == len(strays)
