"""The border to what runs a replay: what a target must be able to do, and what it says of itself.

Recovery contract, sections 4.8 and 4.9. A target says how a second send of one recovery id ends: it `dedupes` (starts
nothing more), can be `probe`d (asked whether it has the message), or `none`: then an uncertain send is a person's.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from enum import StrEnum
from typing import Any, Protocol
from uuid import UUID
from zoneinfo import ZoneInfo

from occurrences.contract.occurrences import Identity


class Repeats(StrEnum):
    """What becomes of a second send under one recovery id."""

    DEDUPES = "dedupes"
    PROBE = "probe"
    NONE = "none"


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """What is sent for one replay: the schedule's own task, under the identity of the original.

    `zone` is the time zone of the schedule's rule, `original_run` the run id of the original where one is known.
    """

    identity: Identity
    recovery_id: UUID
    recovery_number: int
    task: str
    queue: str
    args: tuple[Any, ...] = field(repr=False)  # withheld: what is printed ends in logs
    kwargs: Mapping[str, Any] = field(repr=False)
    not_after: datetime
    zone: str = "UTC"
    original_run: str | None = None

    @property
    def due_at(self) -> str:
        """The due instant in UTC: `2026-10-25T01:30:00Z`."""
        return f"{self.identity.due_at:%Y-%m-%dT%H:%M:%SZ}"

    @property
    def due_local(self) -> str:
        """The due instant on the clock of its zone, with offset: `2026-10-25T02:30:00+01:00`."""
        return self.identity.due_at.astimezone(ZoneInfo(self.zone)).isoformat()


class TargetUnreachable(Exception):
    """The target did not answer; whether it took the message is not known."""


class TargetRefused(Exception):
    """Certainly nothing was accepted, and the same message would be refused again. The text says why."""


class ReplayTarget(Protocol):
    """Where replays of one source are sent."""

    @property
    def repeats(self) -> Repeats:
        """How a second send of one recovery id ends."""

    @property
    def can_revoke(self) -> bool:
        """Whether an original that waits can be taken back."""

    def publish(self, message: Message) -> None:
        """Hand the message over. Raises TargetUnreachable (the outcome is unknown) or TargetRefused (surely not)."""

    def holds(self, recovery_id: UUID, queue: str) -> bool:
        """Whether the message waits in the queue or with a worker that has not finished it.

        False proves nothing unless the target's `repeats` is `probe`. Raises TargetUnreachable.
        """

    def revoke(self, run: str, queue: str) -> bool:
        """Take back the original that waits as `run`; whether a read afterwards shows it gone.

        Raises TargetUnreachable; a target that cannot revoke returns False.
        """

    def original_waits(self, run: str, queue: str) -> bool | None:
        """Whether the original still waits as `run`, in the queue or with a worker; None where nobody can tell."""

    def by_hand(self, message: Message) -> str | None:
        """The command a person runs, for a target that sends nothing itself; else None."""


def refuse_if_late(message: Message) -> None:
    """Raise TargetRefused when the not-after time of a message has passed."""
    if datetime.now(UTC) > message.not_after:
        raise TargetRefused("its not-after time has passed")
