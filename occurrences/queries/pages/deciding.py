"""The Decide section: the checks as they stand, the two choices, and why one of them is closed."""

import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from django.conf import settings

from occurrences.contract.checks import Check, blocked_by, blocking
from occurrences.contract.decisions import Choice
from occurrences.contract.judging import Judgement
from occurrences.contract.permissions import Person, check_can_decide
from occurrences.models import Occurrence, Replay
from occurrences.queries.decisions import check_facts
from occurrences.queries.pages.rights import refusal
from occurrences.queries.pages.tones import ABSENT, BLIND, PRESENT

TONES = {True: PRESENT, False: ABSENT, None: BLIND}
WORDS = {True: "Pass", False: "Fail", None: "Cannot tell"}


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownCheck:
    """A check with its word and its tone."""

    check: Check
    words: str
    tone: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Option:
    """A choice; `refused` says why it cannot be made and is empty where it can."""

    choice: Choice
    words: str
    means: str
    refused: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Desk:
    """What the section shows. `forbidden` is the sentence for a person who may not decide here at all.

    `decision_key` makes the form count once. What the person saw goes with it: revision, moment and verdict.
    """

    checks: Sequence[ShownCheck]
    options: Sequence[Option]
    forbidden: str
    revision: int
    decision_key: uuid.UUID
    shown_at: datetime
    shown_verdict: str
    not_due: bool
    now: datetime

    @property
    def open(self) -> bool:
        """Whether at least one choice can be made."""
        return any(not option.refused for option in self.options)


def desk_of(row: Occurrence, said: Judgement, person: Person, *, shown: int | None, now: datetime) -> Desk:
    """The section for this person; `shown` is the revision of a form that came back, else None."""
    team = row.schedule.team
    forbidden = refusal(
        check_can_decide,
        person,
        team=team.name if team else None,
        operators_may_decide=row.schedule.operators_may_decide,
    )
    seen = row.evidence_revision if shown is None else shown
    facts = check_facts(row, said, settings.TARGETS, now=now, shown_revision=seen, forbidden=forbidden or None)
    checks = blocking(facts)
    return Desk(
        checks=[ShownCheck(check=c, words=WORDS[c.passed], tone=TONES[c.passed]) for c in checks],
        options=_options(row, checks, forbidden),
        forbidden=forbidden,
        revision=seen,
        decision_key=uuid.uuid4(),
        shown_at=now,
        shown_verdict=said.verdict.value,
        not_due=row.due_at > now,
        now=now,
    )


def _options(row: Occurrence, checks: Sequence[Check], forbidden: str) -> list[Option]:
    number = Replay.objects.filter(occurrence=row).count() + 1
    means = {
        Choice.REPLAY: f"Runs again as {row.identity}, recovery {number}.",
        Choice.SKIP: "This due time stays without a run. Should it start after all, the work item comes back.",
    }
    return [
        Option(
            choice=choice,
            words=choice.value.capitalize(),
            means=means[choice],
            refused=forbidden or " ".join(check.sentence for check in blocked_by(checks, choice)),
        )
        for choice in Choice
    ]
