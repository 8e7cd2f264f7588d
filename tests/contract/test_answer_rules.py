"""What a decision makes of an occurrence, one line for each way it can go."""

from dataclasses import replace
from datetime import timedelta

import pytest

from occurrences.contract.decisions import REDELIVERY
from occurrences.contract.handoffs import Capabilities, Handoff, Role
from occurrences.contract.occurrences import Identity
from tests.contract.evidence import (
    ALLOWANCES,
    IDENTITY,
    NEVER,
    ask,
    at,
    covered,
    path,
    record,
    replay,
    replayed,
    skip,
    up_to,
    worker,
)

T, E, R, C, S, X, Z = (h for h in Handoff if h is not Handoff.DUE)
OTHER = Identity(source="celery:billing", schedule_key="nightly", due_at=at(86_400))
WAITING = up_to(R)
REPLAYED, SKIPPED = (replay(200),), (skip(200),)
CLAIMED = (replayed(E, 201), replayed(C, 210))
STARTED = (*CLAIMED, replayed(S, 211))
DONE = (*STARTED, replayed(Z, 240))
UNNAMED = tuple(replace(r, named=None) for r in DONE)
ELSEWHERE = tuple(replace(r, named=OTHER) for r in DONE)
LATE = tuple(replace(r, observed_at=at(2000), received_at=at(2000)) for r in CLAIMED)
AFTER = up_to(S, claim=205, start=206)
ENDED_BADLY = (*STARTED, replayed(Z, 240, outcome="failed"))
GONE = {"workers": (worker(up_to=220),)}
EXPIRES = {"allowances": replace(ALLOWANCES, expires=timedelta(seconds=20))}


def said(records=(), *, decisions, as_of, **fields):
    judgement = ask(records, as_of=as_of, decisions=decisions, **fields)
    return judgement.verdict.value, judgement.first_absent.word if judgement.first_absent is not None else None


SKIPS = [
    ("skipped, no start", WAITING, 300, "skipped", "claim"),
    ("skipped before the limit", up_to(T), 300, "skipped", "enqueue"),
    ("claimed after the skip", up_to(C, claim=250), 260, "skipped", None),
    ("started after the skip", up_to(S, claim=250, start=260), 270, "ran-after-skip", None),
    ("started at the skip", up_to(S, claim=190, start=200), 210, "ran-after-skip", None),
    ("only its end is recorded", path(T, E, R, Z, terminal=250), 260, "ran-after-skip", "claim"),
    ("taken back after the skip", (*WAITING, record(Z, 250, outcome="cancelled")), 260, "skipped", "claim"),
    ("started before the skip, running", up_to(S), 300, "pending", None),
    ("started before the skip, ended", up_to(Z, terminal=250), 300, "on-time", None),
    ("before the skip was made", WAITING, 199, "delayed-claim", "claim"),
]


@pytest.mark.parametrize(("records", "as_of", "verdict", "absent"), [c[1:] for c in SKIPS], ids=[c[0] for c in SKIPS])
def test_a_skip(records, as_of, verdict, absent):
    assert said(records, as_of=as_of, decisions=SKIPPED) == (verdict, absent)


REPLAYS = [
    ("decided", (), 300, {}, "pending", "tick"),
    ("only the sender names the original", (replayed(E, 201),), 300, {}, "pending", "tick"),
    ("exactly at the readback time", CLAIMED[:1], 1100, {}, "pending", "tick"),
    ("past the readback time", CLAIMED[:1], 1101, {}, "recovery-unverified", "tick"),
    ("ended without readback", UNNAMED, 300, {}, "recovery-unverified", "tick"),
    ("ended, naming another due time", ELSEWHERE, 300, {}, "recovery-unverified", "tick"),
    ("read back by its claim", CLAIMED, 220, {}, "pending", "tick"),
    ("read back late", LATE, 2010, {}, "pending", "tick"),
    ("read back by its end alone", (*UNNAMED[:3], DONE[3]), 300, {}, "recovered", "tick"),
    ("read back, not started in time", CLAIMED, 271, {}, "delayed-start", "tick"),
    ("read back, running", STARTED, 1000, {}, "pending", "tick"),
    ("read back, not ended in time", STARTED, 1112, {}, "overran", "tick"),
    ("read back, its worker gone", STARTED, 300, GONE, "lost-after-claim", "tick"),
    ("read back, then out of time", CLAIMED, 222, EXPIRES, "expired-unclaimed", "tick"),
    ("read back, then thrown away", (*CLAIMED, replayed(X, 215)), 220, {}, "expired-unclaimed", "tick"),
    ("succeeded", DONE, 300, {}, "recovered", "tick"),
    ("failed", ENDED_BADLY, 300, {}, "failed", "tick"),
    ("failed and taken again", (*ENDED_BADLY, replayed(C, 250, delivery=2)), 260, {}, "pending", "tick"),
    ("blind to its end", STARTED, 5000, {"coverage": covered((-90, 300))}, "unknown", "tick"),
    ("the original failed before", (*up_to(S), record(Z, 50, outcome="failed"), *DONE), 300, {}, "recovered", None),
    ("the original succeeded before", (*up_to(Z), *DONE), 300, {}, "duplicate", None),
    ("the original started since", (*AFTER, *STARTED), 300, {}, "duplicate", None),
    ("the original started, the replay only claimed", (*AFTER, *CLAIMED), 260, {}, "delayed-claim", None),
    ("the original succeeded, the replay only claimed", (*up_to(Z), *CLAIMED), 260, {}, "on-time", None),
]  # fmt: skip


