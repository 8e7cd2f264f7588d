"""The border to what runs a replay: what a target must be able to do."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Protocol
from uuid import UUID

from occurrences.contract.occurrences import Identity


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """What is sent for one replay: the schedule's own task, under the identity of the original."""

    identity: Identity
    recovery_id: UUID
    recovery_number: int
    task: str
    queue: str
    args: tuple[Any, ...]
    kwargs: Mapping[str, Any]
    not_after: datetime


class TargetUnreachable(Exception):
    """The target did not answer; whether it took the message is not known."""


class ReplayTarget(Protocol):
    """Where replays of one source are sent."""

    def publish(self, message: Message) -> None:
        """Hand the message over. Raises TargetUnreachable when the outcome is not known."""

    def holds(self, recovery_id: UUID, queue: str) -> bool:
        """Whether the message waits in the queue or with a worker that has not finished it."""
