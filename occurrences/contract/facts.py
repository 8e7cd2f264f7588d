"""What a question comes down to: the facts the rules speak about."""

from dataclasses import dataclass, replace
from datetime import datetime
from functools import cached_property

from .handoffs import STEPS, Handoff, Role, role_of
from .limits import Limit, Proof
from .paths import Path, Step, path_of
from .questions import Question
from .records import Record
from .runs import Delivery, Run, chosen, overlaps, runs_of, went_down
from .workers import WorkerRow, had_free_slot


@dataclass(frozen=True, kw_only=True)
class Facts:
    """One question, looked at once. Everything here is derived; nothing reads a clock.

    `begun` is where the path begins when that is not the due time: a replay's begins at its decision.
    """

    question: Question
    begun: datetime | None = None

    @cached_property
    def runs(self) -> tuple[Run, ...]:
        """The native runs of the original occurrence."""
        return runs_of(self.question.records)

    @cached_property
    def run(self) -> Run | None:
        """The run that is judged."""
        return chosen([run for run in self.runs if run.became_ready(self.question.capabilities)] or self.runs)

    @cached_property
    def path(self) -> Path:
        """The measured path of the judged run."""
        return path_of(self.question, self.run, begun=self.begun)

    def step(self, handoff: Handoff) -> Step:
        """Return one step of the path."""
        return self.path.steps[handoff]

    @property
    def due(self) -> datetime:
        """The due instant."""
        return self.question.identity.due_at

    @property
    def as_of(self) -> datetime:
        """The observing moment."""
        return self.question.as_of

    @property
    def future(self) -> bool:
        """Whether the due time is still ahead."""
        return self.due > self.as_of

    @cached_property
    def furthest(self) -> Handoff:
        """The highest step that is recorded, or implied by an expiration (which somebody had to hold)."""
        recorded = [step for step in STEPS if self.step(step).at is not None]
        if self.expiration_at is not None:
            recorded.append(Handoff.READY)
        return max(recorded, default=Handoff.DUE)

    @cached_property
    def open(self) -> Handoff | None:
        """The first handoff that has no record, nor a later one of the path; None when the path has ended."""
        ahead = [step for step in STEPS if step > self.furthest and self.step(step).reported]
        return ahead[0] if ahead else None

    @cached_property
    def owed(self) -> Handoff | None:
        """What an expiry ends the wait for: the claim, the start, or what one of their records also shows."""
        return next((step for step in STEPS if step > self.furthest and self._taken_with(step)), None)

    def _taken_with(self, handoff: Handoff) -> bool:
        step = self.step(handoff)
        return step.reported and not {handoff, step.host}.isdisjoint({Handoff.CLAIM, Handoff.START})

    @cached_property
    def started(self) -> datetime | None:
        """When the judged delivery began, as far as a record says so: its end implies its start."""
        start = self.step(Handoff.START)
        return start.at or self.step(Handoff.TERMINAL).at

    @cached_property
    def started_from(self) -> datetime | None:
        """The earliest moment at which it can have started: its start, else the claim of what ended."""
        start, delivery = self.step(Handoff.START), self.path.delivery
        if start.at is not None or delivery is None or delivery.terminal is None:
            return start.at
        moments = (self.step(Handoff.CLAIM).at, delivery.claim.event_time if delivery.claim is not None else None)
        return max((moment for moment in moments if moment is not None), default=None)

    @property
    def ended(self) -> str | None:
        """How the judged delivery ended, in the sender's word; None while no end is recorded."""
        terminal = self.step(Handoff.TERMINAL).record
        if terminal is None:
            return None
        return terminal.outcome or "ended without a result"

    @property
    def expiration_at(self) -> datetime | None:
        """When an expiration was recorded, else None."""
        record = self.run.expiration if self.run is not None else None
        return max(record.event_time, self.begun or self.due) if record is not None else None

    @cached_property
    def claimant_down(self) -> datetime | None:
        """When the claimant of a delivery without end went down; None when it is up or nothing is known."""
        delivery = self.path.delivery
        if delivery is None or delivery.terminal is not None:
            return None
        return self._down(delivery, self.run)

    @cached_property
    def lost_before(self) -> bool:
        """Whether an earlier delivery failed, or lost its claimant before the judged one began or ended."""
        if self.run is None:
            return False
        until = self.step(Handoff.TERMINAL).at or self.started or self.as_of
        for delivery in self.run.earlier:
            down = self._down(delivery, self.run)
            if delivery.terminal is not None or (down is not None and down <= until):
                return True
        return False

    @cached_property
    def ready_runs(self) -> tuple[Run, ...]:
        """The runs that could be taken."""
        return tuple(run for run in self.runs if run.became_ready(self.question.capabilities))

    @cached_property
    def overlaps(self) -> tuple[Limit, ...]:
        """For each pair of overlapping starts of one run: the second, as the limit of the end of the first.

        That no end lies between them is an absence like any other, and needs proof.
        """
        pairs = [pair for run in self.runs for pair in self._overlaps_of(run)]
        return tuple(
            replace(self._limit(at=second.event_time, role=Role.WORKERS, ahead=first.event_time), passed=True)
            for first, second in pairs
        )

    def _overlaps_of(self, run: Run) -> list[tuple[Record, Record]]:
        return overlaps(run, self.question.workers, not_before=self.taken_from(run))

    def _down(self, delivery: Delivery, run: Run | None) -> datetime | None:
        ahead = self.taken_from(run) if run is not None else self.due
        return went_down(delivery, self.question.workers, not_before=ahead)

    def taken_from(self, run: Run) -> datetime:
        """Return the moment before which no worker can have had `run`, whatever its clock says."""
        ahead = (self.step(Handoff.TICK).record, run.enqueue, run.ready)
        times = [record.event_time for record in ahead if record is not None and record.run in (None, run.ref)]
        return max([self.begun or self.due, *times])

    @property
    def overlapping(self) -> bool:
        """Whether one run was certainly started by two live owners with no end between."""
        return any(overlap.proven for overlap in self.overlaps)

    @cached_property
    def late(self) -> Handoff | None:
        """The first recorded step that came after its limit."""
        return next((step for step in STEPS if self.step(step).late_by is not None), None)

    @property
    def ran_after_expiry(self) -> bool:
        """Whether the judged delivery started after the message's expiry or after a recorded expiration."""
        began = self.started_from
        marks = [mark for mark in (self.path.expiry, self.expiration_at) if mark is not None]
        return began is not None and any(began > mark for mark in marks)

    @property
    def queue(self) -> str | None:
        """The queue the message lies in: its own word, else that of the schedule; None where neither is known."""
        made = (self.run.ready, self.run.enqueue) if self.run is not None else ()
        return next((record.queue for record in made if record is not None and record.queue), self.question.queue)

    @cached_property
    def free_worker(self) -> WorkerRow | None:
        """A worker that was up with a free slot from ready all the way to the claim limit."""
        claim = self.step(Handoff.CLAIM)
        if claim.limit is None:
            return None
        serving = (row for row in self.question.workers if row.serves(self.queue))
        rows = sorted(serving, key=lambda row: (row.worker, row.up_from))
        return next(
            (row for row in rows if had_free_slot(row, self.question.slots, start=claim.base, end=claim.limit)),
            None,
        )

    def limit_of(self, handoff: Handoff) -> Limit | None:
        """Return the limit of an outstanding step; a claim or start is past its limit at the expiry, too."""
        return self._limits.get(handoff)

    @cached_property
    def _limits(self) -> dict[Handoff, Limit]:
        found = {}
        for handoff, step in self.path.steps.items():
            if step.limit is None or step.at is not None:
                continue
            at = step.limit
            if self.path.expiry is not None and handoff in (Handoff.CLAIM, Handoff.START):
                at = min(at, self.path.expiry)
            role = role_of(handoff, self.question.capabilities)
            found[handoff] = self._limit(at=at, role=role, ahead=step.ahead)
        return found

    @cached_property
    def loss(self) -> Limit | None:
        """The moment a claimant went down, as the limit of what it still owed."""
        down = self.claimant_down
        if down is None or self.open is None or self._thrown_away_before(down):
            return None
        limit = self._limit(at=down, role=Role.WORKERS, ahead=self.step(self.open).ahead)
        # Nothing can come from a process that is gone: the moment itself is past it already.
        return replace(limit, passed=True)

    def _thrown_away_before(self, down: datetime) -> bool:
        # A worker that threw the message away holds nothing any more: its own end later loses nothing.
        return self.started is None and self.expiration_at is not None and self.expiration_at <= down

    @cached_property
    def expiry(self) -> Limit | None:
        """The expiry of a message that was not started and of which no expiration is recorded."""
        waiting = self.started is None and self.expiration_at is None
        if self.path.expiry is None or self.owed is None or not waiting:
            return None
        return self._limit(at=self.path.expiry, role=Role.WORKERS, ahead=self.step(self.owed).ahead)

    @cached_property
    def open_limits(self) -> tuple[Limit, ...]:
        """Every moment that can end the wait for the open handoff."""
        own = self.limit_of(self.open) if self.open is not None else None
        return tuple(limit for limit in (self.loss, self.expiry, own) if limit is not None)

    @property
    def open_absent(self) -> bool:
        """Whether the open handoff is past its own limit, or past the loss of its claimant, for certain."""
        own = self.limit_of(self.open) if self.open is not None else None
        return (own is not None and own.proven) or (self.loss is not None and self.loss.proven)

    @property
    def unknown(self) -> bool:
        """Whether nothing is proven of the open handoff although the time to wait for evidence is over."""
        limits = self.open_limits
        return not any(limit.proven for limit in limits) and any(limit.given_up for limit in limits)

    def covered_to(self, role: Role) -> datetime | None:
        """Return how far the evidence of `role` is complete; None where nothing ever was."""
        return self._proof.end(role)

    def _limit(self, *, at: datetime, role: Role, ahead: datetime) -> Limit:
        return self._proof.limit(at=at, role=role, ahead=ahead)

    @cached_property
    def _proof(self) -> Proof:
        return Proof(self.question)

    @cached_property
    def absent(self) -> tuple[Handoff, ...]:
        """Every handoff of the path that is certainly absent, lowest first."""
        found = {step for step in STEPS if step <= self.furthest and self._gap(step)}
        if self.open is not None and self.open_absent and not self.expired_on_record:
            found.add(self.open)
        if self.owed is not None and self._expired_unstarted:
            found.add(self.owed)
        if self._expiration_unrecorded:
            found.add(Handoff.EXPIRATION)
        return tuple(sorted(found))

    @property
    def expired_by_clock(self) -> bool:
        """Whether the message certainly ran out of time unstarted, although nobody recorded that."""
        return self.expiry is not None and self.expiry.proven

    @property
    def expired_on_record(self) -> bool:
        """Whether an expiration is recorded and the run never started."""
        return self.expiration_at is not None and self.started is None

    @property
    def _expired_unstarted(self) -> bool:
        return self.expired_on_record or self.expired_by_clock

    def _gap(self, handoff: Handoff) -> bool:
        limit = self.limit_of(handoff)
        return limit is not None and limit.proven and not self.step(handoff).follows

    @property
    def _expiration_unrecorded(self) -> bool:
        return self.unrecorded_expiration is not None and self.unrecorded_expiration.proven

    @cached_property
    def unrecorded_expiration(self) -> Limit | None:
        """The expiry after which the run started all the same, as the limit of the record of it; else None."""
        expiry = self.path.expiry
        if expiry is None or self.expiration_at is not None or not self.ran_after_expiry:
            return None
        if not self.question.capabilities.reports(Handoff.EXPIRATION):
            return None
        return self._limit(at=expiry, role=Role.WORKERS, ahead=self.step(Handoff.START).ahead)
