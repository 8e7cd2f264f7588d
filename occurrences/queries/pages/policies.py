"""Claim-age policies: every scope with its versions, and what a new version starts from."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from occurrences.contract.permissions import Person, check_can_publish_policy
from occurrences.contract.policies import DEFAULT_ALLOWANCES, SCOPES, Allowances, PolicyVersion
from occurrences.contract.times import span_text
from occurrences.queries.pages.rights import refusal
from occurrences.queries.policies import policy_versions

NAMES = ("tick", "enqueue", "ready", "claim", "start", "run", "readback", "expires", "fold")
MEANINGS = {
    "tick": "from the due time to the scheduler's tick",
    "enqueue": "from the tick to the enqueue",
    "ready": "from the enqueue to ready",
    "claim": "the claim age: from ready to a worker's claim",
    "start": "from the claim to the start",
    "run": "from the start to the end",
    "readback": "from a replay's decision to its readback",
    "expires": "from the enqueue to expiry; empty is never",
    "fold": "how far apart due times may lie to share a work item",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """One version; `state` says whether it is in force, comes later or was superseded."""

    version: PolicyVersion
    allowances: Sequence[tuple[str, str]]
    state: str
    tone: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Scope:
    """One scope with its versions, newest first."""

    scope: str
    target: str
    versions: Sequence[Shown]


@dataclass(frozen=True, slots=True, kw_only=True)
class PoliciesPage:
    """The scopes, least specific first; `refused` is the sentence for a person who may not publish."""

    scopes: Sequence[Scope]
    refused: str


def policies_page(*, person: Person, now: datetime) -> PoliciesPage:
    """All versions of all scopes as of `now`, in one statement."""
    by_scope: dict[tuple[int, str], list[PolicyVersion]] = defaultdict(list)
    for version in policy_versions():
        by_scope[SCOPES.index(version.scope), version.target].append(version)
    scopes = [_scope(by_scope[key], now) for key in sorted(by_scope)]
    return PoliciesPage(scopes=scopes, refused=refusal(check_can_publish_policy, person))


def _scope(versions: list[PolicyVersion], now: datetime) -> Scope:
    ruling = _in_force(versions, now)
    newest_first = sorted(versions, key=lambda v: v.version, reverse=True)
    shown = [_shown(version, ruling, now) for version in newest_first]
    return Scope(scope=versions[0].scope, target=versions[0].target, versions=shown)


def _in_force(versions: Sequence[PolicyVersion], now: datetime) -> PolicyVersion | None:
    return max((v for v in versions if v.effective_from <= now), key=_age, default=None)


def _age(version: PolicyVersion) -> tuple[datetime, int]:
    return version.effective_from, version.version


def _shown(version: PolicyVersion, ruling: PolicyVersion | None, now: datetime) -> Shown:
    state, tone = ("In force", "present") if version is ruling else ("Superseded", "off")
    if version.effective_from > now:
        state, tone = "Comes later", "notyet"
    rows = [(name, _span(getattr(version.allowances, name))) for name in NAMES]
    return Shown(version=version, allowances=rows, state=state, tone=tone)


def _span(value: timedelta | None) -> str:
    return "never" if value is None else span_text(value)


def starting_point(scope: str, target: str, *, now: datetime) -> dict[str, float | None]:
    """The allowances in seconds that a new version starts from: those in force for its scope, else for all."""
    versions = policy_versions()
    ruling = _in_force([v for v in versions if (v.scope, v.target) == (scope, target)], now)
    ruling = ruling or _in_force([v for v in versions if v.scope == "all"], now)
    allowances: Allowances = ruling.allowances if ruling is not None else DEFAULT_ALLOWANCES
    values = {name: getattr(allowances, name) for name in NAMES}
    return {name: None if value is None else _plain(value.total_seconds()) for name, value in values.items()}


def _plain(seconds: float) -> float:
    return int(seconds) if seconds.is_integer() else seconds
