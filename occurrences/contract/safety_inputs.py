"""What a decision is weighed on: the inputs I1 to I12 of the safety contract, in one value.

Services gather them in the decision's own transaction, and pages for the form with the same code. What was not
gathered stays None: unknown is never a pass. To be gathered:

- `doors`: identity, target, source, permission, freeze, live recovery and success, as the blocking checks read them;
- I1 `trail` and I2 `liveness` from the judgement (`trails.trail_of`, `liveness.liveness_of`);
- I3 `effect`, the class the schedule's owner set;
- I4 `before`: the three due times before, newest first, and whether a later one succeeded (`later_success`);
- I5 `workers_up` on the queue now, and `queue_age`, how long its oldest message waits, against `claim_allowance`;
- I6 `age` against the replay window of the schedule (`past_window`);
- I7 `overlap`: another run of the schedule is going, or would be, and its policy forbids two at once;
- I9 `schedule_enabled`, `revision_same` (rule, task and arguments as at the due time), `code_same`;
- I10 `order_matters`: this due time must run before later ones;
- I11 `in_flight` recoveries of the queue against its `cap`;
- I12 `skew`, `conflicting` records, `ambiguous` local time, `provable` coverage, `arrived_since` the item was opened.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta

from .checks import CheckFacts
from .effects import Effect
from .liveness import Liveness
from .trails import Trail


@dataclass(frozen=True, slots=True, kw_only=True)
class Neighbour:
    """Another due time of the same schedule. `failed` is None where its end is not known."""

    due_at: datetime
    verdict: str
    failed: bool | None


@dataclass(frozen=True, slots=True, kw_only=True)
class SafetyInputs:
    """All that the safety contract looks at; None is always *not known* (see the module for who gathers what).

    `liveness_because` is the sentence of the liveness. `replay_window` and `usual_run` (p95 of the run time) are
    figures for sentences and for W4; `until_next` is the time to the next due time, `timedelta.max` without one.
    `can_revoke` says that the target can take the original back. `arrived_since` counts records.
    """

    doors: CheckFacts
    trail: Trail
    liveness: Liveness
    liveness_because: str
    effect: Effect
    before: tuple[Neighbour, ...] | None = None
    later_success: bool | None = None
    workers_up: int | None = None
    queue_age: timedelta | None = None
    claim_allowance: timedelta | None = None
    age: timedelta | None = None
    replay_window: timedelta | None = None
    past_window: bool | None = None
    overlap: bool | None = None
    schedule_enabled: bool | None = None
    revision_same: bool | None = None
    code_same: bool | None = None
    order_matters: bool | None = None
    in_flight: int | None = None
    cap: int | None = None
    skew: bool | None = None
    conflicting: bool | None = None
    ambiguous: bool | None = None
    provable: bool | None = None
    until_next: timedelta | None = None
    usual_run: timedelta | None = None
    arrived_since: int | None = None
    can_revoke: bool | None = None

    @property
    def succeeded(self) -> bool:
        """Whether the work of this due time is done, by the original or by a verified recovery."""
        return self.trail is Trail.SUCCEEDED or self.doors.succeeded_at is not None

    @property
    def recovering(self) -> bool:
        """Whether another recovery of this due time is under way (I8)."""
        return self.doors.live_recovery is not None
