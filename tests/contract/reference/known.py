"""What was known at the observing moment (case format, rules 1, 6, 8 and 9)."""

from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from occurrences.contract.handoffs import Handoff, Role
from occurrences.contract.questions import Question
from occurrences.contract.records import Record

INSTANT = timedelta(microseconds=1)
ROLES = (Role.SCHEDULER, Role.WORKERS)


@dataclass(frozen=True)
class World:
    """A question with only what was known at its moment; `covered` holds the joined stretches of each role."""

    question: Question
    as_of: datetime
    covered: dict[Role, list[tuple[datetime, datetime]]]

    def proven(self, role: Role, start: datetime, end: datetime) -> bool:
        """Whether `start` to `end` lies wholly inside one joined stretch."""
        if not self.question.coverage.provable:
            return True
        return any(first <= start and end <= last for first, last in self.covered[role])

    def covered_to(self, role: Role) -> datetime | None:
        """Where the coverage of `role` ends; everything counts as covered where nothing can be proven."""
        if not self.question.coverage.provable:
            return self.as_of
        return max((last for _, last in self.covered[role]), default=None)

    def later(self, as_of: datetime) -> "World":
        """The same knowledge at a later moment: nothing new came and no coverage grew."""
        return replace(self, as_of=max(as_of, self.as_of))

    def assured(self, role: Role, start: datetime, end: datetime) -> "World":
        """The same world with the coverage of `role` complete from `start` to `end`."""
        return replace(self, covered=self.covered | {role: joined([*self.covered[role], (start, end)])})


def world_of(question: Question) -> World:
    """Leave out what came, was made, ended or became known after the moment of the question."""
    now = question.as_of
    known = replace(
        question,
        records=once([r for r in question.records if r.received_at <= now]),
        decisions=tuple(sorted((d for d in question.decisions if d.at <= now), key=lambda d: d.at)),
        workers=tuple(
            replace(row, up_to=row.up_to if row.up_to is not None and row.up_to <= now else None)
            for row in question.workers
            if row.up_from <= now
        ),
        slots=tuple(
            replace(use, end=use.end if use.end is not None and use.end <= now else None)
            for use in question.slots
            if use.start <= now
        ),
    )
    return World(question=known, as_of=now, covered={role: covered(question, role) for role in ROLES})


def once(records: list[Record]) -> tuple[Record, ...]:
    """One record for each handoff and record id: the first received."""
    kept: dict[tuple[Handoff, str], Record] = {}
    for record in sorted(records, key=lambda r: (r.received_at, r.observed_at, repr(r))):
        kept.setdefault((record.handoff, record.record_id), record)
    return tuple(kept.values())


def covered(question: Question, role: Role) -> list[tuple[datetime, datetime]]:
    """The joined stretches of `role`, up to the moment of the question."""
    now = question.as_of
    known = [
        (stretch.start, min(stretch.end, now))
        for stretch in question.coverage.stretches
        if stretch.role is role and stretch.start <= now
        if stretch.known_at is None or stretch.known_at <= now
    ]
    found = joined(known)
    if found and role in question.coverage.to_now:
        found[-1] = (found[-1][0], now)
    return found


def joined(stretches: list[tuple[datetime, datetime]]) -> list[tuple[datetime, datetime]]:
    """Stretches that touch become one."""
    found: list[tuple[datetime, datetime]] = []
    for first, last in sorted(stretches):
        if found and first <= found[-1][1]:
            found[-1] = (found[-1][0], max(last, found[-1][1]))
        else:
            found.append((first, last))
    return found
