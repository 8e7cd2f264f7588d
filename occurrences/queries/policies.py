"""Claim-age policy versions as contract values."""

from datetime import timedelta

from occurrences.contract.policies import Allowances, PolicyVersion
from occurrences.models import ClaimAgePolicy


def policy_versions() -> list[PolicyVersion]:
    """All versions of all scopes; they are few, and the contract chooses."""
    return [_version(row) for row in ClaimAgePolicy.objects.all()]


def _version(row: ClaimAgePolicy) -> PolicyVersion:
    names = ("tick", "enqueue", "ready", "claim", "start", "run", "readback", "fold")
    seconds = {name: timedelta(seconds=getattr(row, name)) for name in names}
    expires = None if row.expires is None else timedelta(seconds=row.expires)
    return PolicyVersion(
        id=row.pk,
        version=row.version,
        scope=row.scope,
        target=row.target,
        allowances=Allowances(**seconds, expires=expires),
        effective_from=row.effective_from,
        author=row.author,
        reason=row.reason,
    )
