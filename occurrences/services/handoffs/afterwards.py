"""Evidence of the original that comes after a decision: it is kept, and it is said where the decision was made."""

from collections import defaultdict
from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

from occurrences.models import WorkItemEntry
from occurrences.queries.arrays import array_cursor
from occurrences.services.handoffs.homes import Homes
from occurrences.services.handoffs.items import Filing

KIND = "late evidence"
# The newest work item of each occurrence that is decided. Nothing of a work item is locked or changed: evidence
# never waits for whoever has one open.
ITEMS = """
SELECT DISTINCT ON (d.occurrence_id) d.occurrence_id, a.work_item_id
  FROM occurrences_decision d JOIN occurrences_absence a ON a.occurrence_id = d.occurrence_id
 WHERE d.occurrence_id = ANY(%b) ORDER BY d.occurrence_id, a.work_item_id DESC
"""


def note_after_decision(*, homes: Homes, new: Sequence[Filing], by: str, now: datetime) -> None:
    """Write one line for each decided occurrence of which the batch brought records of the original."""
    told: dict[UUID, list[Filing]] = defaultdict(list)
    for filing in new:
        key = homes.home_of(filing.said.job_ref or "") or filing.key
        if filing.recovery is None and key is not None:
            told[key].append(filing)
    if not told:
        return
    with array_cursor() as cursor:
        cursor.execute(ITEMS, [list(told)])
        found = cursor.fetchall()
    WorkItemEntry.objects.bulk_create(
        WorkItemEntry(work_item_id=item, at=now, by=by, kind=KIND, text=_text(told[key]), occurrence_id=key)
        for key, item in found
    )


def _text(filings: Sequence[Filing]) -> str:
    handoffs = sorted({filing.said.handoff for filing in filings})
    words = ", ".join(handoff.label for handoff in handoffs)
    return f"Evidence of the original came after the decision: {words}. What was decided stands"
