"""When time alone can change the answer next."""

from dataclasses import replace
from datetime import timedelta

import pytest

from occurrences.contract.handoffs import Handoff, Role
from tests.contract.evidence import ALLOWANCES, NEVER, ask, at, covered, path, record, up_to, worker

T, E, R, C, S, X, Z = (h for h in Handoff if h is not Handoff.DUE)
CLOCK, SCHEDULER, WORKERS = Role.CLOCK, Role.SCHEDULER, Role.WORKERS
EXPIRES = {"allowances": replace(ALLOWANCES, expires=timedelta(seconds=400))}
LATE = covered((-90, 30), (70, 9000))


def wakes(records=(), **fields):
    judgement = ask(records, **fields)
    if judgement.next_deadline is None:
        return None
    return (judgement.next_deadline - at(0)).total_seconds(), judgement.next_role


CASES = [
    ("a future due needs no coverage", (), -50, {}, (0, CLOCK)),
    ("a tick is waited for", (), 10, {}, (60, SCHEDULER)),
    ("an enqueue is waited for", path(T), 10, {}, (31, SCHEDULER)),
    ("a claim is waited for", up_to(R), 10, {}, (123, WORKERS)),
    ("an end is waited for", up_to(S), 10, {}, (905, WORKERS)),
    ("a missing tick waits for nothing", (), 61, {}, None),
    ("a delayed claim waits for nothing", up_to(R), 200, {}, None),
    ("a delayed claim waits for its expiry", up_to(R), 200, EXPIRES, (402, WORKERS)),
    ("an expiry by the clock is the end of it", up_to(R), 403, EXPIRES, None),
    ("a late start waits for its end", up_to(S, start=100), 110, {}, (1000, WORKERS)),
    ("a delayed start waits for its expiry", up_to(C), 100, EXPIRES, (402, WORKERS)),
    ("a running task has no expiry any more", up_to(S), 100, EXPIRES, (905, WORKERS)),
    ("a loss waits for nothing", up_to(S), 30, {"workers": (worker(up_to=20),)}, None),
    ("a success waits for nothing", up_to(Z), 50, {}, None),
    ("a failure waits for nothing", (*up_to(S), record(Z, 40, outcome="failed")), 50, {}, None),
    ("a recorded expiration waits for nothing", (*up_to(R), record(X, 10)), 50, {}, None),
    ("a pause waits for nothing", (), 50, {"paused": True}, None),
    ("coverage that lags is waited for", (), 100, {"coverage": covered((-90, 30))}, (60, SCHEDULER)),
    ("coverage that never was is waited for", (), 100, {"coverage": NEVER}, (60, SCHEDULER)),
    ("broken coverage is given up after a while", (), 100, {"coverage": LATE}, (1860, CLOCK)),
    ("what was given up waits for nothing", (), 1861, {"coverage": LATE}, None),
    ("a lost tick record still has its limit", path(E, R, C, S, Z), 45, {}, (60, SCHEDULER)),
    ("two roles at once are left to the clock", path(E, R, C, S), 45, {}, (60, CLOCK)),
    (
        "an unproven loss is waited for",
        up_to(S),
        30,
        {"workers": (worker(up_to=20),), "coverage": covered((-90, 10))},
        (20, WORKERS),
    ),
]


@pytest.mark.parametrize(("records", "as_of", "fields", "expected"), [c[1:] for c in CASES], ids=[c[0] for c in CASES])
def test_the_next_deadline(records, as_of, fields, expected):
    assert wakes(records, as_of=as_of, **fields) == expected


def test_an_overlap_that_is_not_proven_waits_for_the_coverage_of_the_workers():
    both = (worker(), worker("w2"))
    copies = (*up_to(S), record(C, 500, delivery=2, owner="w2"), record(S, 501, delivery=2, owner="w2"))
    assert wakes(copies, as_of=502, workers=both, coverage=covered((-90, 400))) == (501, WORKERS)


@pytest.mark.parametrize(
    ("records", "as_of", "coverage", "unproven"),
    [
        ((), 100, LATE, 30),
        ((), 100, covered((-90, 9000)), None),
        ((), 100, covered((-90, 30)), None),
        ((), 1861, covered((-90, 30)), 30),
        (up_to(Z)[1:], 100, LATE, 30),
        (up_to(Z)[1:], 100, NEVER, None),
        (up_to(Z)[1:], 1861, NEVER, 0),
        (up_to(Z)[1:], 100, covered((-90, 9000)), None),
        (up_to(Z), 100, LATE, None),
    ],
)
def test_where_the_view_ended_for_what_only_coverage_can_still_prove(records, as_of, coverage, unproven):
    found = ask(records, as_of=as_of, coverage=coverage).unproven_from
    assert found == (None if unproven is None else at(unproven))
