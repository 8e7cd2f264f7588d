"""One schedule: what comes, what came, its contract, and who owns it."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from occurrences.contract.permissions import Person, check_can_edit_effect_class, check_can_edit_schedule_team
from occurrences.contract.policies import Resolution
from occurrences.models import Schedule, Team
from occurrences.models.schedules import EFFECT_CLASSES
from occurrences.queries.pages.coming import (
    Coming,
    PauseRow,
    RuleChange,
    coming_of,
    pause_rows,
    pauses_of,
    rule_changes,
)
from occurrences.queries.pages.contract_words import Line, contract_in_words, policy_now
from occurrences.queries.pages.dialects import Compared, compared
from occurrences.queries.pages.rights import NOBODY, refusal
from occurrences.queries.pages.schedules import ScheduleRow, schedule_rows
from occurrences.queries.schedules import at, in_force

MEANINGS = {
    "keyed": "the target ignores a second run of the same due time",
    "repeatable": "a second run gives the same result again",
    "cumulative": "a later success covers this due time too",
    "once": "it acts outside, and nothing notices a second run",
    "unclassified": "nobody has said yet",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class SchedulePage:
    """Everything the page shows. The two sentences are for a person who may not use the form beside them."""

    row: ScheduleRow
    target: str
    queue: str
    dialect: str
    coming: Sequence[Coming]
    rule_changes: Sequence[RuleChange]
    pauses: Sequence[PauseRow]
    compared: Compared | None
    lines: Sequence[Line]
    policy: Resolution
    teams: Sequence[str]
    effect_classes: Sequence[tuple[str, str]]
    team_refused: str
    recovery_refused: str
    now: datetime

    @property
    def schedule(self) -> Schedule:
        """The row itself."""
        return self.row.schedule


def find_schedule(source: str, key: str) -> Schedule | None:
    """The schedule of that source and key."""
    return Schedule.objects.select_related("source", "team").filter(source__name=source, key=key).first()


def schedule_page(schedule: Schedule, *, now: datetime, person: Person = NOBODY) -> SchedulePage:
    """The page as of `now` for this person."""
    revisions = in_force([schedule.pk]).get(schedule.pk, [])
    ruling = at(revisions, now)
    row = schedule_rows([schedule], now=now)[0]
    policy = policy_now(schedule, ruling, now)
    team = schedule.team.name if schedule.team else None
    target = ruling.revision.target if ruling is not None else {}
    pauses = pauses_of(schedule.source_id)
    return SchedulePage(
        row=row,
        target=target.get("task") or "",
        queue=target.get("queue") or "",
        dialect="" if ruling is None else ruling.revision.dialect,
        coming=coming_of(revisions, pauses, now),
        rule_changes=rule_changes(revisions, now),
        pauses=pause_rows(pauses, now),
        compared=compared(ruling, now),
        lines=contract_in_words(schedule, ruling, row.rule, policy.version.allowances),
        policy=policy,
        teams=list(Team.objects.order_by("name").values_list("name", flat=True)),
        effect_classes=[(name, MEANINGS[name]) for name in EFFECT_CLASSES],
        team_refused=refusal(check_can_edit_schedule_team, person),
        recovery_refused=refusal(check_can_edit_effect_class, person, team=team),
        now=now,
    )
