"""Read back what the target's own evidence says of live replays, and end those that are at an end."""

import logging
from collections.abc import Sequence
from datetime import datetime

from django.db import transaction

from occurrences.contract.readbacks import ReplayReading, ReplayState
from occurrences.models import Occurrence, Readback, Replay
from occurrences.queries.replays import live_replays, readings
from occurrences.services.work_items.timeline import note_on_items

log = logging.getLogger("aglet.readback")
MOST = 500


def read_back(*, by: str, now: datetime) -> int:
    """Read every live replay back as of `now`; return how many came to an end.

    A replay that ended unverified is not looked at again: a person decides what follows. Each is a transaction of its
    own under the lock of its occurrence, like everything that judges.
    """
    ended = 0
    for replay in live_replays(MOST):
        try:
            ended += _read_one(replay, by, now)
        except Exception:  # one replay that cannot be read must not keep the others from it
            log.exception("%s was not read back", replay.recovery_id)
    return ended


@transaction.atomic
def _read_one(replay: Replay, by: str, now: datetime) -> bool:
    held = Occurrence.objects.select_for_update(no_key=True, skip_locked=True).filter(key=replay.occurrence_id)
    if not held.values_list("key").first():
        return False
    live = Replay.objects.filter(recovery_id=replay.recovery_id, closed_at__isnull=True)
    found = readings(list(live), as_of=now)
    if not found:
        return False
    replay, reading = found[0]
    Readback.objects.bulk_create(_rows(replay, reading, now), ignore_conflicts=True)
    if not reading.over:
        return False
    replay.closed_at, replay.closed_as = max(now, replay.created_at), reading.state.value
    replay.save(update_fields=["closed_at", "closed_as"])
    kind = "recovered" if reading.state is ReplayState.VERIFIED else "recovery " + reading.state.value
    note_on_items(key=replay.occurrence_id, kind=kind, text=reading.sentence, by=by, now=now)
    return True


def _rows(replay: Replay, reading: ReplayReading, now: datetime) -> Sequence[Readback]:
    parts = (("RB1", reading.rb1), ("RB2", reading.rb2))
    found = {"state": reading.state.value, "sentence": reading.sentence, "mismatching": list(reading.mismatching)}
    return [
        Readback(replay=replay, part=part, read_at=now, result=result, found=found)
        for part, result in parts
        if result is not None
    ]
