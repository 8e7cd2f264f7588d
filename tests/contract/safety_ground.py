"""Builders for the tests of the safety contract: a judgement per trail, and inputs that hinder nothing."""

from dataclasses import replace
from datetime import timedelta

from occurrences.contract.catch_ups import CATCH_UPS
from occurrences.contract.checks import CheckFacts
from occurrences.contract.effects import Effect
from occurrences.contract.handoffs import Handoff
from occurrences.contract.liveness import Liveness, LivenessFacts
from occurrences.contract.safety_inputs import Neighbour, SafetyInputs
from occurrences.contract.surroundings import Others, Surroundings
from occurrences.contract.trails import Trail
from tests.contract.evidence import DUE, NEVER, ask, at, path, record, up_to

H = Handoff
LATER = 7200
SAID = {
    Trail.MISSING_TICK: ask((), as_of=LATER),
    Trail.MISSING_ENQUEUE: ask(up_to(H.TICK), as_of=LATER),
    Trail.NOT_READY: ask(up_to(H.ENQUEUE), as_of=LATER),
    Trail.DELAYED_CLAIM: ask(up_to(H.READY), as_of=LATER),
    Trail.EXPIRED_UNCLAIMED: ask(up_to(H.READY), as_of=LATER, expires_after=timedelta(seconds=600)),
    Trail.CLAIMED_NOT_STARTED: ask(up_to(H.CLAIM), as_of=LATER),
    Trail.STARTED_NO_TERMINAL: ask(up_to(H.START), as_of=LATER),
    Trail.FAILED: ask((*up_to(H.START), record(H.TERMINAL, 40, outcome="failed")), as_of=LATER),
    Trail.SUCCEEDED: ask(up_to(H.TERMINAL), as_of=LATER),
    Trail.BLIND: ask((), as_of=LATER, coverage=NEVER),
}
WAITING = {
    "no tick yet": ask((), as_of=10),
    "no enqueue yet": ask(path(H.TICK), as_of=10),
    "not ready yet": ask(up_to(H.ENQUEUE), as_of=10),
    "not claimed yet": ask(up_to(H.READY), as_of=10),
    "not started yet": ask(up_to(H.CLAIM), as_of=10),
    "not ended yet": ask(up_to(H.START), as_of=10),
}
EXPIRED_ON_RECORD = ask((*up_to(H.READY), record(H.EXPIRATION, 700)), as_of=LATER)

CLEAR = Surroundings(gap=False, stray=False, others=Others.NONE)
AROUND = LivenessFacts(
    as_of=at(LATER),
    run=timedelta(hours=3),
    catch_up=CATCH_UPS["celery-beat"],
    provable=True,
    surroundings=CLEAR,
)
DOORS = CheckFacts(
    due_at=DUE,
    source="celery:billing",
    source_enabled=True,
    target="celery:billing",
    target_task="billing.nightly",
    shown_revision=4,
    evidence_revision=4,
)
FREE = SafetyInputs(
    doors=DOORS,
    trail=Trail.MISSING_ENQUEUE,
    liveness=Liveness.CANNOT,
    liveness_because="Nothing was enqueued, which is proven.",
    effect=Effect.KEYED,
    before=tuple(Neighbour(due_at=at(-3600 * n), verdict="On time", failed=False) for n in (1, 2, 3)),
    later_success=False,
    workers_up=2,
    queue_age=timedelta(seconds=3),
    claim_allowance=timedelta(seconds=120),
    age=timedelta(hours=2),
    replay_window=timedelta(hours=6),
    past_window=False,
    overlap=False,
    schedule_enabled=True,
    revision_same=True,
    code_same=True,
    order_matters=False,
    in_flight=0,
    cap=5,
    skew=False,
    conflicting=False,
    ambiguous=False,
    provable=True,
    until_next=timedelta(hours=1),
    usual_run=timedelta(minutes=4),
    arrived_since=0,
    can_revoke=False,
)


def inputs(**fields) -> SafetyInputs:
    """Inputs that hinder nothing but in `fields`; `live` is the number of another recovery under way."""
    live = fields.pop("live", None)
    return replace(FREE, doors=replace(DOORS, live_recovery=live), **fields)
