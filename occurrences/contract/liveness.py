"""Can the original still run? Input I2 of the safety contract (4.3), the part most systems skip.

Services gather the circumstances: what the scheduler makes up (`catch_ups.catch_up_of` from the revision's dialect,
its `catch_up` and a starting deadline where one is known), whether a later due time of the same schedule has a tick,
whether the adapter throws expired messages away at dequeue (Celery's workers do), a revoke that was acknowledged, one
read of the target's queue, the claimer's heartbeat at `as_of`, automatic retries left, and a redelivery that is
pending. What was not gathered stays None or unknown, and never makes the original dead.

Whatever the judged path says, `surroundings.surroundings_of` has the last word on a *cannot*: another run or delivery
may be open, a late tick or a start may hide in a gap, a stray run may be this one.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from types import MappingProxyType

from .catch_ups import CatchUp, MadeUp
from .handoffs import Handoff
from .judgements import Judgement, StationState
from .surroundings import Others, Surroundings
from .times import clock_text, span_text
from .trails import Trail, open_station, trail_of


class Liveness(StrEnum):
    """Whether the original can still run, from the safest answer to the riskiest."""

    CANNOT = "cannot"
    UNKNOWN = "unknown"
    CAN_START = "can-start"
    RUNNING = "running"

    @property
    def words(self) -> str:
        """The words on screen."""
        return WORDS[self]


WORDS: Mapping[Liveness, str] = MappingProxyType(
    {
        Liveness.CANNOT: "The original cannot run any more",
        Liveness.UNKNOWN: "Nobody can tell whether the original runs",
        Liveness.CAN_START: "The original can still start",
        Liveness.RUNNING: "The original is running",
    }
)


class QueueRead(StrEnum):
    """What one read of the target's queue showed of the original."""

    NOT_READ = "not-read"
    WAITING = "waiting"
    GONE = "gone"


class Claimer(StrEnum):
    """The worker that took the original, by its heartbeat."""

    FRESH = "fresh"
    LOST = "lost"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True, kw_only=True)
class LivenessFacts:
    """The circumstances of the original as of `as_of`; None is always *not known*.

    `run` is the longest a run may take. `later_due_ticked`: the scheduler has acted on a later due time of the same
    schedule, so that its cursor has passed this one. `provable`: the source can prove that its evidence is complete.
    `revoke_stops_started`: a revoke of this target ends a run that has begun, not only one that waits.
    """

    as_of: datetime
    run: timedelta
    catch_up: CatchUp
    later_due_ticked: bool | None = None
    enforces_expiry: bool | None = None
    revoke_acknowledged: bool = False
    queue_read: QueueRead = QueueRead.NOT_READ
    claimer: Claimer = Claimer.UNKNOWN
    retries_left: int | None = None
    redelivery_pending: bool | None = None
    provable: bool = False
    revoke_stops_started: bool | None = None
    surroundings: Surroundings | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class LivenessAnswer:
    """One of the four answers, and the sentence why."""

    liveness: Liveness
    sentence: str


def liveness_of(said: Judgement, around: LivenessFacts) -> LivenessAnswer:
    """Return whether the original can still run, from its judgement and the circumstances around it."""
    trail = trail_of(said)
    answer = BY_TRAIL[trail](said, around)
    return answer if trail is Trail.SUCCEEDED else _with_surroundings(said, around, trail, answer)


def _with_surroundings(said: Judgement, around: LivenessFacts, trail: Trail, answer: LivenessAnswer) -> LivenessAnswer:
    """Return the riskier of `answer` and what the surroundings say; without them nothing is called dead."""
    beside = BY_OTHERS.get(around.surroundings.others) if around.surroundings is not None else None
    if beside is not None and RISK[beside.liveness] > RISK[answer.liveness]:
        return beside
    if answer.liveness is Liveness.CANNOT and (why := _doubt(said, around, trail)) is not None:
        return _unknown(why)
    return answer


def _doubt(said: Judgement, around: LivenessFacts, trail: Trail) -> str | None:
    """Why the original may not be dead although its judged path is, in words; None where nothing speaks for it."""
    surroundings = around.surroundings
    if surroundings is None:
        return "Whether another run of it is open, or one hides in a gap, was not looked at."
    if trail is Trail.FAILED or said.stations[Handoff.EXPIRATION].at is not None:
        return None  # its end is on record: that rests on no absence
    if surroundings.gap:
        return "The evidence since the due time has a gap: a late tick or a start may hide there."
    if surroundings.stray and trail in NEVER_MADE:
        return "A run beside the schedule has a record in this period: it may be this one under another time."
    return None


