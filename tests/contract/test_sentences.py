"""What a person reads at three in the morning."""

from dataclasses import replace
from datetime import timedelta

import pytest

from occurrences.contract.handoffs import Handoff
from tests.contract.evidence import ALLOWANCES, ask, covered, path, record, up_to, worker

T, E, R, C, S, X, Z = (h for h in Handoff if h is not Handoff.DUE)
EXPIRES = {"allowances": replace(ALLOWANCES, expires=timedelta(seconds=100))}
GONE = (worker(up_to=20),)


def test_a_missing_enqueue_says_what_was_seen_and_that_it_is_no_delayed_claim():
    assert ask(path(T), as_of=40).sentence == (
        "The scheduler ticked at 02:30:01Z, but no enqueue record arrived by 02:30:31Z. "
        "This is not a delayed claim: there is no task to claim."
    )


def test_a_delayed_claim_says_that_it_is_no_missing_enqueue():
    assert ask(up_to(R), as_of=200).sentence == (
        "The task is ready since 02:30:03Z and no worker claimed it by 02:32:03Z. "
        "This is not a missing enqueue: the task is there and may still run by itself."
    )


@pytest.mark.parametrize(
    ("records", "as_of", "fields", "words"),
    [
        ((), 100, {}, "not a missing enqueue"),
        (path(T, E), 100, {}, "not a delayed claim"),
        (up_to(R), 200, {"workers": (worker("idle"),)}, "idle had a free slot"),
        (up_to(C), 100, {}, "w1 holds the task since 02:30:04Z"),
        (up_to(S), 30, {"workers": GONE}, "w1 started the task and went down at 02:30:20Z before the end"),
        (up_to(C), 30, {"workers": GONE}, "w1 claimed the task and went down at 02:30:20Z before the start"),
        (up_to(S), 2000, {}, "no end was recorded by 02:45:05Z"),
        (up_to(R), 110, EXPIRES, "not a recorded expiration"),
        ((*up_to(R), record(X, 110)), 120, EXPIRES, "thrown away at 02:31:50Z"),
        (up_to(S, claim=50, start=110), 120, EXPIRES, "started at 02:31:50Z, after its time had run out at 02:31:42Z"),
        (up_to(Z), 50, {}, "every handoff came inside its limit"),
        (up_to(S, claim=200, start=201), 210, {}, "The claim came at 02:33:20Z, 77 s after its limit 02:32:03Z"),
        ((), 40_000, {"coverage": covered((-90, 10))}, "the observer was blind"),
        ((), 70, {"coverage": covered((-90, 10))}, "not judged yet"),
        ((), 100, {"floating": True, "expected_gap": True}, "the longest gap was over at 02:31:00Z"),
        (up_to(S), 90_000, {"allowances": replace(ALLOWANCES, run=timedelta(days=1))}, "by 2025-01-16 02:30:05Z"),
    ],
)
def test_each_sentence_says_what_it_is_about(records, as_of, fields, words):
    assert words in ask(records, as_of=as_of, **fields).sentence


def test_no_sentence_uses_the_words_that_frighten_at_night():
    for as_of in (-1, 10, 100, 200, 2000):
        for last in Handoff:
            sentence = ask(up_to(last), as_of=as_of).sentence.lower()
            assert not any(word in sentence for word in ("error", "stuck", "zombie", "dead", "healthy"))
