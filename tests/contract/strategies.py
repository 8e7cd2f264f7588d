"""Random questions: evidence of up to two runs, with gaps in records and in coverage."""

from dataclasses import replace
from datetime import timedelta

from hypothesis import strategies as st

from occurrences.contract.coverage import Coverage, Stretch
from occurrences.contract.handoffs import Capabilities, Handoff, Role
from occurrences.contract.workers import SlotUse, WorkerRow
from tests.contract.evidence import ALLOWANCES, BASE, IDENTITY, at, record, replay, replayed, skip

HORIZON = 600
MERGES = (
    {},
    {"ready": "merged_with:enqueue"},
    {"ready": "merged_with:claim"},
    {"ready": "merged_with:enqueue", "claim": "none"},
    {"claim": "merged_with:start"},
    {"tick": "none"},
    {"expiration": "none", "start": "none"},
    {"ready": "none", "claim": "inferred"},
    {"enqueue": "merged_with:tick", "ready": "merged_with:enqueue"},
    {"enqueue": "merged_with:claim", "ready": "merged_with:claim"},
    {"enqueue": "none"},
)
seconds = st.integers(min_value=-20, max_value=HORIZON)
spread = st.integers(min_value=0, max_value=200)
spans = st.integers(min_value=0, max_value=120).map(lambda n: timedelta(seconds=n))
capabilities = st.sampled_from(MERGES).map(Capabilities.from_mapping)
allowances = st.builds(
    lambda parts, expires: replace(ALLOWANCES, **parts, expires=expires),
    st.fixed_dictionaries(dict.fromkeys(("tick", "enqueue", "ready", "claim", "start", "run", "readback"), spans)),
    st.none() | st.none() | spans,
)


@st.composite
def records(draw):
    """Records of one occurrence, any of them missing, some late, some of a second run or delivery."""
    found = []
    for handoff in Handoff:
        if handoff is Handoff.DUE or draw(st.integers(0, 3)) == 0:
            continue
        for number in range(draw(st.sampled_from((1, 1, 1, 2)))):
            found.append(draw(_record(handoff, number)))
    return tuple({(r.handoff, r.record_id): r for r in found}.values())


@st.composite
def _record(draw, handoff, number):
    moment = draw(seconds)
    outcomes = ("succeeded", "failed", "expired") if handoff is Handoff.TERMINAL else ("ok", "ok", "ok", "failed")
    again = handoff >= Handoff.CLAIM and number == 1
    run = None if handoff is Handoff.TICK else "r2" if number == 1 and draw(st.integers(0, 3)) == 0 else "r1"
    delivery = 2 if again and draw(st.booleans()) else 1
    return record(
        handoff,
        moment,
        run=run,
        delivery=delivery,
        record_id=f"{run}/{handoff.word}/{delivery}/{number}",
        outcome=draw(st.sampled_from(outcomes)),
        received_at=at(moment + draw(st.sampled_from((0, 0, 5, 200)))),
        owner=draw(st.sampled_from(("w1", "w1", "w2"))),
        eta=at(draw(seconds)) if handoff is Handoff.ENQUEUE and not number and draw(st.integers(0, 5)) == 0 else None,
        expires_at=at(draw(seconds))
        if handoff is Handoff.ENQUEUE and not number and draw(st.integers(0, 3)) == 0
        else None,
        named=IDENTITY,
    )


@st.composite
def answers(draw, as_of: int):
    """Up to two decisions made by `as_of`, and the records that their replays caused."""
    decisions, caused = [], []
    for moment in sorted(draw(st.lists(st.integers(0, as_of), max_size=2)) if as_of >= 0 else []):
        if draw(st.integers(0, 2)) == 0:
            decisions.append(skip(moment))
            continue
        number = len(decisions) + 1
        sent = draw(st.none() | st.integers(moment, as_of))
        decisions.append(replay(moment, number, published_at=at(sent) if sent is not None else None))
        caused += draw(_caused(number, moment))
    return tuple(decisions), tuple(r for r in caused if r.received_at <= at(as_of))


