"""Random histories: runs that go their way step by step and meet every fault the contract speaks of."""

from dataclasses import replace
from datetime import datetime, timedelta

from hypothesis import strategies as st

from occurrences.contract.coverage import Coverage, Stretch
from occurrences.contract.handoffs import Capabilities, Capability, Handoff, Role
from occurrences.contract.occurrences import Identity
from occurrences.contract.workers import SlotUse, WorkerRow
from tests.contract.evidence import ALLOWANCES, BASE, DUE, IDENTITY, at, record, replay, replayed, skip

OTHER = Identity(source=IDENTITY.source, schedule_key=IDENTITY.schedule_key, due_at=at(3600))
SHOWN = (
    *({},) * 6,
    {"ready": "merged_with:enqueue"},
    {"ready": "merged_with:claim"},
    {"ready": "merged_with:enqueue", "claim": "none"},
    {"ready": "merged_with:start", "claim": "merged_with:start"},
    {"enqueue": "merged_with:tick"},
    {"tick": "merged_with:enqueue"},
    {"claim": "merged_with:start"},
    {"start": "merged_with:claim"},
    {"start": "merged_with:terminal"},
    {"tick": "none"},
    {"start": "none"},
    {"claim": "none", "start": "none"},
    {"expiration": "none"},
    {"terminal": "none"},
    {"tick": "none", "enqueue": "none", "ready": "none"},
    {"ready": "none", "claim": "inferred"},
)
LIMITS = ("tick", "enqueue", "ready", "claim", "start", "run", "readback")
HOSTS = ("w1", "w1", "w2")
RESULTS = ("succeeded", "succeeded", "succeeded", "failed", "cancelled", "lost")
CLOCKS = (0, 0, 0, 0, 1, -3, 60)  # how far the producer's clock is ahead, in seconds
POSTS = (0, 0, 0, 0, 2, 40)  # how long a record is on its way
gaps = st.sampled_from((0, 1, 2, 5, 9, 10, 11, 19, 20, 21, 30, 40, 41, 60, 90))
spans = st.sampled_from((0, 1, 5, 10, 20, 30, 40, 60)).map(lambda n: timedelta(seconds=n))
capabilities = st.sampled_from(SHOWN).map(Capabilities.from_mapping)
allowances = st.builds(
    lambda parts, expires: replace(ALLOWANCES, **parts, expires=expires),
    st.fixed_dictionaries(dict.fromkeys(LIMITS, spans)),
    st.none() | st.none() | spans,
)


def one_in(draw, n: int) -> bool:
    """Draw true once in `n` times."""
    return draw(st.integers(0, n - 1)) == n - 1


@st.composite
def handed(draw, handoff, moment: int, **fields):
    """One record of a handoff that came at `moment`: on whatever clock, after however long."""
    return record(
        handoff,
        moment + draw(st.sampled_from(CLOCKS)),
        received_at=at(moment + draw(st.sampled_from(POSTS))),
        named=draw(st.sampled_from((IDENTITY, IDENTITY, IDENTITY, None, OTHER))),
        **fields,
    )


@st.composite
def attempts(draw, run: str, moment: int):
    """The deliveries of one run to workers, each cut short somewhere; numbered or not."""
    found, numbered = [], draw(st.booleans())
    for number in range(1, draw(st.sampled_from((0, 1, 1, 1, 1, 2, 3))) + 1):
        delivery = number if numbered else 1
        owner = draw(st.sampled_from(HOSTS))
        stop = draw(st.sampled_from((Handoff.CLAIM, Handoff.START, Handoff.TERMINAL, Handoff.TERMINAL)))
        for handoff in (Handoff.CLAIM, Handoff.START, Handoff.TERMINAL):
            moment += draw(gaps)
            if handoff > stop or one_in(draw, 7):
                continue
            outcome = draw(st.sampled_from(RESULTS)) if handoff is Handoff.TERMINAL else "ok"
            record_id = f"{run}/{handoff.word}/{number}"
            found.append(
                draw(
                    handed(
                        handoff, moment, run=run, delivery=delivery, owner=owner, outcome=outcome, record_id=record_id
                    )
                )
            )
    return found


@st.composite
def sent(draw, run: str, moment: int):
    """The way of one run up to a worker: sent, refused, expired or taken."""
    found = []
    for handoff in (Handoff.ENQUEUE, Handoff.READY):
        moment += draw(gaps)
        if one_in(draw, 5):
            continue
        more = {"outcome": "failed"} if one_in(draw, 12) else {}
        if handoff is Handoff.ENQUEUE:
            more |= {"eta": at(moment + draw(gaps))} if one_in(draw, 8) else {}
            more |= {"expires_at": at(moment + draw(gaps))} if one_in(draw, 5) else {}
        found.append(draw(handed(handoff, moment, run=run, **more)))
    if one_in(draw, 6):
        found.append(draw(handed(Handoff.EXPIRATION, moment + draw(gaps), run=run)))
    elif one_in(draw, 12):
        found.append(draw(handed(Handoff.TERMINAL, moment + draw(gaps), run=run, outcome="expired", record_id="exp")))
    return found + draw(attempts(run, moment)) if not one_in(draw, 4) else found