def _cannot(sentence: str) -> LivenessAnswer:
    return LivenessAnswer(liveness=Liveness.CANNOT, sentence=sentence)


def _unknown(sentence: str) -> LivenessAnswer:
    return LivenessAnswer(liveness=Liveness.UNKNOWN, sentence=sentence)


def _can_start(sentence: str) -> LivenessAnswer:
    return LivenessAnswer(liveness=Liveness.CAN_START, sentence=sentence)


RISK: Mapping[Liveness, int] = MappingProxyType({liveness: n for n, liveness in enumerate(Liveness)})
NEVER_MADE = frozenset({Trail.MISSING_TICK, Trail.MISSING_ENQUEUE})
BY_OTHERS: Mapping[Others, LivenessAnswer] = MappingProxyType(
    {
        Others.UNHEARD: _unknown("Another delivery of it has no end, and its worker is not heard from."),
        Others.WAITING: _can_start("Another run of it has no end and may still start."),
        Others.RUNNING: LivenessAnswer(
            liveness=Liveness.RUNNING, sentence="Another run of it started, has no end, and its worker is alive."
        ),
    }
)


def _succeeded(said: Judgement, around: LivenessFacts) -> LivenessAnswer:
    return _cannot("It succeeded, which is on record.")


def _failed(said: Judgement, around: LivenessFacts) -> LivenessAnswer:
    if said.stations[Handoff.TERMINAL].note == "retrying" or (around.retries_left or 0) > 0:
        return _can_start("It failed and an automatic retry is left: it starts again by itself.")
    if around.redelivery_pending or around.queue_read is QueueRead.WAITING:
        return _can_start("It failed and its message is still in the queue: it may be handed out again.")
    if said.stations[Handoff.TERMINAL].note == "lost" and around.redelivery_pending is None:
        return _unknown("Its worker was lost, and whether its message is handed out again is not known.")
    if around.retries_left is None:
        return _unknown("It failed, and whether an automatic retry is left is not known.")
    return _cannot("It ended, which is on record, and no automatic retry is left.")


def _started(said: Judgement, around: LivenessFacts) -> LivenessAnswer:
    began = said.stations[Handoff.START].at
    overdue = began is None or around.as_of - began > around.run
    if around.claimer is Claimer.FRESH and not overdue:
        return LivenessAnswer(liveness=Liveness.RUNNING, sentence="It started, has no end, and its worker is alive.")
    if _revoked_and_gone(around) and around.revoke_stops_started:
        return _cannot("It was revoked, which was acknowledged, and the queue does not hold it any more.")
    if around.queue_read is QueueRead.WAITING:
        return _can_start("It started, and the queue still holds its message: it may be handed out again.")
    if around.claimer is Claimer.LOST and around.redelivery_pending:
        return _can_start("Its worker is lost and the broker will hand its message out again.")
    if around.claimer is Claimer.FRESH:
        return _unknown(f"It started more than {span_text(around.run)} ago and its worker is alive: ask that worker.")
    # a heartbeat that stopped is no proof of death: the run may go on where nobody sees it
    return _unknown("It started and has no end, and its worker is not heard from: it may still run unseen.")


def _claimed(said: Judgement, around: LivenessFacts) -> LivenessAnswer:
    if (over := _out_of_the_queue(said, around)) is not None:
        return over
    if around.claimer is Claimer.LOST and not around.redelivery_pending:
        return _unknown("Its worker is lost, and whether its message is handed out again is not known.")
    if around.claimer is Claimer.LOST:
        return _can_start("Its worker is lost and the broker will hand its message out again.")
    return _can_start("A worker holds it and may start it at any moment.")


def _unclaimed(said: Judgement, around: LivenessFacts) -> LivenessAnswer:
    if (over := _out_of_the_queue(said, around)) is not None:
        return over
    if around.queue_read is QueueRead.GONE:
        return _unknown("The queue was read and does not hold it, and no worker has shown it: somebody may have it.")
    return _can_start("It waits in the queue and has not expired: the next free worker starts it.")


