"""The rows the product needs before its first request."""

from datetime import datetime, timedelta

from django.contrib.auth.models import Group, User
from django.db import transaction

from occurrences.contract.policies import DEFAULT_ALLOWANCES, Allowances
from occurrences.models import ClaimAgePolicy, Schedule, Source, Team
from occurrences.services import audit, people, sources
from occurrences.services.partitions import ensure_partitions

OWN_SOURCE = "celery:aglet"
LAB_SOURCE = "celery:lab"
LAB_TEAM, LAB_OWNER = "Lab", "lab-owner"
LAB_SCHEDULES = ("status-mail", "invoice-rollup", "search-reindex", "nightly-backup")
LAB_ALLOWANCES = {
    "tick": 3.0,
    "enqueue": 2.0,
    "ready": 2.0,
    "claim": 4.0,
    "start": 4.0,
    "run": 30.0,
    "fold": 900.0,
}


def prepare(*, by: str, now: datetime, lab: bool = False) -> None:
    """Make groups, the default policy, the console's own source and, if asked, the lab's.

    Safe to call at every start: it makes what is missing and changes nothing that is there.
    """
    ensure_partitions(now - timedelta(days=31), now + timedelta(days=62))
    with transaction.atomic():
        for role in people.ROLES:
            Group.objects.get_or_create(name=role)
        _policy(scope="all", target="", seconds=seconds_of(DEFAULT_ALLOWANCES), by=by, now=now)
        sources.register(name=OWN_SOURCE, by=by, now=now)
        if lab:
            sources.register(name=LAB_SOURCE, by=by, now=now)
            lab_seconds = seconds_of(DEFAULT_ALLOWANCES) | LAB_ALLOWANCES
            _policy(scope="source", target=LAB_SOURCE, seconds=lab_seconds, by=by, now=now)
            _lab_owner(now)


def _lab_owner(now: datetime) -> None:
    """Give the lab's schedules a team with an owner in it, so that somebody can decide from the first minute on."""
    team, made = Team.objects.get_or_create(name=LAB_TEAM)
    owner, new = User.objects.get_or_create(username=LAB_OWNER)
    if new:
        owner.set_unusable_password()
        owner.save()
        owner.groups.add(Group.objects.get(name="owner"))
    if made:
        team.members.add(owner)
    source = Source.objects.get(name=LAB_SOURCE)
    for key in LAB_SCHEDULES:
        Schedule.objects.get_or_create(
            source=source, key=key, defaults={"first_seen_at": now, "team": team, "effect_class": "keyed"}
        )


def seconds_of(allowances: Allowances) -> dict[str, float | None]:
    """The allowances as the columns of a policy row, in seconds."""
    names = ("tick", "enqueue", "ready", "claim", "start", "run", "readback", "fold")
    found: dict[str, float | None] = {n: getattr(allowances, n).total_seconds() for n in names}
    found["expires"] = allowances.expires.total_seconds() if allowances.expires else None
    return found


def _policy(*, scope: str, target: str, seconds: dict[str, float | None], by: str, now: datetime) -> None:
    _, made = ClaimAgePolicy.objects.get_or_create(
        scope=scope,
        target=target,
        version=1,
        defaults={
            **seconds,
            "effective_from": FIRST_VERSION_FROM,
            "author": by,
            "reason": "default",
            "created_at": now,
        },
    )
    if made:
        audit.write(by=by, act="policy made", subject=f"{scope} {target} version 1".strip(), now=now)


# The first version is in force at every due time there can be, so that none is without a policy.
FIRST_VERSION_FROM = datetime.fromisoformat("2000-01-01T00:00:00+00:00")


def own_source() -> Source:
    """The source of the console's own beat and worker."""
    return Source.objects.get(name=OWN_SOURCE)