@pytest.mark.parametrize(
    ("records", "as_of", "fields", "verdict", "absent"), [c[1:] for c in REPLAYS], ids=[c[0] for c in REPLAYS]
)
def test_a_replay(records, as_of, fields, verdict, absent):
    assert said(records, as_of=as_of, decisions=REPLAYED, **fields) == (verdict, absent)


def test_the_latest_decision_counts():
    assert said(DONE, as_of=400, decisions=(replay(200), skip(300)))[0] == "skipped"
    assert said(DONE, as_of=400, decisions=(skip(100), replay(200)))[0] == "recovered"
    twice = (*ENDED_BADLY, replayed(C, 310, 2), replayed(S, 311, 2), replayed(Z, 330, 2))
    assert said(twice, as_of=400, decisions=(replay(200), replay(300, 2)))[0] == "recovered"
    assert said(ENDED_BADLY, as_of=400, decisions=(replay(200), replay(300, 2)))[0] == "pending"


def test_a_recovery_id_alone_ties_its_records_to_the_decision():
    bare = tuple(replace(r, recovery=0, recovery_id=None, owner_role=None) for r in DONE)
    assert said(bare, as_of=300, decisions=REPLAYED) == ("recovered", "tick")
    sender = tuple(replace(r, owner_role="scheduler") for r in DONE)
    assert said(sender, as_of=300, decisions=REPLAYED) == ("recovery-unverified", "tick")


def test_a_rule_or_a_pause_goes_before_a_decision():
    assert said(as_of=300, decisions=SKIPPED, in_rule=False) == ("not-due", "due")
    assert said(as_of=300, decisions=SKIPPED, paused=True) == ("paused", None)


def test_a_skipped_gap_stays_skipped_when_the_scheduler_comes_back():
    gap = {"floating": True, "expected_gap": True}
    late = (record(T, 500),)
    assert said(late, as_of=600, decisions=(), **gap) == ("late-enqueue", None)
    assert said(late, as_of=600, decisions=SKIPPED, **gap) == ("skipped", None)


def test_a_replay_needs_no_tick_whatever_the_source_merges():
    merged = Capabilities.from_mapping({"enqueue": "merged_with:tick"})
    assert said(CLAIMED, as_of=220, decisions=REPLAYED, capabilities=merged)[0] == "pending"
    assert said(DONE, as_of=300, decisions=REPLAYED, capabilities=merged)[0] == "recovered"


def wakes(records=(), *, decisions, as_of, **fields):
    judgement = ask(records, as_of=as_of, decisions=decisions, **fields)
    if judgement.next_deadline is None:
        return None
    return (judgement.next_deadline - at(0)).total_seconds(), judgement.next_role


WATCH = REDELIVERY.total_seconds()


