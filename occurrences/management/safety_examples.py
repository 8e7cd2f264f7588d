"""Inputs that make each check of the safety contract fail, so that the handbook can print what a person then reads."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from types import MappingProxyType
from typing import Any

from occurrences.contract.checks import CheckFacts
from occurrences.contract.effects import Effect
from occurrences.contract.liveness import Liveness
from occurrences.contract.safety_checks import SafetyCheck, safety_checks
from occurrences.contract.safety_inputs import Neighbour, SafetyInputs
from occurrences.contract.trails import Trail

DUE = datetime(2026, 1, 15, 2, 30, tzinfo=UTC)
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
    liveness_because="Nothing was enqueued, which is proven, and its scheduler has gone on to a later due time.",
    effect=Effect.REPEATABLE,
    before=(Neighbour(due_at=DUE - timedelta(hours=1), verdict="On time", failed=False),),
    later_success=False,
    workers_up=2,
    queue_age=timedelta(seconds=3),
    claim_allowance=timedelta(minutes=10),
    age=timedelta(minutes=40),
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
    until_next=timedelta(minutes=20),
    usual_run=timedelta(minutes=4),
    arrived_since=0,
)
FAILED = tuple(Neighbour(due_at=DUE - timedelta(hours=n), verdict="Failed", failed=True) for n in (1, 2))
CLOSED_DOORS: Mapping[str, Mapping[str, Any]] = MappingProxyType(
    {
        "B1": {"arguments_withheld": True},
        "B2": {"live_recovery": 1},
        "B3": {"succeeded_at": DUE + timedelta(minutes=4)},
        "B5": {"evidence_revision": 5},
        "B6": {"forbidden": "Needs the owner, team Billing."},
        "B7 source": {"source_enabled": False},
        "B7 target": {"target": None},
        "B7 freeze": {"frozen": True},
    }
)
IN_THE_WAY: Mapping[str, Mapping[str, Any]] = MappingProxyType(
    {
        "B4": {"trail": Trail.STARTED_NO_TERMINAL, "liveness": Liveness.RUNNING},
        "O1": {
            "liveness": Liveness.CAN_START,
            "liveness_because": "It waits in the queue and has not expired: the next free worker starts it.",
        },
        "O2": {"trail": Trail.FAILED, "effect": Effect.ONCE},
        "O3": {"past_window": True, "age": timedelta(hours=7)},
        "O4": {"overlap": True},
        "O5": {"later_success": True, "order_matters": True},
        "O6": {"trail": Trail.BLIND},
        "O7": {"revision_same": False},
        "O7 code": {"code_same": False},
        "O8": {"in_flight": 5},
        "O9": {"effect": Effect.UNCLASSIFIED},
        "W1": {"before": FAILED},
        "W2": {"workers_up": 0},
        "W3": {"skew": True},
        "W4": {"until_next": timedelta(minutes=2)},
        "W5": {"ambiguous": True},
        "W6": {"arrived_since": 3},
        "W7": {"effect": Effect.CUMULATIVE, "later_success": True},
    }
)


def passed() -> tuple[SafetyCheck, ...]:
    """Every check where nothing is in the way."""
    return safety_checks(FREE)


def failed(name: str) -> SafetyCheck:
    """The check of that name where it does not pass."""
    if name in CLOSED_DOORS:
        given = replace(FREE, doors=replace(DOORS, **CLOSED_DOORS[name]))
    else:
        given = replace(FREE, **IN_THE_WAY[name])
    return next(check for check in safety_checks(given) if check.name == name)
