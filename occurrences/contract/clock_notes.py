"""What a person has to know of the clock on the days it is changed, in the dialect of the watched scheduler."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from types import MappingProxyType
from zoneinfo import ZoneInfo

from .clock_changes import Change, change_near, changes
from .local_times import Due
from .schedules import CronRule, FloatingRule, Rule

GAP_WORDS: Mapping[str, str] = MappingProxyType(
    {
        "skip": "is left out",
        "after": "is due at the first instant after the jump",
        "shift": "keeps the old offset, so it is due as much later as the clock jumps",
    }
)
FOLD_WORDS: Mapping[str, str] = MappingProxyType(
    {"first": "at the first pass only", "second": "at the second pass only", "both": "at both passes"}
)


@dataclass(frozen=True, slots=True, kw_only=True)
class LeftOut:
    """A local time that the rule names and that does not exist, where its dialect makes nothing due instead.

    `at` is the instant of the jump.
    """

    at: datetime
    note: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ClockNote:
    """The words for one due time; `touched` says that its own local time was moved, or comes twice."""

    words: str
    touched: bool


def clock_note(due: Due, rule: Rule | None, dialect: str) -> ClockNote | None:
    """Return the note for this due time; None on a day like any other. `rule` None: nothing is said of the dialect."""
    change = change_near(due)
    if change is None:
        return ClockNote(words=f"{due.gap_note}.", touched=True) if due.gap_note else None
    if due.gap_note:
        words = f"{due.gap_note}: the clock goes {_jump(change)}.{_gap_rule(rule, dialect)} It is due at {_both(due)}."
        return ClockNote(words=words, touched=True)
    if not change.forward and change.touches(due.local):
        return ClockNote(words=_twice(due) + _fold_rule(rule, dialect), touched=True)
    way = "forward" if change.forward else "back"
    words = f"The clock in {due.zone} goes {way} on this day, {_day(due.local)}, {_jump(change)}."
    return ClockNote(words=f"{words} {due.local:%H:%M} comes once.", touched=False)


def left_out(rule: Rule | None, dialect: str, start: datetime, end: datetime) -> Iterator[LeftOut]:
    """Yield what the rule names from `start` to `end` (exclusive) and its dialect leaves out for want of the hour."""
    if not isinstance(rule, CronRule) or rule.clock.gap != "skip" or rule.crontab.wildcard:
        return
    for change in changes(rule.zone, start, end):
        if change.forward:
            for wall in rule.crontab.walls(change.wall_before, change.wall_after):
                note = (
                    f"{wall:%H:%M} does not exist on {_day(wall)} in {rule.zone.key}: the clock goes {_jump(change)}."
                )
                yield LeftOut(at=change.at, note=note + _gap_rule(rule, dialect) + " Nothing is due.")


def _twice(due: Due) -> str:
    first, second = (due.local.replace(tzinfo=ZoneInfo(due.zone), fold=fold) for fold in (0, 1))
    this, other = (("second", second), ("first", first)) if due.fold else (("first", first), ("second", second))
    return (
        f"{due.local:%H:%M} happens twice on {_day(due.local)} in {due.zone}. This is the {this[0]} one "
        f"({_offset(this[1])}); the {other[0]} is {other[1].astimezone(UTC):%H:%M}Z ({_offset(other[1])}). "
        "The identity is the due time in UTC, so the two cannot be mixed up."
    )


def _gap_rule(rule: Rule | None, dialect: str) -> str:
    if not isinstance(rule, CronRule):
        return ""
    return f" In the dialect {dialect} such a time {GAP_WORDS[rule.clock.gap]}."


def _fold_rule(rule: Rule | None, dialect: str) -> str:
    if rule is None or isinstance(rule, FloatingRule):
        return ""
    if not isinstance(rule, CronRule):
        return " An interval counts elapsed seconds, so both passes have their due times."
    which = rule.clock.fold_wildcard if rule.crontab.wildcard else rule.clock.fold_fixed
    kind = "a rule with * for the minute or hour" if rule.crontab.wildcard else "a fixed time"
    return f" In the dialect {dialect} {kind} is due {FOLD_WORDS[which]}."


def _jump(change: Change) -> str:
    before, after = (change.at - timedelta(seconds=1)).astimezone(change.zone), change.at.astimezone(change.zone)
    same_day = change.wall_before.date() == change.wall_after.date()
    start, end = (
        f"{w:%H:%M}" if same_day else f"{w.day} {w:%b %H:%M}" for w in (change.wall_before, change.wall_after)
    )
    return f"from {start}{_named(before)} to {end}{_named(after)}"


def _both(due: Due) -> str:
    local = due.due_at.astimezone(ZoneInfo(due.zone))
    return f"{local:%H:%M}{_named(local)}, which is {due.due_at:%H:%M}Z"


def _named(local: datetime) -> str:
    """Return ` CEST (UTC+2)`; zones without letters of their own are named by the offset alone."""
    name = local.tzname() or ""
    return f" {name} ({_utc(local)})" if name.isalpha() else f" ({_utc(local)})"


def _offset(local: datetime) -> str:
    """Return `CEST, UTC+2`, as it stands in brackets."""
    name = local.tzname() or ""
    return f"{name}, {_utc(local)}" if name.isalpha() else _utc(local)


def _utc(local: datetime) -> str:
    minutes = int((local.utcoffset() or timedelta(0)).total_seconds()) // 60
    hours, rest = divmod(abs(minutes), 60)
    return f"UTC{'-' if minutes < 0 else '+'}{hours}" + (f":{rest:02}" if rest else "")


def _day(wall: datetime) -> str:
    return f"{wall.day} {wall:%b %Y}"
