"""Pause what a source's schedules make due, and end the pause."""

from datetime import datetime

from django.db import connection, transaction

from occurrences.models import Pause, Source
from occurrences.services import audit

# The answer for these due times changes with the pause, so the next sweep has to look at them.
ARM_FROM = """
UPDATE occurrences_occurrence SET next_deadline = %s, next_role = 'clock'
 WHERE key IN (SELECT key FROM occurrences_occurrence
                WHERE source_id = %s AND due_at >= %s AND due_at <= %s ORDER BY key FOR NO KEY UPDATE)
"""


@transaction.atomic
def pause_source(*, source: str, reason: str, by: str, now: datetime) -> None:
    """Suppress the source's due times from `now` on; a pause already open stays as it is."""
    paused = Source.objects.select_for_update(no_key=True).get(name=source)
    if paused.pauses.filter(end__isnull=True).exists():
        return
    Pause.objects.create(source=paused, start=now, reason=reason, by=by)
    _arm(paused, now, now)
    audit.write(by=by, act="source paused", subject=source, now=now, detail={"reason": reason})


@transaction.atomic
def end_pause(*, source: Source, at: datetime, by: str, now: datetime) -> bool:
    """End the open pause at `at` (exclusive); False when none was open or it began later."""
    ended = Pause.objects.filter(source=source, end__isnull=True, start__lte=at).update(end=at)
    if not ended:
        return False
    _arm(source, at, now)
    audit.write(by=by, act="source resumed", subject=source.name, now=now)
    return True


def _arm(source: Source, since: datetime, now: datetime) -> None:
    # Due times still ahead are looked at when they come due anyway.
    with connection.cursor() as cursor:
        cursor.execute(ARM_FROM, [now, source.pk, since, now])