@st.composite
def original(draw):
    """Ticks, and up to two runs of the original."""
    moment = draw(gaps)
    found = [
        draw(handed(Handoff.TICK, moment + again, record_id=f"tick/{again}"))
        for again in range(draw(st.sampled_from((0, 1, 1, 1, 1, 2))))
    ]
    for run in draw(st.sampled_from(((), ("r1",), ("r1",), ("r1",), ("r1",), ("r1", "r2")))):
        found += draw(sent(run, moment))
    return found


@st.composite
def answers(draw):
    """Up to two decisions, and what each replay caused: read back, under another name, or silent."""
    decisions, caused = [], []
    for moment in sorted(draw(st.lists(st.integers(0, 200), min_size=1, max_size=2))):
        if one_in(draw, 3):
            decisions.append(skip(moment))
            continue
        number = sum(decision.recovery_number > 0 for decision in decisions) + 1
        decisions.append(replay(moment, number))
        named = draw(st.sampled_from((IDENTITY, IDENTITY, OTHER, None)))
        for handoff in (Handoff.ENQUEUE, Handoff.CLAIM, Handoff.START, Handoff.TERMINAL):
            moment += draw(gaps)
            if not one_in(draw, 3):
                outcome = draw(st.sampled_from(RESULTS)) if handoff is Handoff.TERMINAL else "ok"
                owner = draw(st.sampled_from(HOSTS))
                caused.append(replayed(handoff, moment, number, named=named, outcome=outcome, owner=owner))
    return tuple(decisions), caused


@st.composite
def coverages(draw):
    """Coverage with gaps in either role, some of them closed later; or none that could be proven."""
    if one_in(draw, 5):
        return Coverage(provable=False)
    return Coverage(
        provable=True,
        stretches=tuple(stretch for role in (Role.SCHEDULER, Role.WORKERS) for stretch in draw(stretches(role))),
        to_now=frozenset({Role.SCHEDULER, Role.WORKERS}) if draw(st.booleans()) else frozenset(),
    )


@st.composite
def stretches(draw, role: Role):
    """What is covered of one role: everything, all but a gap, up to a moment, or only a part known late."""
    first, second = sorted(draw(st.lists(st.integers(-30, 300), min_size=2, max_size=2)))
    known_at = draw(st.none() | st.integers(second, 500).map(at))
    return draw(
        st.sampled_from(
            (
                [Stretch(start=at(-900), end=at(-800 if one_in(draw, 2) else 900), role=role)],
                [
                    Stretch(start=at(-900), end=at(first), role=role),
                    Stretch(start=at(second), end=at(900), role=role),
                ],
                [
                    Stretch(start=at(-900), end=at(first), role=role),
                    Stretch(start=at(first), end=at(second), role=role, known_at=known_at),
                ],
                [Stretch(start=at(-900), end=at(second), role=role)],
            )
        )
    )


@st.composite
def crews(draw):
    """Worker rows that end and come back, and slots that are taken and given back."""
    rows, slots = [], []
    for name in draw(st.sampled_from(((), ("w1",), ("w1", "w2"), ("w1", "w2")))):
        down = draw(st.none() | st.integers(0, 300))
        up_to = at(down) if down is not None else None
        capacity = draw(st.integers(0, 2))
        rows.append(
            WorkerRow(worker=name, up_from=at(draw(st.sampled_from((-100, 3)))), up_to=up_to, capacity=capacity)
        )
        if down is not None and draw(st.booleans()):
            rows.append(WorkerRow(worker=name, up_from=at(down + draw(gaps)), up_to=None, capacity=1))
        for _ in range(draw(st.integers(0, 2))):
            begun = draw(st.integers(-50, 120))
            slots.append(SlotUse(worker=name, start=at(begun), end=draw(st.none() | st.just(at(begun + draw(gaps))))))
    return tuple(rows), tuple(slots)


def shown(capabilities: Capabilities, found):
    """Leave out what a source with these capabilities never writes."""
    own = {h for h in Handoff if capabilities.state(h) in (Capability.OBSERVED, Capability.INFERRED)}
    return tuple(r for r in found if r.handoff in own)


def moments_of(found, limits) -> list[datetime]:
    """The moments at which something happens, and those one limit later."""
    spans = [getattr(limits, name) for name in LIMITS] + [limits.expires or timedelta(0)]
    seen = [DUE, *(r.received_at for r in found)]
    return sorted({moment + span for moment in seen for span in [timedelta(0), *spans]})


@st.composite
def histories(draw, *, decided: bool | None = None):
    """A whole question: its moment lies at, just before or just after a limit, or anywhere."""
    can, limits = draw(capabilities), draw(allowances)
    rows, slots = draw(crews())
    found = draw(original())
    answered = draw(st.booleans()) and draw(st.booleans()) if decided is None else decided
    decisions, caused = draw(answers()) if answered else ((), [])
    edges = [*moments_of(found, limits), *(d.at + limits.readback for d in decisions)]
    edge = draw(st.sampled_from(edges)) + timedelta(microseconds=draw(st.sampled_from((-1, 0, 1))))
    gap = one_in(draw, 15)
    return replace(
        BASE,
        as_of=draw(st.just(edge) | st.integers(-5, 400).map(at)),
        capabilities=can,
        allowances=limits,
        expires_after=draw(st.none() | st.none() | st.none() | spans),
        records=shown(can, [*found, *caused]),
        decisions=decisions,
        workers=rows,
        slots=slots,
        coverage=draw(coverages()),
        give_up=draw(spans),
        paused=not gap and one_in(draw, 25),
        in_rule=gap or not one_in(draw, 25),
        floating=gap,
        expected_gap=gap,
    )
