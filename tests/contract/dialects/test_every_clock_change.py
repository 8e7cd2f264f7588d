"""Every change of every clock: identities stay apart, each due time maps back to its wall, and none is invented.

The long run takes every zone of the tz database over ten years. Where zones share their changes in and around the days
looked at, to the second and from the same offsets, one stands for all: nothing but the name of the zone could differ.
"""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo, available_timezones

import pytest

from occurrences.contract.clock_rules import PRESETS
from occurrences.contract.local_times import Due
from occurrences.contract.occurrences import Identity
from occurrences.contract.schedules import CronRule, parse_rule

TEN_YEARS = (datetime(2020, 1, 1, tzinfo=UTC), datetime(2030, 1, 1, tzinfo=UTC))
ONE_YEAR = (datetime(2026, 1, 1, tzinfo=UTC), datetime(2027, 1, 1, tzinfo=UTC))
SAMPLE = (
    "Europe/Berlin",
    "America/New_York",
    "Australia/Lord_Howe",
    "Africa/Cairo",
    "America/Nuuk",
    "Africa/Casablanca",
)
DAYS = timedelta(days=3) / 2  # on either side: three days around the change
SEEN = timedelta(days=5)  # as far as a due time of these days can look
DIALECTS = ("celery-beat", "debian-cron", "fugit", "croniter", "apscheduler")  # each other preset equals one of these

EXPRESSIONS = (
    "*/30 * * * *",
    "*/45 * * * *",
    "17 * * * *",
    "0 * * * *",
    "59 * * * *",
    "*/20 2 * * *",
    "*/15 0 * * *",
    "0 */2 * * *",
    "30 */3 * * *",
    "5 */6 * * *",
    "0 0 * * *",
    "15 0 * * *",
    "30 0 * * *",
    "59 23 * * *",
    "30 1 * * *",
    "0 2 * * *",
    "15 2 * * *",
    "30 2 * * *",
    "0,30 2 * * *",
    "45 2 * * *",
    "0 3 * * *",
    "30 3 * * *",
    "10,40 1-3 * * *",
    "0,30 0-4 * * *",
    "20 22-23 * * *",
    "30 2 * * sun",
    "30 2 * * mon-sat",
    "0 1 1-7 * *",
    "30 2 25-31 * *",
    "15 1 * 3,10 *",
)
WEEKDAYS = ("sun", "mon", "tue", "wed", "thu", "fri", "sat")


def numbers(field: str, low: int, high: int) -> set[int]:
    """Read a field of the crontabs above, on our own: stars, steps of a star, lists, ranges and weekdays by name."""
    found: set[int] = set()
    for part in field.split(","):
        span, _, step = part.partition("/")
        first, _, last = (str(low), "-", str(high)) if span == "*" else span.partition("-")
        ends = [WEEKDAYS.index(end) if end in WEEKDAYS else int(end) for end in (first, last or first)]
        found.update(range(ends[0], ends[1] + 1, int(step or 1)))
    return found


class Named:
    """What a crontab names, told field by field."""

    def __init__(self, text: str) -> None:
        bounds = ((0, 59), (0, 23), (1, 31), (1, 12), (0, 6))
        fields = [numbers(field, *bound) for field, bound in zip(text.split(), bounds, strict=True)]
        self.minutes, self.hours, self.days, self.months, self.weekdays = fields

    def has(self, wall: datetime) -> bool:
        on_the_day = wall.day in self.days and wall.month in self.months and wall.isoweekday() % 7 in self.weekdays
        return wall.minute in self.minutes and wall.hour in self.hours and not wall.second and on_the_day


NAMED = {text: Named(text) for text in EXPRESSIONS}


def changes(zone: ZoneInfo, start: datetime, end: datetime) -> Iterator[tuple[datetime, timedelta, timedelta]]:
    """The instants to the second at which the offset changes, with the offset before and after; six hours at a time."""
    while start < end:
        step = start + timedelta(hours=6)
        before, after = (instant.astimezone(zone).utcoffset() for instant in (start, step))
        if before != after:
            low, high = 0, 6 * 3600
            while high - low > 1:
                middle = (low + high) // 2
                same = (start + timedelta(seconds=middle)).astimezone(zone).utcoffset() == before
                low, high = (middle, high) if same else (low, middle)
            yield start + timedelta(seconds=high), before, after
        start = step


