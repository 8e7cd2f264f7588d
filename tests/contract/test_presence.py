"""Every pattern of what is and is not recorded, early, inside the limits and late: one verdict each."""

from itertools import chain, combinations, permutations

import pytest

from occurrences.contract.handoffs import STEPS, Handoff
from occurrences.contract.judging import judge
from occurrences.contract.verdicts import Verdict
from tests.contract.evidence import at, path, question, record, up_to
from tests.contract.reference.judge import reference

H = Handoff
REPORTED = (H.TICK, H.ENQUEUE, H.READY, H.CLAIM, H.START, H.EXPIRATION, H.TERMINAL)
PATTERNS = tuple(chain.from_iterable(combinations(REPORTED, size) for size in range(len(REPORTED) + 1)))
CAME = {H.TICK: 1, H.ENQUEUE: 2, H.READY: 3, H.CLAIM: 4, H.START: 5, H.EXPIRATION: 6, H.TERMINAL: 15}
EARLY, INSIDE, LATE = -1, 20, 9000
NEVER_SENT = {Verdict.MISSING_TICK, Verdict.MISSING_ENQUEUE}
# The furthest thing on record, and what is said of it once every limit is over.
ONCE_LATE = {
    H.DUE: Verdict.MISSING_TICK,
    H.TICK: Verdict.MISSING_ENQUEUE,
    H.ENQUEUE: Verdict.MISSING_READY,
    H.READY: Verdict.DELAYED_CLAIM,
    H.CLAIM: Verdict.DELAYED_START,
    H.START: Verdict.OVERRAN,
    H.TERMINAL: Verdict.ON_TIME,
}


def ended_as(pattern) -> Handoff:
    """The furthest handoff of the pattern; an expiration counts only for what never started."""
    if H.TERMINAL in pattern or H.START in pattern:
        return H.TERMINAL if H.TERMINAL in pattern else H.START
    return max(pattern, default=H.DUE)


def expected(pattern, moment) -> tuple[Verdict, Handoff | None]:
    """What must be said: written out, not computed from anything of the judge."""
    furthest = ended_as(pattern)
    missing = [step for step in STEPS if step not in pattern]
    if moment == EARLY:
        return Verdict.NOT_DUE, None
    if furthest is H.EXPIRATION:
        owed = missing if moment == LATE else [step for step in missing if step in (H.CLAIM, H.START)]
        return Verdict.EXPIRED_UNCLAIMED, owed[0]
    if moment == INSIDE:
        return (Verdict.ON_TIME if furthest is H.TERMINAL else Verdict.PENDING), None
    return ONCE_LATE[furthest], missing[0] if missing else None


def asked(pattern, moment):
    """The question behind a pattern; early, everything is stamped before the due time."""
    shift = 30 if moment == EARLY else 0
    return question([record(handoff, CAME[handoff] - shift) for handoff in pattern], as_of=moment)


@pytest.mark.parametrize("moment", [EARLY, INSIDE, LATE], ids=["early", "inside", "late"])
def test_every_pattern_has_the_one_verdict_it_must_have(moment):
    said = {pattern: judge(asked(pattern, moment)) for pattern in PATTERNS}
    assert len(said) == 2**7
    assert {p: (j.verdict, j.first_absent) for p, j in said.items()} == {p: expected(p, moment) for p in PATTERNS}


@pytest.mark.parametrize("moment", [EARLY, INSIDE, LATE], ids=["early", "inside", "late"])
def test_the_second_judge_says_the_same_of_every_pattern(moment):
    assert {p: reference(asked(p, moment))[:2] for p in PATTERNS} == {p: expected(p, moment) for p in PATTERNS}


def test_no_pattern_of_something_sent_is_called_never_sent():
    sent = [pattern for pattern in PATTERNS if any(handoff >= H.ENQUEUE for handoff in pattern)]
    assert len(sent) == 2**7 - 2
    said = {judge(asked(pattern, moment)).verdict for pattern in sent for moment in (INSIDE, LATE)}
    assert not said & NEVER_SENT


def test_a_claim_that_comes_late_is_never_called_an_enqueue_that_is_missing():
    for pattern in PATTERNS:
        if H.CLAIM not in pattern:
            continue
        late = [r for r in asked(pattern, LATE).records if r.handoff is not H.CLAIM] + [*path(H.CLAIM, claim=4000)]
        assert judge(question(late, as_of=LATE)).verdict not in NEVER_SENT


def test_all_720_orders_of_arrival_say_the_same():
    trail = up_to(H.TERMINAL)
    orders = list(permutations(trail))
    assert len(orders) == 720
    said = {
        judge(
            question(
                [
                    record(r.handoff, (r.observed_at - at(0)).total_seconds(), received_at=at(100 + n))
                    for n, r in enumerate(order)
                ],
                as_of=LATE,
            )
        )
        for order in orders
    }
    assert {judgement.verdict for judgement in said} == {Verdict.ON_TIME}
    assert len(said) == 1
