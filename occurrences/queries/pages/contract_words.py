"""The handoff contract of a schedule in words: what each handoff may take, who is asked, and what is raised."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from types import MappingProxyType

from occurrences.contract.handoffs import Capabilities, Handoff, usual_owner
from occurrences.contract.policies import Allowances, Resolution, resolve
from occurrences.contract.times import span_text
from occurrences.contract.verdicts import Verdict
from occurrences.models import Schedule
from occurrences.queries.policies import policy_versions
from occurrences.queries.schedules import InForce

AFTER: Mapping[Handoff, str] = MappingProxyType(
    {
        Handoff.TICK: "of the due time",
        Handoff.ENQUEUE: "of the tick",
        Handoff.READY: "of the enqueue",
        Handoff.CLAIM: "of ready",
        Handoff.START: "of the claim",
        Handoff.TERMINAL: "of the start",
    }
)
RAISES: Mapping[Handoff, tuple[Verdict, ...]] = MappingProxyType(
    {
        Handoff.TICK: (Verdict.MISSING_TICK,),
        Handoff.ENQUEUE: (Verdict.MISSING_ENQUEUE,),
        Handoff.READY: (Verdict.MISSING_READY,),
        Handoff.CLAIM: (Verdict.DELAYED_CLAIM, Verdict.MISSING_CLAIM),
        Handoff.START: (Verdict.DELAYED_START, Verdict.LOST_AFTER_CLAIM),
        Handoff.TERMINAL: (Verdict.OVERRAN,),
    }
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One handoff of the contract."""

    handoff: str
    within: str
    owner: str
    raises: str


def policy_now(schedule: Schedule, ruling: InForce | None, now: datetime) -> Resolution:
    """The version that judges a due time of now, and the chain it was chosen from."""
    queue = ruling.revision.target.get("queue") if ruling is not None else None
    return resolve(policy_versions(), due_at=now, source=schedule.source.name, queue=queue, schedule=schedule.key)


def contract_in_words(schedule: Schedule, ruling: InForce | None, rule: str, allowances: Allowances) -> Sequence[Line]:
    """The eight handoffs in order."""
    shown = Capabilities.from_mapping(schedule.source.capabilities)
    steps = [_step(handoff, allowances, shown) for handoff in AFTER]
    due = Line(handoff=Handoff.DUE.label, within=rule or "not known yet", owner=usual_owner(Handoff.DUE), raises="")
    expiry = Line(
        handoff=Handoff.EXPIRATION.label,
        within=_expiry(ruling, allowances),
        owner=usual_owner(Handoff.EXPIRATION),
        raises=_quoted(Verdict.EXPIRED_UNCLAIMED, Verdict.RAN_AFTER_EXPIRY),
    )
    return [due, *steps[:-1], expiry, steps[-1]]


def _step(handoff: Handoff, allowances: Allowances, shown: Capabilities) -> Line:
    host = shown.merged_with(handoff)
    if not shown.reports(handoff):
        within = "not reported by this source"
    elif host is not None:
        within = f"seen with {host.label.lower()}"
    else:
        within = f"within {span_text(allowances.of(handoff))} {AFTER[handoff]}"
    raises = _quoted(*RAISES[handoff]) if shown.reports(handoff) and host is None else ""
    return Line(handoff=handoff.label, within=within, owner=usual_owner(handoff), raises=raises)


def _expiry(ruling: InForce | None, allowances: Allowances) -> str:
    own = ruling.revision.expires_after_seconds if ruling is not None else None
    if own is not None:
        return f"{own:g} s after the enqueue, by the schedule itself"
    if allowances.expires is not None:
        return f"{span_text(allowances.expires)} after the enqueue, by policy"
    return "never, unless the message says so"


def _quoted(*verdicts: Verdict) -> str:
    return " or ".join(f"“{verdict.words}”" for verdict in verdicts)
