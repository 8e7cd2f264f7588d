"""Proof that the evidence of a role is complete, and where the observer was blind."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from .handoffs import Role


@dataclass(frozen=True, slots=True, kw_only=True)
class Stretch:
    """The evidence of `role` is complete from `start` to `end`, both included.

    `known_at` is the moment this became known; None means that it grew with time and was never late.
    """

    start: datetime
    end: datetime
    role: Role
    known_at: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Coverage:
    """What is proven of a source, per role (handoff contract, section 5).

    Where coverage is not `provable`, everything counts as covered and every absence is only suspected.
    A role in `to_now` has closed all its spools: it is covered from the end of its last stretch on.
    """

    provable: bool
    stretches: tuple[Stretch, ...] = ()
    to_now: frozenset[Role] = frozenset()

    def at(self, as_of: datetime) -> "Coverage":
        """Return the coverage as it was known at `as_of`, joined, with nothing after it."""
        joined = tuple(
            stretch
            for role in (Role.SCHEDULER, Role.WORKERS)
            for stretch in self._extended(_joined(self._known(role, as_of), role), role, as_of)
        )
        return Coverage(provable=self.provable, stretches=joined, to_now=self.to_now)

    def covered_to(self, role: Role, as_of: datetime) -> datetime | None:
        """Return the end of what is proven of `role`, at most `as_of`; None where nothing ever was."""
        if role is Role.CLOCK or not self.provable:
            return as_of
        ends = [stretch.end for stretch in self.at(as_of).stretches if stretch.role is role]
        return max(ends, default=None)

    def unbroken(self, role: Role, start: datetime, end: datetime) -> bool:
        """Return whether one joined stretch of `role` holds both `start` and `end`."""
        if role is Role.CLOCK or not self.provable:
            return True
        own = _joined((stretch for stretch in self.stretches if stretch.role is role), role)
        return any(stretch.start <= start and end <= stretch.end for stretch in own)

    def blind_since(self, role: Role, at: datetime) -> datetime | None:
        """Return where the last covered stretch before `at` ended; None where nothing was covered before."""
        ends = [stretch.end for stretch in self.stretches if stretch.role is role and stretch.end < at]
        return max(ends, default=None)

    def _known(self, role: Role, as_of: datetime) -> list[Stretch]:
        return [
            Stretch(start=stretch.start, end=min(stretch.end, as_of), role=role, known_at=stretch.known_at)
            for stretch in self.stretches
            if stretch.role is role
            and stretch.start <= as_of
            and (stretch.known_at is None or stretch.known_at <= as_of)
        ]

    def _extended(self, stretches: list[Stretch], role: Role, as_of: datetime) -> list[Stretch]:
        if role not in self.to_now or not stretches:
            return stretches
        last = stretches[-1]
        return [*stretches[:-1], Stretch(start=last.start, end=max(last.end, as_of), role=role)]


COMPLETE = Coverage(provable=False)


def _joined(stretches: Iterable[Stretch], role: Role) -> list[Stretch]:
    joined: list[Stretch] = []
    for stretch in sorted(stretches, key=lambda item: (item.start, item.end)):
        if joined and stretch.start <= joined[-1].end:
            last = joined.pop()
            joined.append(Stretch(start=last.start, end=max(last.end, stretch.end), role=role))
        else:
            joined.append(Stretch(start=stretch.start, end=stretch.end, role=role))
    return joined