def test_a_skip_is_watched_until_the_expiry_and_a_redelivery_after_it():
    clock = Role.CLOCK
    assert wakes(as_of=300, decisions=SKIPPED) == (200 + 900 + WATCH, clock)
    assert wakes(WAITING, as_of=300, decisions=SKIPPED) == (200 + 900 + WATCH, clock)
    own = (*path(T, R), record(E, 2, expires_at=at(250)))
    assert wakes(own, as_of=300, decisions=SKIPPED) == (250 + WATCH, clock)
    assert wakes(as_of=300, decisions=SKIPPED, expires_after=timedelta(seconds=60)) == (260 + WATCH, clock)
    assert wakes(as_of=300, decisions=SKIPPED, **EXPIRES) == (220 + WATCH, clock)
    assert wakes(WAITING, as_of=300, decisions=SKIPPED, **EXPIRES) == (200 + WATCH, clock)
    assert wakes(as_of=1100 + WATCH, decisions=SKIPPED) == (1100 + WATCH, clock)
    assert wakes(as_of=1101 + WATCH, decisions=SKIPPED) is None
    assert wakes(up_to(Z, claim=250, start=260, terminal=270), as_of=300, decisions=SKIPPED) is None


def test_a_replay_is_waited_for_by_the_clock_and_then_by_its_own_limits():
    assert wakes(as_of=300, decisions=REPLAYED) == (1100, Role.CLOCK)
    assert wakes(as_of=1101, decisions=REPLAYED) is None
    assert wakes(CLAIMED, as_of=220, decisions=REPLAYED) == (270, Role.WORKERS)
    assert wakes(STARTED, as_of=220, decisions=REPLAYED) == (1111, Role.WORKERS)
    assert wakes(DONE, as_of=300, decisions=REPLAYED) is None
    assert wakes(UNNAMED, as_of=300, decisions=REPLAYED) is None


def test_the_path_of_the_original_is_still_waited_for():
    assert wakes(as_of=20, decisions=(skip(10),)) == (60, Role.CLOCK)
    assert wakes(as_of=100, decisions=(skip(10),), coverage=NEVER) == (100, Role.CLOCK)


def test_a_verdict_of_the_replay_speaks_of_its_own_stations():
    failed = (*up_to(S), record(Z, 50, outcome="failed"))
    judgement = ask((*failed, *CLAIMED), as_of=300, decisions=REPLAYED)
    assert (judgement.verdict.value, judgement.named, judgement.expected_by) == ("delayed-start", S, at(270))
    assert judgement.still_absent
    assert judgement.of_recovery == 1
    assert judgement.stations[S].at == at(5)
    assert ask(as_of=300, decisions=SKIPPED).of_recovery == 0


@pytest.mark.parametrize(
    ("records", "decisions", "as_of", "words"),
    [
        (WAITING, SKIPPED, 300, "Skipped by a decision of 02:33:20Z, and nothing has started. It is watched until"),
        (WAITING, SKIPPED, 9000, "The skip held."),
        (up_to(S, claim=250, start=260), SKIPPED, 300, "started at 02:34:20Z, although it was skipped at 02:33:20Z"),
        ((*up_to(Z), *DONE), REPLAYED, 300, "The original succeeded, and recovery 1 ran as well."),
        ((*up_to(S, claim=205, start=206), *DONE), REPLAYED, 300, "The original started after the decision, and"),
        (UNNAMED, REPLAYED, 300, "ended at 02:34:00Z, but no worker named the original"),
        ((), REPLAYED, 1101, "No worker named the original under recovery 1 by 02:48:20Z."),
        ((), REPLAYED, 300, "must be read back by 02:48:20Z. This is not a verified recovery yet."),
        (DONE, REPLAYED, 300, "its worker named the original. The original's scheduler tick stays absent."),
        (CLAIMED, REPLAYED, 300, "Of recovery 1: w1 holds the task since 02:33:30Z"),
    ],
)  # fmt: skip
def test_each_sentence_says_what_was_decided_and_what_came_of_it(records, decisions, as_of, words):
    assert words in ask(records, decisions=decisions, as_of=as_of).sentence


def test_the_arithmetic_ends_with_what_was_decided():
    def lines(*decisions):
        found = ask(as_of=300, decisions=decisions).arithmetic[-3:]
        return [(line.label, (line.at - at(0)).total_seconds(), line.note) for line in found]

    assert lines(replay(200))[:2] == [
        ("Decided", 200, "replay, recovery 1"),
        ("Readback limit", 1100, "02:33:20Z + 15 min allowance"),
    ]
    assert lines(skip(200))[:2] == [
        ("Decided", 200, "skip"),
        ("Watched until", 1100 + WATCH, "02:48:20Z + 1 h in which a broker hands out again"),
    ]


def test_a_record_of_a_replay_that_nobody_decided_fills_nothing():
    stray = replayed(Z, 40, recovery=0)
    assert said((stray,), as_of=100, decisions=()) == ("missing-tick", "tick")
    assert stray.named == IDENTITY
