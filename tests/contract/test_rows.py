"""Each row of the table of verdicts decides something: without it the answer is another one."""

from datetime import timedelta

import pytest

from occurrences.contract import judging
from occurrences.contract.handoffs import Handoff
from occurrences.contract.rules import RULES
from tests.contract.evidence import NEVER, covered, question, record, replay, replayed, skip, up_to, worker
from tests.contract.histories import OTHER

H = Handoff
LATE = 5000
UNDER_WAY = (replayed(H.ENQUEUE, 101), replayed(H.CLAIM, 102), replayed(H.START, 103))
SHORT = {"expires_after": timedelta(seconds=20)}


def answered(records, as_of, **fields):
    """A missing tick that was replayed after 100 seconds."""
    return question(records, as_of=as_of, decisions=(replay(100),), **fields)


WITNESSES = {
    "due later": question(as_of=-1, paused=True),
    "not in the rule in force": question(as_of=9, in_rule=False, paused=True),
    "ran while paused": question(up_to(H.ENQUEUE), as_of=9, paused=True),
    "paused": question(as_of=LATE, paused=True),
    "gap overtaken by a tick": question([record(H.TICK, 1, named=OTHER)], as_of=LATE, expected_gap=True),
    "skipped": question(up_to(H.READY), as_of=LATE, decisions=(skip(90),)),
    "started after the skip": question(up_to(H.START, start=95), as_of=96, decisions=(skip(90),)),
    "original and replay ran": answered((*up_to(H.TERMINAL), *UNDER_WAY), 110),
    "replay not read back": answered((), LATE),
    "replay waits for its readback": answered((replayed(H.CLAIM, 102, named=None),), 200),
    "replay ended, not well": answered((*UNDER_WAY, replayed(H.TERMINAL, 104, outcome="failed")), 110),
    "replay succeeded": answered((*UNDER_WAY, replayed(H.TERMINAL, 104)), 110),
    "claimant of the replay went down": answered(UNDER_WAY, 110, workers=(worker(up_to=105),)),
    "replay expired": answered((*UNDER_WAY[:2], replayed(H.EXPIRATION, 104)), 110),
    "replay out of time": answered(UNDER_WAY[:2], 125, **SHORT),
    "replay not started": answered(UNDER_WAY[:2], 200),
    "replay not ended": answered(UNDER_WAY, LATE),
    "blind to the replay": answered(UNDER_WAY, LATE, coverage=NEVER),
    "replay under way": answered(UNDER_WAY, 110),
    "gap ended by a late tick": question([record(H.TICK, 99)], as_of=LATE, expected_gap=True),
    "two runs became ready": question((*up_to(H.TERMINAL), record(H.READY, 9, run="r2")), as_of=LATE),
    "two live owners started one run": question(
        (*up_to(H.START), record(H.START, 30, owner="w2", record_id="again")), as_of=60, workers=(worker(),)
    ),
    "ended, not well": question((*up_to(H.START), record(H.TERMINAL, 9, outcome="failed")), as_of=60),
    "succeeded after a failure or loss": question(
        (
            *up_to(H.START),
            record(H.TERMINAL, 9, outcome="failed"),
            record(H.CLAIM, 20, delivery=2),
            record(H.TERMINAL, 30, delivery=2),
        ),
        as_of=60,
    ),
    "started after its expiry": question(up_to(H.START, start=30), as_of=60, **SHORT),
    "claimant went down": question(up_to(H.START), as_of=60, workers=(worker(up_to=50),)),
    "expired, on record": question((*up_to(H.READY), record(H.EXPIRATION, 30)), as_of=60),
    "expired, by the clock": question(up_to(H.READY), as_of=60, **SHORT),
    "no tick": question(as_of=LATE),
    "no enqueue": question(up_to(H.TICK), as_of=LATE),
    "not ready": question(up_to(H.ENQUEUE), as_of=LATE),
    "free slot, no claim": question(up_to(H.READY), as_of=LATE, workers=(worker(),)),
    "no claim": question(up_to(H.READY), as_of=LATE),
    "no start": question(up_to(H.CLAIM), as_of=LATE),
    "no end": question(up_to(H.START), as_of=LATE),
    "blind when it mattered": question(up_to(H.READY), as_of=LATE, coverage=covered((-60, 90))),
    "made late": question(up_to(H.TERMINAL, ready=38, claim=38, start=38), as_of=LATE),
    "claimed late": question(up_to(H.TERMINAL, claim=125, start=125, terminal=130), as_of=LATE),
    "started late": question(up_to(H.TERMINAL, start=70, terminal=90), as_of=LATE),
    "ended late": question(up_to(H.TERMINAL, terminal=950), as_of=LATE),
    "succeeded in time": question(up_to(H.TERMINAL), as_of=LATE),
    "nothing past its limit": question(up_to(H.READY), as_of=60),
}


def verdict_under(rules, asked, monkeypatch):
    """What is said with these rows alone; None where none of them applies."""
    monkeypatch.setattr(judging, "RULES", tuple(rules))
    try:
        return judging.find(asked).verdict
    except StopIteration:
        return None


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.name)
def test_without_a_row_its_witness_is_answered_otherwise(rule, monkeypatch):
    asked = WITNESSES[rule.name]
    assert verdict_under(RULES, asked, monkeypatch) is rule.verdict
    without = [row for row in RULES if row is not rule]
    assert verdict_under(without, asked, monkeypatch) is not rule.verdict


def test_every_witness_stands_for_a_row():
    assert set(WITNESSES) == {rule.name for rule in RULES}
