"""The due times ahead of a schedule, with what a person has to know of the clock and of pauses."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import Enum
from itertools import islice

from occurrences.contract.clock_notes import clock_note, left_out
from occurrences.contract.schedules import Due
from occurrences.models import Pause, ScheduleRevision
from occurrences.queries.pages.schedules import AHEAD, rule_in_words
from occurrences.queries.pages.tones import LATE, OFF, PRESENT
from occurrences.queries.schedules import InForce

NEXT, SHOWN = 10, 10


@dataclass(frozen=True, slots=True, kw_only=True)
class Coming:
    """One due time ahead; `due` is None for a local time that is left out on the day the clock changes."""

    at: datetime
    zone: str
    due: Due | None
    note: str = ""
    pause: str = ""


def coming_of(revisions: Sequence[InForce], pauses: Sequence[Pause], now: datetime) -> list[Coming]:
    """The next ten due times as of `now`, and what is left out between them."""
    dues = list(islice(_ahead(revisions, now), NEXT))
    rows, told = [], set()
    for ruling, due in dues:
        note = clock_note(due, ruling.rule, ruling.revision.dialect)
        # A note on the day alone is told once a day; one on the time itself each time.
        new = note is not None and (note.touched or due.local.date() not in told)
        told.add(due.local.date())
        words = note.words if note is not None and new else ""
        rows.append(Coming(at=due.due_at, zone=due.zone, due=due, note=words, pause=_pause_over(due, pauses)))
    last = dues[-1][1].due_at if dues else now + AHEAD
    return sorted([*rows, *_left_out(revisions, now, last)], key=lambda row: row.at)


def _ahead(revisions: Sequence[InForce], now: datetime) -> Iterator[tuple[InForce, Due]]:
    for ruling in revisions:
        for due in ruling.due_times(now, now + AHEAD):
            yield ruling, due


def _left_out(revisions: Sequence[InForce], now: datetime, last: datetime) -> Iterator[Coming]:
    for ruling in revisions:
        start, end = max(now, ruling.start), min(last, ruling.end or last)
        if start < end and ruling.revision.enabled:
            for each in left_out(ruling.rule, ruling.revision.dialect, start, end):
                yield Coming(at=each.at, zone=ruling.revision.zone, due=None, note=each.note)


def _pause_over(due: Due, pauses: Sequence[Pause]) -> str:
    return next((p.reason for p in pauses if p.start <= due.due_at and (p.end is None or due.due_at < p.end)), "")


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleChange:
    """One revision of the rule, with its place in time."""

    revision: ScheduleRevision
    words: str
    state: str
    tone: str
    until: datetime | None


def rule_changes(revisions: Sequence[InForce], now: datetime) -> list[RuleChange]:
    """The ten newest revisions, newest first, each with its rule in words."""
    return [
        RuleChange(
            revision=each.revision,
            words=rule_in_words(each),
            state=(state := _state(each.start, each.end, now)).words,
            tone=state.tone,
            until=each.end,
        )
        for each in list(revisions)[: -SHOWN - 1 : -1]
    ]


@dataclass(frozen=True, slots=True, kw_only=True)
class PauseRow:
    """One pause of the source, with its place in time."""

    pause: Pause
    state: str
    tone: str


def pause_rows(pauses: Sequence[Pause], now: datetime) -> list[PauseRow]:
    """The pauses as given, each with its place in time."""
    rows = []
    for pause in pauses:
        state = _state(pause.start, pause.end, now)
        rows.append(PauseRow(pause=pause, state=state.words, tone=LATE if state is _State.NOW else OFF))
    return rows


def pauses_of(source: int) -> list[Pause]:
    """The ten newest pauses of a source."""
    return list(Pause.objects.filter(source_id=source).order_by("-start", "-pk")[:SHOWN])


class _State(Enum):
    AHEAD = ("Ahead", OFF)
    NOW = ("In force", PRESENT)
    OVER = ("Over", OFF)

    @property
    def words(self) -> str:
        return self.value[0]

    @property
    def tone(self) -> str:
        return self.value[1]


def _state(start: datetime, end: datetime | None, now: datetime) -> _State:
    if start > now:
        return _State.AHEAD
    return _State.NOW if end is None or now < end else _State.OVER