def _not_ready(said: Judgement, around: LivenessFacts) -> LivenessAnswer:
    if (over := _out_of_the_queue(said, around)) is not None:
        return over
    if _awaited(said):
        return _can_start("It was enqueued and has time left to become ready.")
    return _unknown("It was enqueued and never seen ready: where it is now is not known.")


def _expired(said: Judgement, around: LivenessFacts) -> LivenessAnswer:
    if said.stations[Handoff.EXPIRATION].at is not None:
        return _cannot("It was thrown away after its expiry, which is on record.")
    if (over := _out_of_the_queue(said, around)) is not None:
        return over
    return _unknown("Its expiry is over by the clock, and whether anybody throws it away is not known.")


def _never_made(said: Judgement, around: LivenessFacts) -> LivenessAnswer:
    if around.queue_read is QueueRead.WAITING:
        return _can_start("The queue was read and holds it, whatever the records say.")
    if _awaited(said):
        return _can_start("Its scheduler has time left to act on it.")
    if not around.provable:
        return _unknown("This source cannot prove that nothing was enqueued: its evidence may be incomplete.")
    if (why := _given_up(said, around)) is not None:
        return _cannot(f"Nothing was enqueued, which is proven, and {why}.")
    ticked = said.stations[Handoff.TICK].at is not None
    if around.catch_up.made_up is MadeUp.UNKNOWN:
        return _unknown("Nothing was enqueued, and whether its scheduler makes up for it is not known.")
    if ticked:
        return _unknown("Its scheduler acted on it and enqueued nothing that was seen: it may try again.")
    until = around.catch_up.over_at(said.stations[Handoff.DUE].at or around.as_of)
    limit = "until a later due time is acted on" if until is None else f"until {_clock(said, until)}"
    return _can_start(f"Its scheduler may still fire it late, {limit}.")


def _blind(said: Judgement, around: LivenessFacts) -> LivenessAnswer:
    if around.queue_read is QueueRead.WAITING:
        return _can_start("The queue was read and holds it.")
    return _unknown("The evidence has a gap where it matters: it may have run, or run now, unseen.")


BY_TRAIL: Mapping[Trail, Callable[[Judgement, LivenessFacts], LivenessAnswer]] = MappingProxyType(
    {
        Trail.MISSING_TICK: _never_made,
        Trail.MISSING_ENQUEUE: _never_made,
        Trail.NOT_READY: _not_ready,
        Trail.DELAYED_CLAIM: _unclaimed,
        Trail.EXPIRED_UNCLAIMED: _expired,
        Trail.CLAIMED_NOT_STARTED: _claimed,
        Trail.STARTED_NO_TERMINAL: _started,
        Trail.FAILED: _failed,
        Trail.SUCCEEDED: _succeeded,
        Trail.BLIND: _blind,
    }
)


def _out_of_the_queue(said: Judgement, around: LivenessFacts) -> LivenessAnswer | None:
    """Return what holds for anything that lies in a queue or with a worker and has not begun; None = nothing yet."""
    expiry = said.stations[Handoff.EXPIRATION].expected_by
    if expiry is not None and around.as_of > expiry and around.enforces_expiry:
        return _cannot(f"It expired at {_clock(said, expiry)}, and its workers throw expired messages away.")
    if _revoked_and_gone(around):
        return _cannot("It was revoked, which was acknowledged, and the queue does not hold it any more.")
    if around.queue_read is QueueRead.WAITING:
        return _can_start("The queue was read and holds it: the next free worker starts it.")
    return None


def _revoked_and_gone(around: LivenessFacts) -> bool:
    return around.revoke_acknowledged and around.queue_read is QueueRead.GONE


def _given_up(said: Judgement, around: LivenessFacts) -> str | None:
    """Why the scheduler fires it no more, in words; None while it may."""
    if around.later_due_ticked:
        return "its scheduler has gone on to a later due time"
    over = around.catch_up.over_at(said.stations[Handoff.DUE].at or around.as_of)
    if over is None or around.as_of <= over:
        return None
    if around.catch_up.made_up is MadeUp.NONE:
        return "its scheduler makes up for nothing it missed"
    return f"the time in which its scheduler makes up for it ended at {_clock(said, over)}"


def _awaited(said: Judgement) -> bool:
    station = open_station(said)
    return station is not None and station.state is StationState.NOT_YET


def _clock(said: Judgement, moment: datetime) -> str:
    due = said.stations[Handoff.DUE].at
    return clock_text(moment, (due or moment).date())
