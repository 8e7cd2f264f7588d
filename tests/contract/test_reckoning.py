"""The arithmetic behind a judgement."""

from dataclasses import replace
from datetime import timedelta

from occurrences.contract.handoffs import Handoff
from tests.contract.evidence import ALLOWANCES, TAP, ask, at, path, up_to, worker

E, R, S = Handoff.ENQUEUE, Handoff.READY, Handoff.START


def lines(records, **fields):
    return [(line.label, (line.at - at(0)).total_seconds(), line.note) for line in ask(records, **fields).arithmetic]


def test_each_limit_is_shown_with_how_it_came_about():
    assert lines(path(Handoff.TICK), as_of=40) == [
        ("Due", 0, "nominal due time of the rule"),
        ("Scheduler tick limit", 60, "02:30:00Z + 60 s allowance"),
        ("Scheduler tick", 1, "inside its limit"),
        ("Enqueue limit", 31, "02:30:01Z + 30 s allowance"),
        ("Judged", 40, "observing moment"),
    ]


def test_a_merged_handoff_has_no_line_and_expiry_and_loss_have_one():
    labels = [label for label, _, _ in lines(up_to(E), as_of=10, capabilities=TAP)]
    assert "Ready limit" not in labels
    lost = lines(
        up_to(S),
        as_of=30,
        workers=(worker(up_to=20),),
        allowances=replace(ALLOWANCES, expires=timedelta(seconds=100)),
    )
    assert ("Claimant down", 20, "its worker ended here") in lost
    assert ("Expiry", 102, "the message is void after it") in lost
