"""What the judge says of every occurrence of a window at one moment."""

from dataclasses import dataclass
from datetime import datetime, timezone
from functools import cached_property

from .decisions import DecisionFact
from .handoffs import Handoff
from .judgements import Judgement
from .judging import judge
from .occurrences import Identity
from .questions import Question
from .records import Record
from .replay_safety import UNASKED, Circumstances, ReplaySafety, hangs_on_circumstances, has_gap, period, replay_safety
from .runs import runs_of
from .window_belonging import Belonging, belonging
from .windows import Window


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What is said of one occurrence; `local_due` is written in the zone of the rule in force, with its offset."""

    identity: Identity
    local_due: str
    judgement: Judgement
    safety: ReplaySafety


def judged(window: Window, as_of: datetime) -> tuple[Answer, ...]:
    """Return an answer for each occurrence of the window as of a moment, in order of their due times.

    Those are the due times of the window and every other time that a tick or a scheduled run names.
    """
    return _Judging(window, as_of).answers()


class _Judging:
    """One window at one moment."""

    def __init__(self, window: Window, as_of: datetime) -> None:
        self.window = window
        self.as_of = as_of
        self.held: Belonging = belonging(window, as_of)
        self.due = frozenset(
            window.identity(due.due_at) for due in window.timetable.due_times(window.start, window.end)
        )
        self.contained = self.due | {name for name in self.held.names if window.timetable.contains(name.due_at)}

    def answers(self) -> tuple[Answer, ...]:
        """Judge them all."""
        return tuple(self._answer(identity) for identity in sorted(self.due | self.held.names))

    def _answer(self, identity: Identity) -> Answer:
        said = judge(self._question(identity))
        return Answer(
            identity=identity,
            local_due=self._local(identity.due_at),
            judgement=said,
            safety=replay_safety(said, self._circumstances(identity) if hangs_on_circumstances(said) else UNASKED),
        )

    def _local(self, due: datetime) -> str:
        shown = self.window.timetable.shown(due)
        return shown.local.replace(tzinfo=timezone(shown.offset)).isoformat()

    def _question(self, identity: Identity) -> Question:
        window = self.window
        return Question(
            identity=identity,
            capabilities=window.capabilities,
            allowances=window.allowances,
            expires_after=None,
            records=self._records(identity),
            coverage=window.coverage,
            give_up=window.give_up,
            as_of=self.as_of,
            workers=window.workers,
            slots=self.held.slots,
            paused=self._paused(identity),
            in_rule=identity in self.contained,
            decisions=self._decisions(identity),
        )

    def _records(self, identity: Identity) -> tuple[Record, ...]:
        return self.held.records.get(identity, ())

    def _paused(self, identity: Identity) -> bool:
        return identity in self.contained and self.window.timetable.paused(identity.due_at) is not None

    def _decisions(self, identity: Identity) -> tuple[DecisionFact, ...]:
        return tuple(
            DecisionFact(choice=each.choice, at=each.at, recovery_number=each.number, recovery_id=each.recovery_id)
            for each in self.window.decisions
            if each.identity == identity
        )

    def _circumstances(self, identity: Identity) -> Circumstances:
        tick, due = self.window.allowances.tick, identity.due_at
        up = (row for row in self.window.workers if row.up_at(self.as_of))
        return Circumstances(
            worker_up=any(row.capacity > 0 for row in up),
            another_succeeded=bool(self.succeeded - {identity}),
            stray=self._stray_near(identity),
            blind=has_gap(self.window.coverage, due=due, tick=tick, as_of=self.as_of),
        )

    @cached_property
    def succeeded(self) -> frozenset[Identity]:
        """The due times of the window with a recorded success."""
        return frozenset(identity for identity in self.due if self._succeeded(identity))

    def _succeeded(self, identity: Identity) -> bool:
        if self._paused(identity) or identity.due_at > self.as_of:
            return False
        ends = (record for record in self._records(identity) if record.handoff is Handoff.TERMINAL)
        return any(end.outcome == "succeeded" for end in ends)

    def _stray_near(self, identity: Identity) -> bool:
        following = self.window.timetable.next_after(identity.due_at)
        start, end = period(
            identity.due_at, None if following is None else following.due_at, self.window.allowances.tick
        )
        return any(start <= record.event_time and (end is None or record.event_time < end) for record in self.strays)

    @cached_property
    def strays(self) -> tuple[Record, ...]:
        """The records of runs whose occurrence is not due, by the rule or by a pause."""
        return tuple(
            record
            for identity, records in self.held.records.items()
            if identity.schedule_key == self.window.schedule_key
            and (identity not in self.contained or self._paused(identity))
            for run in runs_of(each for each in records if each.recovery_id is None)
            for record in run.records
        )