def checked(zone: ZoneInfo, text: str, dialect: str, change: datetime) -> int:
    """Check the due times of three days around a change; return how many there were."""
    rule = parse_rule(text, dialect, zone.key)
    assert isinstance(rule, CronRule)
    before = change - DAYS
    last = before - timedelta(seconds=1)
    count = 0
    for due in rule.due_times(before, change + DAYS):
        assert last < due.due_at < change + DAYS, (zone.key, text, dialect, due)
        assert not due.due_at.microsecond
        wall = due.local.replace(tzinfo=zone, fold=due.fold)
        assert wall.astimezone(UTC) == due.due_at, (zone.key, text, dialect, due)
        assert wall.utcoffset() == due.offset
        assert NAMED[text].has(due.local) or _moved(due, zone, text, rule), (zone.key, text, dialect, due)
        last, count = due.due_at, count + 1
    return count


def _moved(due: Due, zone: ZoneInfo, text: str, rule: CronRule) -> bool:
    """Whether the rule names a time that does not exist, and its dialect moves that one to this due time."""
    if due.gap_note is None:
        return False
    hour, minute = due.gap_note[:5].split(":")
    days = (due.local.date(), due.local.date() - timedelta(days=1))
    for day in days:
        wall = datetime(day.year, day.month, day.day, int(hour), int(minute))  # noqa: DTZ001
        early, late = (wall.replace(tzinfo=zone, fold=fold).astimezone(UTC) for fold in (1, 0))
        if early < late and NAMED[text].has(wall):
            shifted = rule.clock.gap == "shift" and due.due_at == late
            at_the_jump = early < due.due_at <= late and (
                (due.due_at - timedelta(seconds=1)).astimezone(zone).utcoffset() != due.offset
            )
            return shifted or (rule.clock.gap == "after" and at_the_jump)
    return False


def around(zones: Iterator[str], years: tuple[datetime, datetime]) -> list[tuple[ZoneInfo, datetime]]:
    """One zone for each set of changes within sight of a change."""
    found: dict[tuple[object, ...], tuple[ZoneInfo, datetime]] = {}
    for name in sorted(zones):
        zone = ZoneInfo(name)
        its = list(changes(zone, *years))
        for change in its:
            near = tuple(other for other in its if abs(other[0] - change[0]) < SEEN)
            found.setdefault((change, near), (zone, change[0]))
    return list(found.values())


def test_the_dialects_looked_at_stand_for_all():
    assert {PRESETS[name] for name in DIALECTS} == {PRESETS[name] for name in PRESETS}
    assert len(EXPRESSIONS) == len(NAMED) == 30


@pytest.mark.parametrize("dialect", DIALECTS)
def test_around_the_changes_of_a_year(dialect):
    total = sum(
        checked(zone, text, dialect, change) for zone, change in around(iter(SAMPLE), ONE_YEAR) for text in EXPRESSIONS
    )
    assert total > 3000


@pytest.mark.parametrize("dialect", DIALECTS)
def test_every_minute_of_a_change_that_is_named_and_exists_is_due(dialect):
    for zone, change in around(iter(SAMPLE[:4]), ONE_YEAR):
        start, end = change - timedelta(hours=4), change + timedelta(hours=4)
        local = [(start + timedelta(minutes=n)).astimezone(zone) for n in range(8 * 60)]
        for text in EXPRESSIONS:
            due = {due.due_at for due in parse_rule(text, dialect, zone.key).due_times(start, end)}
            once = [wall for wall in local if wall.replace(fold=0).utcoffset() == wall.replace(fold=1).utcoffset()]
            named = {wall.astimezone(UTC) for wall in once if NAMED[text].has(wall.replace(tzinfo=None))}
            if PRESETS[dialect].gap_times == "each":
                assert named <= due, (zone.key, text)
            keys = {Identity(source="s", schedule_key="k", due_at=instant).key for instant in due}
            assert len(keys) == len(due)


@pytest.mark.long
@pytest.mark.parametrize("dialect", DIALECTS)
def test_around_every_change_of_every_zone_in_ten_years(dialect):
    looked_at = around(iter(available_timezones()), TEN_YEARS)
    total = sum(checked(zone, text, dialect, change) for zone, change in looked_at for text in EXPRESSIONS)
    print(f"{dialect}: {len(looked_at)} different changes x {len(EXPRESSIONS)} crontabs, {total} due times")
    assert len(looked_at) > 300
