"""Who owns a schedule, and what a second run of it would do."""

from datetime import datetime

from django.contrib.auth.models import User
from django.db import transaction

from occurrences.contract.errors import ContractError
from occurrences.contract.permissions import check_can_edit_effect_class, check_can_edit_schedule_team
from occurrences.models import Schedule, Team
from occurrences.models.schedules import EFFECT_CLASSES
from occurrences.queries.people import person_of
from occurrences.services import audit


class NoSuchTeam(ContractError):
    """There is no team of that name."""


class BadEffectClass(ContractError):
    """The effect class is none of those there are."""


@transaction.atomic
def set_team(*, schedule: int, team: str | None, by: User, now: datetime) -> Schedule:
    """Give the schedule to a team, or to nobody. Admins only. Raises Forbidden and NoSuchTeam."""
    check_can_edit_schedule_team(person_of(by))
    row = (
        Schedule.objects.select_for_update(no_key=True, of=("self",)).select_related("source", "team").get(pk=schedule)
    )
    owner = Team.objects.filter(name=team).first() if team else None
    if team and owner is None:
        raise NoSuchTeam(f"there is no team '{team}'")
    before = row.team.name if row.team else None
    row.team = owner
    row.save(update_fields=["team"])
    subject = f"{row.source.name}/{row.key}"
    audit.write(by=by, act="schedule owned", subject=subject, now=now, before={"team": before}, after={"team": team})
    return row


@transaction.atomic
def set_recovery(*, schedule: int, effect_class: str, operators_may_decide: bool, by: User, now: datetime) -> Schedule:
    """Say what a second run would do, and whether operators may decide; owners only.

    Raises Forbidden and BadEffectClass.
    """
    row = (
        Schedule.objects.select_for_update(no_key=True, of=("self",)).select_related("source", "team").get(pk=schedule)
    )
    check_can_edit_effect_class(person_of(by), team=row.team.name if row.team else None)
    if effect_class not in EFFECT_CLASSES:
        raise BadEffectClass(f"'{effect_class}' is none of {', '.join(EFFECT_CLASSES)}")
    before = _recovery(row)
    row.effect_class, row.operators_may_decide = effect_class, operators_may_decide
    row.save(update_fields=["effect_class", "operators_may_decide"])
    subject = f"{row.source.name}/{row.key}"
    audit.write(by=by, act="schedule classified", subject=subject, now=now, before=before, after=_recovery(row))
    return row


def _recovery(row: Schedule) -> dict[str, object]:
    return {"effect class": row.effect_class, "operators may decide": row.operators_may_decide}
