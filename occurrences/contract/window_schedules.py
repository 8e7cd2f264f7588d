"""The schedule of a window file: its rules, revisions and pauses, in the dialect that the window carries."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from zoneinfo import ZoneInfo

from .clock_rules import KNOBS, ClockRule, preset
from .errors import Refused, RefusedRule
from .schedules import Rule, parse_rule
from .timetables import Pause, Revision, Timetable
from .windows import WallTime
from .wire_fields import Fields

# `transition` is the word of the format for what the handoff contract calls `after`.
GAPS = {"skip": "skip", "transition": "after", "after": "after", "shift": "shift"}
FOLDS = ("first", "both", "second")


def sections(fields: Fields, field: str) -> Iterator[Fields]:
    """Yield the fields of each object of a list, each under its number; absent or null is an empty list."""
    items = fields.take(field, required=False)
    if items is None:
        return
    if not isinstance(items, Sequence) or isinstance(items, str):
        raise Refused(fields.name(field), "is not a list")
    for number, item in enumerate(items):
        name = f"{fields.name(field)}[{number}]"
        if not isinstance(item, Mapping):
            raise Refused(name, "is not an object")
        yield Fields(item, name)


def prose(fields: Fields, field: str) -> str:
    """Return what a person wrote, of any length; absent or null is empty."""
    text = fields.take(field, required=False)
    if text is not None and not isinstance(text, str):
        raise Refused(fields.name(field), "is not text")
    return text or ""


def read_timetable(schedule: Fields, document: Fields) -> Timetable:
    """Return the timetable of a window's `schedule`; what cannot be read raises Refused with its place."""
    dialect = _dialect(schedule, document)
    first = Revision(rule=_rule(schedule, dialect, schedule.text("timezone")))
    later = [_revision(row, dialect, schedule.text("timezone")) for row in sections(schedule, "revisions")]
    with _refused_at(schedule.name("revisions")):
        return Timetable(revisions=(first, *later), pauses=tuple(_pause(row) for row in sections(schedule, "pauses")))


def read_wall_time(fields: Fields) -> WallTime:
    """Return a local time with its zone; what cannot be read raises Refused with its place."""
    text = fields.text("local")
    try:
        local = datetime.fromisoformat(text)
    except ValueError:
        raise Refused(fields.name("local"), "is not a local time like 2026-10-25T01:30") from None
    if not 2000 <= local.year < 2100:
        raise Refused(fields.name("local"), "lies outside the years 2000 to 2100")
    return WallTime(local=local, zone=read_zone(fields, "timezone"))


def read_zone(fields: Fields, field: str) -> ZoneInfo:
    """Return a time zone by its name; another name raises Refused."""
    try:
        return ZoneInfo(fields.text(field))
    except (KeyError, ValueError, OSError):
        raise Refused(fields.name(field), "is no time zone of the tz database") from None


@contextmanager
def _refused_at(where: str) -> Iterator[None]:
    try:
        yield
    except RefusedRule as error:
        raise Refused(where, str(error)) from None


def _dialect(schedule: Fields, document: Fields) -> str | ClockRule:
    """Return the dialect that a kept window carries, else the clock policy of the case."""
    for fields in (document, schedule):
        carried = fields.take("dialect", required=False)
        if carried is not None:
            with _refused_at(fields.name("dialect")):
                return _carried(fields)
    policy = schedule.section("dst_policy")
    return ClockRule(
        gap=GAPS[policy.choice("gap", list(GAPS))],
        fold_fixed=policy.choice("fold", FOLDS),
        fold_wildcard="both",
        day_rule="star_and",
    )


def _carried(fields: Fields) -> str | ClockRule:
    carried = fields.take("dialect")
    if isinstance(carried, str):
        preset(carried)
        return carried
    knobs = fields.section("dialect")
    gap, fold_fixed, fold_wildcard, day_rule = (knobs.text(name) for name in KNOBS)
    return ClockRule(gap=GAPS.get(gap, gap), fold_fixed=fold_fixed, fold_wildcard=fold_wildcard, day_rule=day_rule)


def _revision(fields: Fields, dialect: str | ClockRule, zone: str) -> Revision:
    own = fields.optional_text("timezone")
    return Revision(rule=_rule(fields, dialect, own or zone), since=fields.moment("from"))


def _rule(fields: Fields, dialect: str | ClockRule, zone: str) -> Rule:
    with _refused_at(fields.name("timezone")):
        parse_rule("* * * * *", dialect, zone)
    cron = fields.optional_text("cron")
    if cron is not None:
        with _refused_at(fields.name("cron")):
            return parse_rule(cron, dialect, zone)
    period = fields.take("interval_s")
    if isinstance(period, bool) or not isinstance(period, int | float):
        raise Refused(fields.name("interval_s"), "is not a number")
    if 0 < period < 1:
        raise Refused(fields.name("interval_s"), "is under one second: such periods are not watched")
    anchor = fields.optional_anchor("anchor")
    with _refused_at(fields.name("interval_s")):
        text = f"{period:f}".rstrip("0").rstrip(".") if isinstance(period, float) else str(period)
        return parse_rule(f"every {text}s", "interval", zone, anchor)


def _pause(fields: Fields) -> Pause:
    return Pause(start=fields.moment("from"), end=fields.optional_moment("to"), reason=prose(fields, "reason"))
