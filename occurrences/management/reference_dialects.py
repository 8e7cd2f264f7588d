"""The reference page of the dialects: their clock rules and their grammars."""

from collections.abc import Callable, Iterable, Sequence

from occurrences.contract.clock_rules import PRESETS, ClockRule
from occurrences.contract.grammars import FIVE, GRAMMARS, Grammar

Table = Callable[[Sequence[str], Iterable[Sequence[object]]], str]

CLOCK = """
`gap`, a local time that does not exist: left out (`skip`), due at the first instant after the jump (`after`), or as
much later as the clock jumps (`shift`). `fold`, one that comes twice: which pass counts. Day and weekday both
given: either is enough (`or`), both are needed (`and`), or both where one of them starts with `*` (`star_and`).
"""
FURTHER = """
Four knobs are not enough for these programs. A wildcard has no due time in a gap, because the times that exist
cover it; the column says what counts as one: a minute or hour that starts with `*`, every hour, or nothing. In a
gap each time may be due by itself (`each`), or only the first, because the program goes on from the time the clock
then shows (`first`), and not even that one when the hour before is named too, nor after a midnight in the gap when
the day before fits, whatever its weekday (`none_counted`). Debian's cron takes a jump of more than three hours for a
clock that was set right.
"""
GRAMMAR = """
A kept window may give the four knobs instead of a name; it then writes the plain grammar, that of cronsim. A
refusal names the field, the part of it and the reason. Years, `W`, `H` and the `%` of fugit are not read.
"""
HELD_AGAINST = """
The tests ask Celery 5.7 (its own scheduler under a frozen clock), cronsim, croniter and APScheduler about each
case, and keep what Debian's cron 3.0pl1-162, fugit 1.5.2 and robfig/cron 3.0.1 answered. For Temporal no program
was asked.

Where a program passes over times that its own rule names, those stay due here, because what is lost there is a missing
run. Where the clock is moved by or at a part of an hour (Lord Howe, Chatham, Pyongyang in 2018) robfig/cron, cronsim,
croniter, fugit and APScheduler each pass over some. APScheduler 3.11 counts elapsed hours to the next day or month:
with a clock that goes forwards on the way it can pass over the first hour of that day, in Berlin on the day after the
change and on the first of April. Where the first midnight of a month does not exist robfig/cron can leave out that
month, and fugit fails with an error. Where a quarter to three does not exist at Chatham robfig/cron runs a time of that
hour an hour late; nothing is due for it here.

Two local times that fall on one instant are one occurrence, even where Debian's cron starts two processes for them.
"""


def dialects(table: Table) -> str:
    """What each scheduler does when the clock is changed, and what it reads."""
    clock = [(f"`{name}`", r.gap, r.fold_fixed, r.fold_wildcard, r.day_rule) for name, r in PRESETS.items()]
    further = [(f"`{name}`", *_further(rule)) for name, rule in PRESETS.items()]
    grammars = [(f"`{name}`", *_grammar(grammar)) for name, grammar in GRAMMARS.items()]
    parts = [
        "# Clock rules by dialect",
        table(("dialect", "gap", "fold, fixed time", "fold, wildcard", "day and weekday"), clock),
        CLOCK.strip(),
        "## What the programs need beyond that",
        table(("dialect", "wildcard", "times in a gap", "longest jump"), further),
        FURTHER.strip(),
        "## What each dialect reads",
        table(("dialect", "fields", "names", "Sunday", "ranges", "steps", "days of a month"), grammars),
        GRAMMAR.strip(),
        "## Held against",
        HELD_AGAINST.strip(),
    ]
    return "\n".join(part if part.endswith("\n") else f"{part}\n" for part in parts)


def _further(rule: ClockRule) -> tuple[str, str, str]:
    longest = "-" if rule.longest_jump is None else f"{rule.longest_jump.total_seconds() / 3600:g} h"
    return rule.wildcard, rule.gap_times, longest


def _grammar(grammar: Grammar) -> tuple[str, str, str, str, str, str]:
    return (
        f"5, or 6 with seconds {grammar.seconds}" if grammar.seconds else "5",
        _names(grammar),
        _sunday(grammar),
        "over the end, too" if grammar.wraps else "forwards",
        "`*/5`, `1-9/2`" + (", `5/10`" if grammar.open_step else ""),
        _days(grammar) or "-",
    )


def _names(grammar: Grammar) -> str:
    words = ["`@daily`"] if grammar.nicknames else []
    words.append("`monday`" if grammar.long_names else "`mon`")
    if grammar.question_marks:
        words.append("`?`" if grammar.question_marks == FIVE else "`?` for days")
    return ", ".join(words)


def _sunday(grammar: Grammar) -> str:
    numbers = ["6" if grammar.monday_is_zero else "0", *("7" for _, number, _ in grammar.aliases if number == 7)]
    return " or ".join(numbers)


def _days(grammar: Grammar) -> str:
    words = sorted(grammar.last_day | grammar.last_working_day, key=lambda word: (len(word), word))
    words += ["5#3"] if grammar.nth else []
    words += [form.format(5) for form in grammar.last_weekday]
    return ", ".join(f"`{word}`" for word in words)
