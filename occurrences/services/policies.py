"""Claim-age policy: publish an immutable version, and move what is open to it where that is wished."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from django.contrib.auth.models import User
from django.db import IntegrityError, connection, transaction

from occurrences.contract.errors import ContractError, InvalidPolicy
from occurrences.contract.permissions import check_can_publish_policy
from occurrences.contract.policies import SCOPES
from occurrences.models import ClaimAgePolicy
from occurrences.queries.people import person_of
from occurrences.services import audit

SECONDS = ("tick", "enqueue", "ready", "claim", "start", "run", "readback", "fold")
LONGEST = 31_536_000  # a year


class BadPolicy(ContractError):
    """The version cannot be published; the text says why."""


class PublishedMeanwhile(ContractError):
    """Somebody else published a version of the same scope at the same moment."""


# What is still open: flagged and not answered, or with a deadline ahead and not decided; what a replay is under way for
# keeps the allowances it was sent with. Only where no more specific scope rules.
MOVE = """
UPDATE occurrences_occurrence
   SET policy_id = %(policy)s, policy_moved = true, next_deadline = %(now)s, next_role = 'clock'
 WHERE key IN (
    SELECT o.key FROM occurrences_occurrence o
      JOIN occurrences_source s ON s.id = o.source_id
      JOIN occurrences_schedule c ON c.id = o.schedule_id
      LEFT JOIN occurrences_schedulerevision r ON r.id = o.revision_id
      LEFT JOIN occurrences_claimagepolicy p ON p.id = o.policy_id
     WHERE o.due_at <= %(now)s
       AND NOT EXISTS (SELECT 1 FROM occurrences_replay y WHERE y.occurrence_id = o.key AND y.closed_at IS NULL)
       AND ((o.next_deadline IS NOT NULL AND o.verdict NOT IN ('skipped', 'recovered'))
            OR EXISTS (SELECT 1 FROM occurrences_absence a WHERE a.occurrence_id = o.key AND a.closed_at IS NULL))
       AND CASE %(scope)s WHEN 'all' THEN true WHEN 'source' THEN s.name = %(target)s
                          WHEN 'queue' THEN r.target ->> 'queue' = %(target)s
                          ELSE s.name || '/' || c.key = %(target)s END
       AND coalesce(array_position(%(scopes)s, p.scope::text), 1) <= array_position(%(scopes)s, %(scope)s)
     ORDER BY o.key FOR NO KEY UPDATE OF o)
RETURNING key
"""
NOTE = """
INSERT INTO occurrences_workitementry (work_item_id, at, by, kind, text, occurrence_id)
SELECT DISTINCT a.work_item_id, %s::timestamptz, %s, 'policy changed', %s, NULL::uuid
  FROM occurrences_absence a JOIN occurrences_workitem w ON w.id = a.work_item_id
 WHERE a.occurrence_id = ANY(%s) AND a.closed_at IS NULL AND w.closed_at IS NULL
"""


@transaction.atomic
def publish(
    *,
    scope: str,
    target: str,
    seconds: Mapping[str, float | None],
    effective_from: datetime,
    reason: str,
    rejudge: bool,
    by: User,
    now: datetime,
) -> ClaimAgePolicy:
    """Publish the next version of a scope; `seconds` names every allowance, `expires` may be None for never.

    With `rejudge` the occurrences that are still open are moved to it and judged by the next sweep; closed ones
    never change. Raises Forbidden, BadPolicy and PublishedMeanwhile.
    """
    check_can_publish_policy(person_of(by))
    _check(scope, target, seconds, reason)
    number = ClaimAgePolicy.objects.filter(scope=scope, target=target).count() + 1
    try:
        with transaction.atomic():
            version = ClaimAgePolicy.objects.create(
                scope=scope,
                target=target,
                version=number,
                effective_from=effective_from,
                author=by.username,
                reason=reason.strip(),
                created_at=now,
                **seconds,
            )
    except IntegrityError as error:
        raise PublishedMeanwhile("somebody else published a version at the same moment; look again") from error
    moved = _move(version, by, now) if rejudge else 0
    audit.write(
        by=by,
        act="policy published",
        subject=f"{scope} {target}".strip(),
        now=now,
        before=_seconds_of(scope, target, number - 1),
        after=dict(seconds),
        detail={"version": number, "reason": reason, "rejudged": moved},
    )
    return version


def _seconds_of(scope: str, target: str, version: int) -> dict[str, float | None] | None:
    """What the version before said; None where this is the first of its scope."""
    row = ClaimAgePolicy.objects.filter(scope=scope, target=target, version=version).first()
    if row is None:
        return None
    found: dict[str, float | None] = {name: getattr(row, name) for name in (*SECONDS, "expires")}
    return found


def _check(scope: str, target: str, seconds: Mapping[str, float | None], reason: str) -> None:
    if scope not in SCOPES:
        raise InvalidPolicy(f"{scope!r} is none of {', '.join(SCOPES)}")
    if (scope == "all") is not (target == ""):
        raise BadPolicy("the scope all has no target, every other scope has one")
    if not reason.strip():
        raise BadPolicy("a version needs a reason")
    for name in SECONDS:
        value = seconds.get(name)
        if value is None or not 0 <= value <= LONGEST:
            raise BadPolicy(f"the allowance {name} lies between 0 and {LONGEST} seconds")
    expires = seconds.get("expires")
    if expires is not None and not 0 < expires <= LONGEST:
        raise BadPolicy(f"expires lies between 1 and {LONGEST} seconds, or is empty for never")


def _move(version: ClaimAgePolicy, by: User, now: datetime) -> int:
    values: dict[str, Any] = {
        "policy": version.pk,
        "now": now,
        "scope": version.scope,
        "target": version.target,
        "scopes": list(SCOPES),
    }
    with connection.cursor() as cursor:
        cursor.execute(MOVE, values)
        keys = [row[0] for row in cursor.fetchall()]
        cursor.execute(NOTE, [now, by.username, f"judged again under {version}", keys])
    return len(keys)
