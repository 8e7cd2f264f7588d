"""Each dialect against the program it imitates: the libraries in Python asked here and now, the others by table."""

import json
from collections.abc import Iterable
from datetime import datetime
from pathlib import Path

import pytest

from occurrences.contract.errors import RefusedRule
from occurrences.contract.schedules import parse_rule
from tests.contract.dialects.cases import CLOCK_CHANGES, WORDS, Case, cases, moment, word_cases
from tests.contract.dialects.programs import PROGRAMS

TABLES = Path(__file__).parent / "tables"
CHANGES = {(zone, moment(start)) for zone, start, _ in CLOCK_CHANGES}
STORED = {"fugit": "fugit", "robfig": "kubernetes", "debian-cron": "debian-cron"}

# Where a program is at odds with its own rule, and we keep to the rule: what it loses there is a run that is missing.
# The rest are words that one of the two refuses, or reads in part.
STEPS_WHOLE_HOURS = "it steps in whole hours and passes over times where the clock is moved at, or by, a part of one"
COUNTS_ELAPSED = "it counts elapsed hours to the next day or month; after a gap it lands past midnight and goes on"
COMMAND = "what follows the fifth field is the command to it; the line is no rule of more fields"
NEVER_RUNS = "it takes a range that runs backwards and never runs it"
DIFFERENCES = {
    ("robfig", "0 2 * * *", "Australia/Lord_Howe"): STEPS_WHOLE_HOURS,
    ("robfig", "*/15 2 * * *", "Australia/Lord_Howe"): STEPS_WHOLE_HOURS,
    ("robfig", "5 */2 * * *", "Australia/Lord_Howe"): STEPS_WHOLE_HOURS,
    ("robfig", "0,30 2 * * *", "Australia/Lord_Howe"): STEPS_WHOLE_HOURS,
    ("robfig", "30 1 * * *", "Australia/Lord_Howe"): STEPS_WHOLE_HOURS,
    ("cronsim", "*/15 2 * * *", "Australia/Lord_Howe"): STEPS_WHOLE_HOURS,
    ("cronsim", "30 * * * *", "Australia/Lord_Howe"): STEPS_WHOLE_HOURS,
    ("cronsim", "5 */2 * * *", "Australia/Lord_Howe"): STEPS_WHOLE_HOURS,
    **{
        (program, "*/15 2 * * *", "Pacific/Chatham"): STEPS_WHOLE_HOURS
        for program in ("cronsim", "croniter", "apscheduler", "fugit", "robfig")
    },
    ("cronsim", "5 */2 * * *", "Asia/Pyongyang"): STEPS_WHOLE_HOURS,
    **{
        ("robfig", text, "Asia/Pyongyang"): STEPS_WHOLE_HOURS
        for text in (
            "0 2 * * *",
            "15 0 * * *",
            "0 0 * * *",
            "10,40 1-3 * * *",
            "*/15 2 * * *",
            "5 */2 * * *",
            "0,30 0-3 * * *",
            "0,30 2 * * *",
            "5,35 0 * * *",
        )
    },
    **{
        (program, text, zone): COUNTS_ELAPSED
        for zone, text in (
            ("America/Nuuk", "15 0 * * *"),
            ("America/Nuuk", "0 0 * * *"),
            ("America/Nuuk", "0,30 0-3 * * *"),
            ("America/Nuuk", "5,35 0 * * *"),
            ("Asia/Pyongyang", "15 0 * * *"),
            ("Asia/Pyongyang", "0 0 * * *"),
            ("Asia/Pyongyang", "5 */2 * * *"),
            ("Asia/Pyongyang", "0,30 0-3 * * *"),
            ("Asia/Pyongyang", "5,35 0 * * *"),
            ("Europe/Berlin", "20 0 * * *"),
            ("Europe/Berlin", "0 0 1 * *"),
        )
        for program in (("apscheduler", "fugit") if zone == "Asia/Pyongyang" else ("apscheduler",))
    },
    (
        "robfig",
        "30 0 * 8,10 sun",
        "America/Asuncion",
    ): "it looks for a first midnight that is lost and leaves out a month",
    ("croniter", "*/20 * * * *", "Australia/Lord_Howe"): "it misses a second pass that begins within its own period",
    ("apscheduler", "0 0 * * fri#1", "UTC"): "it does not read a field to its end",
    ("fugit", "0 0 * * *,5", "UTC"): "it drops a star in a list of weekdays",
    ("robfig", "1,,2 0 1 * *", "UTC"): "it reads past an empty part of a list",
    ("croniter", "0 0 1 * * 0 2026", "UTC"): "years are not read here",
    ("debian-cron", "@reboot", "UTC"): "no time makes it due",
    ("debian-cron", "0 0 * * 5#3", "UTC"): COMMAND,
    ("debian-cron", "0 0 * * fri#1", "UTC"): COMMAND,
    ("debian-cron", "0 0 * * 5#6", "UTC"): COMMAND,
    ("debian-cron", "0 0 * * 5#L", "UTC"): COMMAND,
    ("debian-cron", "0 0 1 * * 15", "UTC"): COMMAND,
    ("debian-cron", "0 0 1 * * 0 2026", "UTC"): COMMAND,
    ("debian-cron", "0 0 * * fri-mon", "UTC"): NEVER_RUNS,
    ("debian-cron", "0 22-1 * * *", "UTC"): NEVER_RUNS,
    ("debian-cron", "5-1 0 1 * *", "UTC"): NEVER_RUNS,
    ("cronsim", "@daily", "UTC"): "names are read here for all who write four knobs",
}


def ours(case: Case, dialect: str | dict[str, str]) -> list[datetime] | None:
    try:
        rule = parse_rule(case.text, dialect, case.zone)
    except RefusedRule:
        return None
    return [due.due_at for due in rule.due_times(case.start, case.end)]


def differing(answers: Iterable[tuple[Case, list[datetime] | None]], dialect) -> set[tuple[str, str]]:
    return {(case.text, case.zone) for case, answer in answers if answer != ours(case, dialect)}


def windows(asked: Iterable[Case]) -> set[tuple[str, datetime]]:
    """The zones and dates of cases; the words are all asked about the same."""
    return {(case.zone, case.start) for case in asked}


def known(program: str) -> set[tuple[str, str]]:
    return {(text, zone) for name, text, zone in DIFFERENCES if name == program}


@pytest.mark.parametrize("program", PROGRAMS)
def test_we_name_the_due_times_that_the_program_itself_names(program):
    ask, dialect = PROGRAMS[program]
    assert len(windows(cases())) >= 40
    asked = [*cases(), *word_cases()]
    assert differing(((case, ask(case)) for case in asked), dialect) == known(program)


@pytest.mark.parametrize("program", STORED)
def test_we_name_the_due_times_that_a_program_named_when_its_table_was_written(program):
    answers = stored(program)
    assert differing(answers, STORED[program]) == known(program)
    asked = windows(case for case, _ in answers if case.text not in WORDS)
    assert asked >= CHANGES
    assert len(asked) >= 40
    assert sum(1 for _, answer in answers if answer is not None) >= 200


def stored(program: str) -> list[tuple[Case, list[datetime] | None]]:
    rows = json.loads((TABLES / f"{program}.json").read_text())["rows"]
    return [
        (
            Case(text, zone, datetime.fromisoformat(start), datetime.fromisoformat(end)),
            None if due is None else [datetime.fromisoformat(instant) for instant in due],
        )
        for text, zone, start, end, due in rows
    ]
