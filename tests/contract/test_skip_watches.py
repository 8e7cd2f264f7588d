"""What came of a skip."""

from datetime import timedelta

import pytest

from occurrences.contract.coverage import Coverage, Stretch
from occurrences.contract.decisions import REDELIVERY
from occurrences.contract.handoffs import Handoff, Role
from occurrences.contract.skip_watches import SkipState, skip_watch_of
from tests.contract.evidence import NEVER, at, question, record, replay, replayed, skip, up_to

H = Handoff
EXPIRES = timedelta(seconds=600)
END = 602 + int(REDELIVERY.total_seconds())
UNPROVABLE = Coverage(provable=False)
SKIPPED = (skip(200),)


def seen(*stretches):
    """The workers' evidence in the given stretches; the scheduler's is complete."""
    return Coverage(
        provable=True,
        stretches=(
            Stretch(start=at(-9000), end=at(99_000), role=Role.SCHEDULER),
            *(Stretch(start=at(a), end=at(b), role=Role.WORKERS) for a, b in stretches),
        ),
    )


def watch(*more, as_of, records=None, decisions=SKIPPED, **fields):
    known = (*(up_to(H.READY) if records is None else records), *more)
    return skip_watch_of(question(known, as_of=as_of, decisions=decisions, expires_after=EXPIRES, **fields))


CASES = [
    ("just decided", (), {"as_of": 201}, "watched", "watched until"),
    ("at the end of the watch", (), {"as_of": END}, "watched", "watched until 03:40:02Z"),
    ("after it", (), {"as_of": END + 1}, "verified", "the skip held"),
    ("after it, nobody looked", (), {"as_of": END + 1, "coverage": NEVER}, "unverified", "may have run unseen"),
    ("after it, blind since before", (), {"as_of": END + 1, "coverage": seen((-9000, 150))}, "unverified", "gap"),
    ("after it, seen just not to the end", (), {"as_of": END + 60, "coverage": seen((-9000, END - 1))}, "unverified",
     "gap"),
    ("after it, seen to the very end", (), {"as_of": END + 60, "coverage": seen((-9000, END))}, "verified", "held"),
    ("after it, one gap in the middle", (), {"as_of": END + 60, "coverage": seen((-9000, 900), (901, 9000))},
     "unverified", "gap"),
    ("after it, from a source that proves nothing", (), {"as_of": END + 1, "coverage": UNPROVABLE}, "verified",
     "cannot prove"),
    ("started after the skip", (record(H.CLAIM, 300), record(H.START, 301)), {"as_of": 400}, "ran-after-skip",
     "started at 02:35:01Z"),
    ("started at the moment of the skip", (record(H.CLAIM, 199), record(H.START, 200)), {"as_of": 400},
     "ran-after-skip", "after it was skipped"),
    ("started after the watch", (record(H.CLAIM, END + 9), record(H.START, END + 9)), {"as_of": END + 99},
     "ran-after-skip", "after it was skipped"),
    ("only its end is on record", (record(H.TERMINAL, 300),), {"as_of": 400}, "ran-after-skip", "02:35:00Z"),
    ("had started before", (record(H.CLAIM, 4), record(H.START, 5)), {"as_of": END + 99}, "not-bound",
     "changes nothing"),
]  # fmt: skip


@pytest.mark.parametrize(("more", "fields", "state", "words"), [c[1:] for c in CASES], ids=[c[0] for c in CASES])
def test_readback_of_a_skip(more, fields, state, words):
    found = watch(*more, **fields)
    assert found.state.value == state
    assert words in found.sentence
    assert found.watched_until == at(END)


def test_readback_of_a_skip_is_none_where_the_latest_decision_is_none():
    assert watch(as_of=300, decisions=()) is None
    assert watch(as_of=300, decisions=(skip(200), replay(250))) is None
    assert watch(as_of=100) is None  # not decided yet


def test_readback_of_a_skip_looks_at_the_original_alone():
    ran = (replayed(H.CLAIM, 110), replayed(H.START, 111), replayed(H.TERMINAL, 140, outcome="failed"))
    assert watch(*ran, as_of=END + 1, decisions=(replay(100), skip(200))).state is SkipState.VERIFIED


def test_readback_of_a_skip_changes_when_a_late_record_or_the_evidence_of_a_gap_comes():
    late = (record(H.CLAIM, 300, received_at=at(9000)), record(H.START, 301, received_at=at(9000)))
    assert watch(*late, as_of=8999, coverage=seen((-9000, 250))).state is SkipState.UNVERIFIED
    assert watch(*late, as_of=9000, coverage=seen((-9000, 250))).state is SkipState.RAN_AFTER_SKIP
    assert watch(as_of=9000, coverage=seen((-9000, 250), (250, 9000))).state is SkipState.VERIFIED


def test_readback_less_evidence_never_verifies_a_skip():
    whole = ((-9000, END),)
    for as_of in (201, END, END + 1, END + 5000):
        held = watch(as_of=as_of, coverage=seen(*whole)).state
        for stretches in ((), ((-9000, 199),), ((201, END),), ((-9000, 700), (701, END))):
            found = watch(as_of=as_of, coverage=seen(*stretches)).state
            assert found is not SkipState.VERIFIED
            assert found is held or held is SkipState.VERIFIED


def test_readback_each_state_of_a_skip_is_reached_and_has_its_words():
    assert {case[3] for case in CASES} == {state.value for state in SkipState}
    assert len({state.words for state in SkipState}) == len(SkipState)