@st.composite
def _caused(draw, number: int, decided: int):
    found = []
    for handoff in (Handoff.ENQUEUE, Handoff.CLAIM, Handoff.START, Handoff.EXPIRATION, Handoff.TERMINAL):
        if draw(st.integers(0, 5)) < (5 if handoff is Handoff.EXPIRATION else 2):
            continue
        outcome = draw(st.sampled_from(("succeeded", "succeeded", "failed"))) if handoff is Handoff.TERMINAL else "ok"
        named = draw(st.sampled_from((IDENTITY, IDENTITY, None)))
        owner = draw(st.sampled_from(("w1", "w2")))
        found.append(replayed(handoff, decided + draw(spread), number, outcome=outcome, named=named, owner=owner))
    return found


@st.composite
def coverages(draw, as_of: float):
    """Coverage with gaps; nothing of it lies after `as_of`."""
    if draw(st.integers(0, 9)) == 0:
        return Coverage(provable=False)
    found = []
    for role in (Role.SCHEDULER, Role.WORKERS):
        edges = sorted(draw(st.lists(st.integers(-60, HORIZON), max_size=4)))
        edges = [-60, *edges] if draw(st.booleans()) else edges
        for begin, end in zip(edges[::2], edges[1::2], strict=False):
            if end <= as_of:
                found.append(Stretch(start=at(begin), end=at(end), role=role))
    heard = {stretch.role for stretch in found}  # a role never heard of is blind, whatever is closed
    return Coverage(
        provable=True,
        stretches=tuple(found),
        to_now=frozenset(role for role in sorted(heard) if draw(st.booleans())),
    )


@st.composite
def workers(draw, as_of: float):
    """Worker rows and slots taken; no end of theirs lies after `as_of`."""
    rows, slots = [], []
    for name in draw(st.sampled_from(((), ("w1",), ("w1", "w2")))):
        down = draw(st.none() | st.integers(0, HORIZON))
        end = at(down) if down is not None and down <= as_of else None
        rows.append(WorkerRow(worker=name, up_from=at(-100), up_to=end, capacity=draw(st.integers(0, 2))))
        if draw(st.booleans()):
            slots.append(SlotUse(worker=name, start=at(draw(st.integers(-50, 0))), end=None))
    return tuple(rows), tuple(slots)


@st.composite
def questions(draw, give_up=None, decided=True):
    """A whole question, decided or not; everything in it is known at its `as_of`."""
    as_of = draw(st.integers(-5, HORIZON))
    rows, slots = draw(workers(as_of))
    known = tuple(r for r in draw(records()) if r.received_at <= at(as_of))
    decisions, caused = draw(answers(as_of)) if decided and draw(st.booleans()) else ((), ())
    return replace(
        BASE,
        as_of=at(as_of),
        capabilities=draw(capabilities),
        allowances=draw(allowances),
        records=(*known, *caused),
        decisions=decisions,
        workers=rows,
        slots=slots,
        coverage=draw(coverages(as_of)),
        give_up=give_up if give_up is not None else draw(spans),
        paused=draw(st.integers(0, 19)) == 0,
        in_rule=draw(st.integers(0, 19)) != 0,
    )


@st.composite
def grown(draw, coverage: Coverage, as_of, later):
    """The same coverage after it grew from `as_of` up to `later`: longer, or with a new stretch behind a gap."""
    found = []
    for role in (Role.SCHEDULER, Role.WORKERS):
        own = sorted((s for s in coverage.at(as_of).stretches if s.role is role), key=lambda s: s.start)
        room = int((later - as_of).total_seconds())
        end = as_of + timedelta(seconds=draw(st.integers(0, room)))
        if own and draw(st.booleans()):
            own[-1] = replace(own[-1], end=max(own[-1].end, end))
        elif draw(st.booleans()) and (not own or own[-1].end < as_of):
            own.append(Stretch(start=as_of, end=end, role=role))
        found += own
    return replace(coverage, stretches=tuple(found))
