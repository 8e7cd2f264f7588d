"""The path of one run: each step with its moment and its limit."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

from .handoffs import STEPS, Handoff
from .questions import Question
from .records import Record
from .runs import Delivery, Run


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One step of the path: `at` is when it happened (None = no record), `limit` until when it had to.

    `ahead` is the last recorded handoff before it: from there on the evidence must be unbroken to prove an
    absence. `host` is the handoff whose record also stands for this one.
    """

    handoff: Handoff
    at: datetime | None
    limit: datetime | None
    base: datetime
    allowance: timedelta
    ahead: datetime
    record: Record | None
    host: Handoff | None
    reported: bool

    @property
    def follows(self) -> bool:
        """Whether an earlier handoff's record stands for it: then it has no limit of its own."""
        return self.host is not None and self.host < self.handoff

    @property
    def late_by(self) -> timedelta | None:
        """How much later than its limit it came; None when it did not come or came in time."""
        if self.at is None or self.limit is None or self.at <= self.limit or self.follows:
            return None
        return self.at - self.limit


@dataclass(frozen=True, slots=True, kw_only=True)
class Path:
    """The steps from tick to terminal, and the expiry of the message (None = it does not expire)."""

    steps: Mapping[Handoff, Step]
    expiry: datetime | None
    delivery: Delivery | None


def path_of(question: Question, run: Run | None, *, begun: datetime | None = None) -> Path:
    """Return the measured path of `run` (None = no run is known) from `begun` on (None = the due time).

    Handoff contract, sections 3 and 4: no handoff lies before the one ahead of it, a limit counts from the
    handoff ahead or, where that has no record, from its limit.
    """
    found = _found(question, run)
    delivery = run.judged if run is not None else None
    again = run is not None and delivery is not None and delivery is not run.deliveries[0]
    retaken = delivery.taken if again and delivery else None
    walk = _Walk(question=question, begun=begun or question.identity.due_at, found=found, retaken=retaken)
    steps = {step: walk.measure(step) for step in STEPS}
    return Path(steps=steps, expiry=_expiry(question, run, steps), delivery=delivery)


def _found(question: Question, run: Run | None) -> dict[Handoff, Record]:
    """Return what fills each step: the claim of the first delivery, start and end of the judged one."""
    ticks = [record for record in question.records if record.handoff is Handoff.TICK and record.fills]
    found: dict[Handoff, Record | None] = {
        Handoff.TICK: min(ticks, key=lambda record: (record.event_time, record.record_id), default=None)
    }
    if run is not None:
        found |= {Handoff.ENQUEUE: run.enqueue, Handoff.READY: run.ready}
        found[Handoff.CLAIM] = next((part.claim for part in run.deliveries if part.claim), None)
        if question.capabilities.merged_with(Handoff.CLAIM) is Handoff.START and run.deliveries:
            found[Handoff.CLAIM] = found[Handoff.CLAIM] or run.deliveries[0].start
        if (judged := run.judged) is not None:
            found |= {Handoff.START: judged.start, Handoff.TERMINAL: judged.terminal}
    return {handoff: record for handoff, record in found.items() if record is not None}


class _Walk:
    """Goes along the steps once and remembers what the next one needs."""

    def __init__(
        self, *, question: Question, begun: datetime, found: dict[Handoff, Record], retaken: Record | None
    ) -> None:
        self.question = question
        self.found = found
        self.retaken = retaken
        self.floor = begun
        self.base = self.floor
        self.ahead = self.floor
        self.carried = timedelta(0)
        self.shared: dict[Handoff, datetime] = {}
        self.done: dict[Handoff, Step] = {}

    def measure(self, step: Handoff) -> Step:
        """Return the step and move on past it."""
        self._redeliver(step)
        host = self.question.capabilities.merged_with(step)
        reported = self.question.capabilities.reports(step)
        record = self.found.get(step) or (self.found.get(host) if host is not None else None)
        allowance = self._allowance(step, host)
        limit = self._limit(step, host, allowance) if reported else None
        result = Step(
            handoff=step,
            at=self._moment(step, host, record),
            limit=limit,
            base=self.base,
            allowance=allowance,
            ahead=self.ahead,
            record=record,
            host=host,
            reported=reported,
        )
        self._pass(result)
        return result

    def _allowance(self, step: Handoff, host: Handoff | None) -> timedelta:
        allowances = self.question.allowances
        if host is not None and host < step:
            return timedelta(0)
        if host is None:
            return allowances.of(step) + self.carried
        return sum((allowances.of(part) for part in STEPS if step <= part <= host), start=self.carried)

    def _limit(self, step: Handoff, host: Handoff | None, allowance: timedelta) -> datetime | None:
        if host is not None and host < step:
            return self.done[host].limit
        limit = self.shared.get(host or step, self.base + allowance)
        if host is not None:
            self.shared[host] = limit
        return limit

    def _moment(self, step: Handoff, host: Handoff | None, record: Record | None) -> datetime | None:
        if record is None:
            return None
        moment = max(self.floor, record.event_time)
        if step is Handoff.READY and host is Handoff.ENQUEUE and record.eta is not None:
            return max(moment, record.eta)
        return moment

    def _pass(self, step: Step) -> None:
        self.done[step.handoff] = step
        if step.at is not None and step.record is not None:
            self.floor = self.base = step.at
            # A message with a later start can be taken early, so the watch begins at the record itself.
            self.ahead = min(step.at, max(self.ahead, step.record.event_time))
            self.carried = timedelta(0)
        elif not step.reported:
            self.carried += self.question.allowances.of(step.handoff)
        elif step.limit is not None and (step.host is None or step.host > step.handoff):
            self.base = step.limit
            self.carried = timedelta(0)
        if step.handoff is Handoff.ENQUEUE and step.record is not None and step.record.eta is not None:
            self.base = max(self.base, step.record.eta)

    def _redeliver(self, step: Handoff) -> None:
        """Start and end of a later delivery count from its own claim, else from its start."""
        if step is Handoff.START and self.retaken is not None:
            self.floor = self.base = self.ahead = max(self.floor, self.retaken.event_time)
            self.carried = timedelta(0)
            self.shared.clear()


def _expiry(question: Question, run: Run | None, steps: Mapping[Handoff, Step]) -> datetime | None:
    """Return when the message expires: by its own word, else counted from the enqueue."""
    enqueue = steps[Handoff.ENQUEUE]
    if run is None and enqueue.at is None:
        return None
    own = [record.expires_at for record in run.records if record.expires_at is not None] if run is not None else []
    if own:
        return min(own)
    span = question.expires_after if question.expires_after is not None else question.allowances.expires
    if span is None:
        return None
    # Without a record of its own, the latest moment at which it can have been enqueued takes its place.
    return (enqueue.at or enqueue.limit or enqueue.base + enqueue.allowance) + span
