"""Where what is said of a window differs from what was expected."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta

from .window_judging import Answer, judged
from .windows import Expected, Moment, WallTime, Window, named

FIELDS = ("local_due", "first_absent", "verdict", "replay_safe")
IDENTITY, NEVER_DUE = "identity", "no_occurrence_for"
SECOND = timedelta(seconds=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """One field of one occurrence at one moment; a missing or surplus occurrence differs in its identity."""

    case: str
    as_of: datetime
    identity: str
    field: str
    expected: object
    found: object


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """One window compared: how many occurrences were expected over all moments, and how many of them agree."""

    expectations: int
    agree: int
    differ: tuple[Difference, ...]


def compared(window: Window) -> Comparison:
    """Judge a window at each of its moments, in order of time, and return where it differs."""
    differ: list[Difference] = []
    agree = 0
    for moment in window.moments:
        found = list(_at(window, moment))
        wrong = {each.identity for each in found}
        agree += sum(named(each.identity) not in wrong for each in moment.expected)
        differ += found
    differ += _never_due(window)
    return Comparison(
        expectations=sum(len(moment.expected) for moment in window.moments), agree=agree, differ=tuple(differ)
    )


def _at(window: Window, moment: Moment) -> Iterator[Difference]:
    answers = {answer.identity: answer for answer in judged(window, moment.as_of)}
    expected = {each.identity: each for each in moment.expected}
    for identity in sorted(answers.keys() | expected.keys()):
        answer, wanted, name = answers.get(identity), expected.get(identity), named(identity)
        if answer is not None and wanted is not None:
            pairs = _fields(answer, wanted)
        else:
            pairs = iter([(IDENTITY, None if wanted is None else name, None if answer is None else name)])
        for field, want, found in pairs:
            yield Difference(
                case=window.case, as_of=moment.as_of, identity=name, field=field, expected=want, found=found
            )


def _fields(answer: Answer, wanted: Expected) -> Iterator[tuple[str, object, object]]:
    said = answer.judgement
    found: dict[str, object] = {
        "local_due": answer.local_due,
        "first_absent": said.first_absent.word if said.first_absent is not None else None,
        "verdict": said.verdict.value,
        "replay_safe": answer.safety.value,
    }
    for field in FIELDS:
        if found[field] not in (wanted.fields[field], *wanted.also.get(field, ())):
            yield field, wanted.fields[field], found[field]


def _never_due(window: Window) -> Iterator[Difference]:
    """Yield the local times that make an occurrence and must not."""
    for wall in window.never_due:
        for due in _made_by(window, wall):
            yield Difference(
                case=window.case,
                as_of=window.moments[-1].as_of,
                identity=named(window.identity(due)),
                field=NEVER_DUE,
                expected=str(wall),
                found=due.astimezone(wall.zone).isoformat(),
            )


def _made_by(window: Window, wall: WallTime) -> Iterator[datetime]:
    """Yield the due times that a local time makes: at both its passes, or, in a gap, those moved out of it."""
    first, second = wall.readings
    in_gap = second < first
    for due in window.timetable.due_times(min(first, second), max(first, second) + SECOND):
        # In a gap the readings lie around the jump, so whatever was moved out of it lies between them.
        made = due.gap_note is not None if in_gap else due.due_at in (first, second)
        if made and window.timetable.paused(due.due_at) is None:
            yield due.due_at
