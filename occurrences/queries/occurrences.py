"""Occurrences as they are stored, with what the judge needs of their schedule, revision and source."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import NamedTuple
from uuid import UUID

from occurrences.contract.handoffs import Capabilities
from occurrences.contract.occurrences import Identity
from occurrences.models import Source
from occurrences.queries.arrays import array_cursor


class Row(NamedTuple):
    """One stored occurrence; `stored` is what the judge said last."""

    key: UUID
    source_id: int
    schedule_id: int
    schedule_key: str
    due_at: datetime
    dialect: str
    planned: bool
    expected_gap: bool
    policy_id: int | None
    policy_moved: bool
    flagged: bool
    priority: int
    watches_failed: bool
    queue: str | None
    expires_after: float | None
    verdict: str
    first_absent: int | None
    next_deadline: datetime | None
    next_role: str | None
    blind_from: datetime | None

    @property
    def stored(self) -> tuple[str, int | None, datetime | None, str | None, int | None, datetime | None]:
        """What the judge said last, in the order in which it is written."""
        return (
            self.verdict,
            self.first_absent,
            self.next_deadline,
            self.next_role,
            self.policy_id,
            self.blind_from,
        )


SQL = """
SELECT o.key, o.source_id, o.schedule_id, c.key, o.due_at, o.dialect, o.planned, o.expected_gap, o.policy_id,
       o.policy_moved, o.flagged_at IS NOT NULL, c.priority, c.watches_failed, r.target ->> 'queue',
       r.expires_after_seconds, o.verdict, o.first_absent, o.next_deadline, o.next_role, o.blind_from
  FROM occurrences_occurrence o
  JOIN occurrences_schedule c ON c.id = o.schedule_id
  LEFT JOIN occurrences_schedulerevision r ON r.id = o.revision_id
 WHERE o.key = ANY(%b)
 ORDER BY o.key
"""


def stored(keys: Collection[UUID]) -> list[Row]:
    """Those of the occurrences that exist, in key order."""
    with array_cursor() as cursor:
        cursor.execute(SQL, [list(keys)])
        return [Row(*row) for row in cursor.fetchall()]


@dataclass(frozen=True, slots=True, kw_only=True)
class Watched:
    """What holds for every occurrence of a source."""

    name: str
    capabilities: Capabilities
    give_up: timedelta

    def identity(self, row: Row) -> Identity:
        """The identity of one of its occurrences."""
        return Identity(source=self.name, schedule_key=row.schedule_key, due_at=row.due_at)


def watched(sources: Collection[int]) -> dict[int, Watched]:
    """The sources by their id."""
    return {
        row.pk: Watched(
            name=row.name,
            capabilities=Capabilities.from_mapping(row.capabilities),
            give_up=timedelta(seconds=row.give_up_seconds),
        )
        for row in Source.objects.filter(pk__in=sources)
    }
