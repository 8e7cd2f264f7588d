"""When each handoff of one run came and by when it had to (case format, rules 1, 3 and 10)."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from occurrences.contract.handoffs import Capabilities, Capability, Handoff, Role

from .known import World
from .trails import Delivery, Trail

PATH = (Handoff.TICK, Handoff.ENQUEUE, Handoff.READY, Handoff.CLAIM, Handoff.START, Handoff.TERMINAL)
TAKING = {Handoff.CLAIM, Handoff.START}
NOTHING = timedelta(0)


@dataclass(frozen=True)
class Step:
    """One handoff: when it came (None = no record), its limit, and where that counts from.

    `limit` is for what is outstanding, and no later than the expiry; `allowed` is what the allowances alone say.
    `base` is the handoff ahead or, where that has no record, its limit; `ahead` the last recorded one.
    """

    handoff: Handoff
    at: datetime | None
    limit: datetime
    allowed: datetime
    base: datetime
    ahead: datetime
    role: Role
    reported: bool
    host: Handoff | None = None

    @property
    def late(self) -> bool:
        return self.reported and self.at is not None and self.at > self.allowed


@dataclass(frozen=True)
class Steps:
    """All handoffs of one run, its expiry by record or clock, and which of them a later record implies."""

    trail: Trail
    judged: Delivery | None
    by_handoff: dict[Handoff, Step]
    expiry: datetime | None
    expired_at: datetime | None
    implied_to: Handoff

    def step(self, handoff: Handoff) -> Step:
        return self.by_handoff[handoff]

    @property
    def open(self) -> Step | None:
        """The first reported handoff without a record of its own or a later one."""
        waiting = [s for s in self.by_handoff.values() if s.reported and s.at is None]
        return next((s for s in waiting if s.handoff > self.implied_to), None)

    @property
    def owed(self) -> Step | None:
        """What the expiry speaks of: the claim, or the start of what was claimed."""
        waiting = [s for s in self.by_handoff.values() if s.handoff > self.implied_to and s.reported]
        return next((s for s in waiting if not TAKING.isdisjoint({s.handoff, s.host})), None)

    @property
    def expired_on_record(self) -> bool:
        """Whether an expiration is recorded and nothing shows that the judged delivery started."""
        return self.expired_at is not None and self.implied_to < Handoff.START

    @property
    def not_before(self) -> datetime | None:
        """The moment before which it did not start: its start, else, where an end shows one, its claim."""
        started = self.step(Handoff.START).at
        if started is not None or self.judged is None or self.judged.end is None:
            return started
        own = self.judged.claim.event_time if self.judged.claim is not None else None
        return max((moment for moment in (own, self.step(Handoff.CLAIM).at) if moment is not None), default=None)


def steps_of(world: World, trail: Trail, begun: datetime, *, replay: bool = False) -> Steps:
    """Walk the path from `begun`: the due time, or the decision of a replay, which needs no tick."""
    walk = Walk(world, trail, begun, replay=replay)
    for handoff in PATH:
        walk.take(handoff)
    return Steps(
        trail=trail,
        judged=trail.judged,
        by_handoff=walk.taken,
        expiry=walk.expiry,
        expired_at=walk.expired_at,
        implied_to=walk.implied_to,
    )


def without_tick(capabilities: Capabilities) -> Capabilities:
    """A replay has no tick, nor anything that the record of one would stand for."""
    gone = {Handoff.TICK, *(h for h in PATH if capabilities.merged_with(h) is Handoff.TICK)}
    return Capabilities(
        states=dict(capabilities.states) | dict.fromkeys(gone, Capability.NONE),
        hosts={h: host for h, host in capabilities.hosts.items() if h not in gone},
    )


class Walk:
    """One walk along the path; `base` is the handoff ahead or its limit, `ahead` the last recorded one."""

    def __init__(self, world: World, trail: Trail, begun: datetime, *, replay: bool) -> None:
        self.world, self.trail, self.replay = world, trail, replay
        self.capabilities = without_tick(world.question.capabilities) if replay else world.question.capabilities
        self.base = self.ahead = self.floor = begun
        self.carried = NOTHING
        self.taken: dict[Handoff, Step] = {}
        self.expiry: datetime | None = None
        self.expired_at: datetime | None = None
        self.implied_to = self._implied_to()

    def take(self, handoff: Handoff) -> None:
        """Add the step of `handoff` and move on."""
        at = self._came(handoff)
        limit = self.base + self.carried + self._whole(handoff)
        own = min(limit, *self._outstanding_until(handoff, limit)) if handoff in TAKING else limit
        reported, host = self.capabilities.reports(handoff), self.capabilities.merged_with(handoff)
        self.taken[handoff] = Step(handoff, at, own, limit, self.base, self.ahead, self._role(handoff), reported, host)
        self._move(handoff, at, limit, reported=reported)
        if handoff is Handoff.ENQUEUE:
            self._set_expiry(at or limit)

    def _move(self, handoff: Handoff, at: datetime | None, limit: datetime, *, reported: bool) -> None:
        host = self.capabilities.merged_with(handoff)
        if host is not None and host > handoff:
            self.carried += self._allowance(handoff)  # one limit for both: it counts at the later one
            self.ahead = at or self.ahead
        elif at is not None:
            self.base, self.carried = at, NOTHING
            self.ahead = self.ahead if host is Handoff.ENQUEUE else at  # it may be taken before its scheduled time
            if handoff is Handoff.ENQUEUE and (eta := self.trail.first.get(handoff)) and eta.eta:
                self.base = max(at, eta.eta)
        elif not reported:
            self.carried += self._allowance(handoff)
        else:
            self.base, self.carried = limit, NOTHING

    def _allowance(self, handoff: Handoff) -> timedelta:
        host = self.capabilities.merged_with(handoff)
        if (host is not None and host < handoff) or (self.replay and handoff is Handoff.TICK):
            return NOTHING
        return self.world.question.allowances.of(handoff)

    def _whole(self, handoff: Handoff) -> timedelta:
        """The sum of the allowances up to the handoff whose record stands for this one."""
        last = max(self.capabilities.merged_with(handoff) or handoff, handoff)
        return sum((self._allowance(h) for h in PATH if handoff <= h <= last), NOTHING)

    def _came(self, handoff: Handoff) -> datetime | None:
        """When it came, never before the handoff ahead of it."""
        own = self._recorded(handoff)
        host = self.capabilities.merged_with(handoff)
        if own is None and host is not None:
            own = self._recorded(host)
        if own is None:
            return None
        self.floor = max(own, self.floor, self.base if host is Handoff.ENQUEUE else own)
        return self.floor

    def _recorded(self, handoff: Handoff) -> datetime | None:
        if handoff <= Handoff.READY:
            record = self.trail.first.get(handoff)
        elif handoff is Handoff.CLAIM:
            record = next((d.claim for d in self.trail.deliveries if d.claim), None)
            if record is None and self.capabilities.merged_with(handoff) is Handoff.START and self.trail.deliveries:
                record = self.trail.deliveries[0].start
        else:
            judged = self.trail.judged
            record = None if judged is None else judged.start if handoff is Handoff.START else judged.end
            self._count_from_own_claim(judged)
        return None if record is None else record.event_time

    def _count_from_own_claim(self, judged: Delivery | None) -> None:
        """Start and end of a later delivery count from its own claim, else from its start."""
        again = judged is not None and judged is not self.trail.deliveries[0]
        if again and judged.owner is not None and Handoff.START not in self.taken:
            self.floor = max(judged.owner.event_time, self.floor)
            self.base, self.ahead, self.carried = self.floor, self.floor, NOTHING

    def _outstanding_until(self, handoff: Handoff, limit: datetime) -> list[datetime]:
        """The expiry; a recorded one ends only what nothing later shows to have come."""
        recorded = self.expired_at if handoff > self.implied_to else None
        return [limit, *(e for e in (self.expiry, recorded) if e is not None)]

    def _set_expiry(self, enqueued: datetime) -> None:
        own = next((r.expires_at for r in self.trail.enqueues if r.expires_at is not None), None)
        question = self.world.question
        after = question.expires_after if question.expires_after is not None else question.allowances.expires
        if self.implied_to >= Handoff.ENQUEUE:
            if own is not None:
                self.expiry = own
            elif after is not None:
                self.expiry = enqueued + after
        moments = [e.event_time for e in self.trail.expirations]
        self.expired_at = max(min(moments), self.ahead) if moments else None

    def _implied_to(self) -> Handoff:
        """The highest handoff that a record shows; an expiration shows that it could be taken."""
        known = list(self.trail.first)
        known += [Handoff.READY] if self.trail.expirations else []
        for delivery in self.trail.deliveries:
            known += [Handoff.CLAIM] if delivery.claim else []
            known += [Handoff.READY] if delivery.ends and not delivery.end else []
        judged = self.trail.judged
        if judged is not None:
            known += [Handoff.START] if judged.starts else []
            known += [Handoff.TERMINAL] if judged.end else []
        known += [h for h in PATH if (host := self.capabilities.merged_with(h)) in known and host is not None]
        return max(known, default=Handoff.DUE)

    def _role(self, handoff: Handoff) -> Role:
        shown_by = self.capabilities.merged_with(handoff) or handoff
        return Role.SCHEDULER if shown_by <= Handoff.READY else Role.WORKERS
