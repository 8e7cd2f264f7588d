"""Moments by which something had to come, and whether its absence is certain."""

from dataclasses import dataclass
from datetime import datetime

from .handoffs import Role
from .questions import Question


@dataclass(frozen=True, kw_only=True)
class Limit:
    """A moment by which something had to come, and what is known about whether it did not.

    `passed` says that the clock is past it, `proven` that the evidence of `role` is unbroken from `ahead` to
    it, `reached` that the coverage of `role` has come as far, `given_up` that the time to wait is over.
    """

    at: datetime
    role: Role
    ahead: datetime
    passed: bool
    unbroken: bool
    reached: bool
    given_up: bool

    @property
    def until(self) -> datetime:
        """How far the coverage must come: to the limit, or to a handoff ahead that came after it."""
        return max(self.at, self.ahead)

    @property
    def proven(self) -> bool:
        """Whether the absence is certain."""
        return self.passed and self.unbroken


class Proof:
    """The coverage of one question, which `as_known` has cut and joined, looked up quickly."""

    def __init__(self, question: Question) -> None:
        coverage = question.coverage
        self.as_of = question.as_of
        self.give_up = question.give_up
        self.provable = coverage.provable
        self.stretches: dict[Role, list[tuple[datetime, datetime]]] = {}
        for stretch in coverage.stretches:
            self.stretches.setdefault(stretch.role, []).append((stretch.start, stretch.end))

    def end(self, role: Role) -> datetime | None:
        """Return how far the evidence of `role` is complete; None where nothing ever was."""
        if role is Role.CLOCK or not self.provable:
            return self.as_of
        own = self.stretches.get(role)
        return own[-1][1] if own else None

    def limit(self, *, at: datetime, role: Role, ahead: datetime) -> Limit:
        """Return the limit `at`, to be proven by the coverage of `role` from `ahead` on."""
        end, until = self.end(role), max(at, ahead)
        always = role is Role.CLOCK or not self.provable
        own = self.stretches.get(role, ())
        return Limit(
            at=at,
            role=role,
            ahead=ahead,
            passed=self.as_of > at,
            unbroken=always or any(start <= ahead and until <= stop for start, stop in own),
            reached=end is not None and end >= until,
            given_up=self.as_of > at + self.give_up,
        )
