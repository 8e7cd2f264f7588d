"""Take unsent replays out of the outbox and hand each to its target, once.

Crash points and what the next round does: before `tried_at` is stored nothing was sent, so it is sent; between
`tried_at` and `published_at` the outcome is unknown, so the message is looked for in the queue, with the workers
and in the records, and sent again only when the workers' evidence is complete past that look; after `published_at`
nothing is sent any more. A lock that dies with its process keeps a second dispatcher out meanwhile.
"""

import logging
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime
from uuid import UUID

from django.db import connection

from occurrences.adapters.base import Message, ReplayTarget, TargetRefused, TargetUnreachable
from occurrences.adapters.registry import target_of
from occurrences.contract.handoffs import Role
from occurrences.models import HandoffRecord, Replay
from occurrences.queries.clock import database_now
from occurrences.queries.coverage import coverages
from occurrences.services.replays.refusing import refuse_if_pointless, refused_by_target

log = logging.getLogger("aglet.dispatch")
LOCK = 7_017_004
MOST = 100


def dispatch(*, targets: Mapping[str, str], by: str, now: datetime) -> int:
    """Send what is unsent, oldest first; return how many messages were handed over in this round."""
    unsent = Replay.objects.filter(published_at=None, closed_at=None).order_by("created_at")
    ids = list(unsent.values_list("recovery_id", flat=True)[:MOST])
    return sum(_send_guarded(recovery_id, targets, by) for recovery_id in ids)


def _send_guarded(recovery_id: UUID, targets: Mapping[str, str], by: str) -> bool:
    try:
        return _send_one(recovery_id, targets, by)
    except Exception:  # one replay that cannot be sent must not keep the others
        log.exception("%s was not sent", recovery_id)
        return False


def _send_one(recovery_id: UUID, targets: Mapping[str, str], by: str) -> bool:
    with _alone(recovery_id) as alone:
        if not alone:
            return False
        replay = (
            Replay.objects.select_related("occurrence__source", "occurrence__schedule")
            .filter(recovery_id=recovery_id, published_at=None, closed_at=None)
            .first()
        )
        if replay is None:
            return False
        target = target_of(replay.occurrence.source.name, targets)
        if target is None:
            log.warning("no target for %s", replay.occurrence.identity)
            return False
        try:
            return _hand_over(replay, target)
        except TargetRefused as error:
            log.warning("%s by %s: the target refused it", recovery_id, by)
            refused_by_target(replay=replay, why=str(error), now=database_now())
            return False
        except TargetUnreachable as error:
            # the type alone: the text of a client's error names hosts and sockets
            log.warning("%s by %s: the target did not answer: %s", recovery_id, by, type(error.__cause__).__name__)
            return False


def _hand_over(replay: Replay, target: ReplayTarget) -> bool:
    if replay.tried_at is not None and not _was_never_sent(replay, target):
        return False
    if refuse_if_pointless(replay=replay, now=database_now()):
        return False
    if database_now() > replay.not_after:
        return False  # too late to be useful; the readback time ends it
    _set(replay, tried_at=database_now(), probed_at=None)
    target.publish(_message(replay))
    _set(replay, published_at=database_now())
    return True


def _was_never_sent(replay: Replay, target: ReplayTarget) -> bool:
    """Whether an earlier try surely sent nothing. Where the message is found it counts as published."""
    # Read first: what is complete now covers the records that are read after it, never the other way round.
    complete = _workers_evidence_is_complete(replay)
    known = HandoffRecord.objects.filter(
        occurrence_id=replay.occurrence_id, recovery_id=replay.recovery_id, handoff__gte=3
    )
    if known.exists() or target.holds(replay.recovery_id, _queue(replay)):
        _set(replay, published_at=database_now())
        return False
    if replay.probed_at is None:
        _set(replay, probed_at=database_now())
        return False
    return complete


def _workers_evidence_is_complete(replay: Replay) -> bool:
    """Whether all that workers wrote from the try to the look is here: a run may have begun and ended before the look.

    With a hole in between, or from a source that cannot prove it, nobody can tell, and nothing is sent again.
    """
    if replay.tried_at is None or replay.probed_at is None:
        return False
    source = replay.occurrence.source_id
    proven = coverages([source], replay.tried_at)[source].at(database_now())
    return proven.provable and proven.unbroken(Role.WORKERS, replay.tried_at, replay.probed_at)


def _message(replay: Replay) -> Message:
    target = replay.target
    return Message(
        identity=replay.occurrence.identity,
        recovery_id=replay.recovery_id,
        recovery_number=replay.recovery_number,
        task=target["task"],
        queue=_queue(replay),
        args=tuple(target.get("args") or ()),
        kwargs=target.get("kwargs") or {},
        not_after=replay.not_after,
    )


def _queue(replay: Replay) -> str:
    return str(replay.target.get("queue") or "celery")


def _set(replay: Replay, **times: datetime | None) -> None:
    for name, value in times.items():
        setattr(replay, name, value)
    replay.save(update_fields=list(times))


@contextmanager
def _alone(recovery_id: UUID) -> Iterator[bool]:
    """Hold the session's lock on this replay; False when another dispatcher has it. It ends with its process."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_try_advisory_lock(%s, hashtext(%s))", [LOCK, str(recovery_id)])
        held = bool(cursor.fetchone()[0])
    try:
        yield held
    finally:
        if held:
            with connection.cursor() as cursor:
                cursor.execute("SELECT pg_advisory_unlock(%s, hashtext(%s))", [LOCK, str(recovery_id)])
