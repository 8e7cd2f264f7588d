"""One piece of evidence, as the judge reads it."""

from dataclasses import dataclass
from datetime import datetime

from .handoffs import Handoff
from .occurrences import Identity


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """Evidence that one handoff happened, or of why it did not (handoff contract, section 4).

    `observed_at` is the producer's clock, `received_at` the database's; both are aware. `named` is the
    occurrence the sender named, if any. `reason` is the sender's own word for a failed handoff.
    """

    handoff: Handoff
    record_id: str
    outcome: str | None
    observed_at: datetime
    received_at: datetime
    run: str | None = None
    owner: str | None = None
    owner_role: str | None = None
    owner_pid: int | None = None
    owner_host: str | None = None
    delivery: int = 1
    recovery: int = 0
    recovery_id: str | None = None
    named: Identity | None = None
    eta: datetime | None = None
    expires_at: datetime | None = None
    queue: str | None = None
    reason: str | None = None

    @property
    def event_time(self) -> datetime:
        """The earlier of both clocks: nothing can be received before it happened."""
        return min(self.observed_at, self.received_at)

    @property
    def fills(self) -> bool:
        """Whether the record fills its handoff: up to the start only `ok` does, an end with any result."""
        return self.handoff >= Handoff.EXPIRATION or self.outcome in (None, "", "ok")
