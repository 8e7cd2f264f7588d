"""Ask the judge again and write back only what changed."""

import logging
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.db import connection

from occurrences.contract.absences import STARTS_URGENT, opens_work_item
from occurrences.contract.handoffs import Role
from occurrences.contract.judging import Finding, find
from occurrences.contract.readbacks import ReplayState
from occurrences.contract.verdicts import Verdict
from occurrences.queries.arrays import array_cursor
from occurrences.queries.questions import Case, ask

log = logging.getLogger("aglet.judge")


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """A case and what the judge said of it."""

    case: Case
    judgement: Finding

    @property
    def wants_absence(self) -> bool:
        """Whether the occurrence itself should have an open absence."""
        j = self.judgement
        decided = bool(self.case.question.decisions)
        if j.verdict in (Verdict.UNKNOWN, Verdict.PENDING) and decided:
            return self.case.has_open_absence  # a replay under way answers nothing before it is read back
        if j.verdict is Verdict.UNKNOWN:
            return False  # one absence per source and gap stands for all of these
        if j.verdict is Verdict.RECOVERED and j.recoveries and j.recoveries[-1].state is not ReplayState.VERIFIED:
            # it succeeded, but not provably as the original, or not alone: only verified closes
            return self.case.has_open_absence or j.recoveries[-1].reading.over
        return opens_work_item(j.verdict, still_absent=j.still_absent, watch_failed=self.case.watches_failed)


SQL = """
UPDATE occurrences_occurrence o
   SET verdict = t.verdict, first_absent = t.first_absent, next_deadline = t.next_deadline,
       next_role = t.next_role, policy_id = t.policy_id, blind_from = t.blind_from,
       evidence_revision = o.evidence_revision + t.bump, changed_at = CASE WHEN t.bump > 0 THEN %b ELSE o.changed_at END
  FROM unnest(%b::uuid[], %b::text[], %b::int[], %b::timestamptz[], %b::text[], %b::bigint[], %b::timestamptz[],
              %b::int[])
    AS t(key, verdict, first_absent, next_deadline, next_role, policy_id, blind_from, bump)
 WHERE o.key = t.key
"""


def judge_again(
    *, keys: Collection[UUID], now: datetime, with_new_evidence: Collection[UUID] = (), arms: bool = True
) -> list[Judged]:
    """Judge the occurrences as of `now` and store what changed, in four steps and constant statements.

    The caller holds their row locks. `with_new_evidence` get a new evidence revision whatever the
    verdict. With `arms`, one whose absence is missing, or no longer asked for, is made due for the
    next sweep, which alone opens and closes absences.
    """
    judged = [j for case in ask(keys, as_of=now).values() if (j := _judged(case)) is not None]
    fresh = set(with_new_evidence)
    rows = [row for j in judged if (row := _row(j, fresh, now, arms)) is not None]
    if rows:
        with array_cursor() as cursor:
            cursor.execute(SQL, [now, *map(list, zip(*rows, strict=True))])
    return judged


def _judged(case: Case) -> Judged | None:
    try:
        return Judged(case=case, judgement=find(case.question))
    except Exception:  # one poisoned row must not stop the batch or the sweep that meets it
        log.exception("not judged: %s", case.question.identity)
        return None


def _row(judged: Judged, fresh: set[UUID], now: datetime, arms: bool) -> tuple[object, ...] | None:
    case, said = judged.case, judged.judgement
    deadline, role = said.next_deadline, said.next_role
    # What only the sweep acts on although no absence has to be opened or closed for it.
    newly = said.verdict in {Verdict.UNKNOWN, *STARTS_URGENT} and case.stored[0] != said.verdict.value
    if arms and (newly or judged.wants_absence != case.has_open_absence):
        deadline, role = now, Role.CLOCK
    absent = None if said.first_absent is None else int(said.first_absent)
    found = (
        said.verdict.value,
        absent,
        deadline,
        role.value if role else None,
        case.policy_id,
        said.blind_from or (said.unproven_from if said.verdict is not Verdict.UNKNOWN else None),
    )
    changed_verdict = (said.verdict.value, absent) != case.stored[:2]
    bump = 1 if case.key in fresh or changed_verdict else 0
    return None if found == case.stored and not bump else (case.key, *found, bump)


def arm(*, keys: Sequence[UUID], now: datetime) -> None:
    """Make the occurrences due for the next sweep."""
    with connection.cursor() as cursor:
        cursor.execute(
            "UPDATE occurrences_occurrence SET next_deadline = %s, next_role = 'clock' WHERE key = ANY(%s)",
            [now, list(keys)],
        )
