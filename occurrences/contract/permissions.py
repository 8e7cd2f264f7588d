"""Who may do what, and the sentence for those who may not: it names who can (roles of the console).

Reading is for everybody with a role. A member of the team that owns a schedule is its owner; on the schedules of
other teams an owner is an operator. An admin decides as an owner only, or where no owner exists.
"""

from dataclasses import dataclass

from .errors import ContractError

VIEWER, OPERATOR, OWNER, ADMIN = "viewer", "operator", "owner", "admin"
ROLES = frozenset({VIEWER, OPERATOR, OWNER, ADMIN})
TRIAGES = frozenset({OPERATOR, OWNER, ADMIN})
OPERATES = frozenset({OPERATOR, OWNER})


class Forbidden(ContractError):
    """A person may not do this; the sentence says who can."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Person:
    """Who asks: the name, the roles held and the names of the teams the person is a member of."""

    name: str
    roles: frozenset[str] = frozenset()
    teams: frozenset[str] = frozenset()


def owns(person: Person, team: str | None) -> bool:
    """Return whether the person is an owner of what `team` owns (None = nobody owns it)."""
    return team is not None and team in person.teams and bool(person.roles & TRIAGES)


def highest_role(person: Person) -> str:
    """Return the role that lets the person do most, `none` without one."""
    return next((role for role in (ADMIN, OWNER, OPERATOR, VIEWER) if role in person.roles), "none")


def check_can_read(person: Person) -> None:
    """Raise Forbidden unless the person may read the console: everybody with a role may."""
    if not person.roles & ROLES:
        raise Forbidden("Needs a role: an admin gives it.")


def check_can_triage(person: Person) -> None:
    """Raise Forbidden unless the person may work on work items."""
    if not person.roles & TRIAGES:
        raise Forbidden("Needs an operator, an owner or an admin.")


def check_can_note(person: Person) -> None:
    """Raise Forbidden unless the person may write into the timeline of a work item."""
    check_can_triage(person)


def check_can_assign(person: Person) -> None:
    """Raise Forbidden unless the person may give a work item an owner."""
    check_can_triage(person)


def check_can_set_priority(person: Person) -> None:
    """Raise Forbidden unless the person may change the priority of a work item."""
    check_can_triage(person)


def check_can_snooze(person: Person) -> None:
    """Raise Forbidden unless the person may let a work item wait."""
    check_can_triage(person)


def check_can_close(person: Person) -> None:
    """Raise Forbidden unless the person may close a work item."""
    check_can_triage(person)


def check_can_reopen(person: Person) -> None:
    """Raise Forbidden unless the person may reopen a work item."""
    check_can_triage(person)


def check_can_decide(
    person: Person, *, team: str | None, operators_may_decide: bool, needs_override: bool = False
) -> None:
    """Raise Forbidden unless the person may record replay or skip for an occurrence of the schedule.

    `team` owns the schedule (None = nobody). Operators decide where the schedule lets them and nothing needs an
    override; its owners always do, and an admin where it has no owner.
    """
    if owns(person, team) or (team is None and ADMIN in person.roles):
        return
    if operators_may_decide and not needs_override and person.roles & OPERATES:
        return
    who = f"the owner, team {team}" if team is not None else "an admin, because no team owns this schedule"
    if operators_may_decide and not needs_override:
        who = f"an operator or {who}"
    raise Forbidden(f"Needs {who}.")


def check_can_edit_schedule_team(person: Person) -> None:
    """Raise Forbidden unless the person may say which team owns a schedule."""
    _check_admin(person)


def check_can_edit_effect_class(person: Person, *, team: str | None) -> None:
    """Raise Forbidden unless the person may say what a second run of the schedule would do.

    The same right covers whether operators may decide. `team` owns the schedule (None = nobody).
    """
    if owns(person, team) or (team is None and ADMIN in person.roles):
        return
    if team is None:
        raise Forbidden("Needs an admin, because no team owns this schedule.")
    raise Forbidden(f"Needs the owner, team {team}.")


def check_can_publish_policy(person: Person) -> None:
    """Raise Forbidden unless the person may publish a version of a claim-age policy."""
    _check_admin(person)


def can_read(person: Person) -> bool:
    """Return whether `check_can_read` lets the person."""
    return bool(person.roles & ROLES)


def can_triage(person: Person) -> bool:
    """Return whether `check_can_triage` lets the person."""
    return bool(person.roles & TRIAGES)


can_note = can_assign = can_set_priority = can_snooze = can_close = can_reopen = can_triage


def can_decide(person: Person, *, team: str | None, operators_may_decide: bool, needs_override: bool = False) -> bool:
    """Return whether `check_can_decide` lets the person."""
    try:
        check_can_decide(person, team=team, operators_may_decide=operators_may_decide, needs_override=needs_override)
    except Forbidden:
        return False
    return True


def can_edit_schedule_team(person: Person) -> bool:
    """Return whether `check_can_edit_schedule_team` lets the person."""
    return ADMIN in person.roles


def can_edit_effect_class(person: Person, *, team: str | None) -> bool:
    """Return whether `check_can_edit_effect_class` lets the person."""
    return owns(person, team) or (team is None and ADMIN in person.roles)


def can_publish_policy(person: Person) -> bool:
    """Return whether `check_can_publish_policy` lets the person."""
    return ADMIN in person.roles


def _check_admin(person: Person) -> None:
    if ADMIN not in person.roles:
        raise Forbidden("Needs an admin.")
