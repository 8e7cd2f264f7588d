"""The reference page of the safety contract, written from the table and the checks themselves."""

from collections.abc import Callable, Iterable, Sequence

from occurrences.contract.catch_ups import CATCH_UPS, CatchUp, MadeUp
from occurrences.contract.effects import Effect
from occurrences.contract.liveness import Liveness
from occurrences.contract.safety_assessments import Advice
from occurrences.contract.safety_checks import DOORS, RULES
from occurrences.contract.safety_table import MODIFIERS, RULE_VERSION, TABLE, Grade, Row
from occurrences.contract.times import span_text

Table = Callable[[Sequence[str], Iterable[Sequence[object]]], str]


def safety(table: Table) -> str:
    """Replay or skip: the decision table, its modifiers, the checks, and how long a scheduler catches up."""
    parts = (
        ("What a second run would do", table(("class", "means"), [(f"`{e}`", e.meaning) for e in Effect])),
        ("Whether the original can still run", table(("value", "words"), [(f"`{v}`", v.words) for v in Liveness])),
        ("The table", f"Each cell is replay / skip.\n\n{_cells(table)}"),
        ("What a grade asks for", table(("grade", "asks for"), [(f"`{g.word}`", g.words) for g in Grade])),
        ("Modifiers, in this order", _modifiers(table)),
        ("Checks that block", _doors(table)),
        ("Checks that need an override, and warnings that are ticked", _checks(table)),
        ("What to do first", table(("advice", "words"), [(f"`{a}`", a.sentence) for a in Advice])),
        ("How long a scheduler may still fire what it missed", _catch_ups(table)),
    )
    head = f"# Replay or skip: the safety contract\n\nVersion {RULE_VERSION} of the rules. {INTRODUCTION}\n"
    return head + "".join(f"\n## {title}\n\n{text}" for title, text in parts)


INTRODUCTION = (
    "The grade that counts is the higher one of the table and of\nwhat the checks ask for. Unknown is never a pass."
)


def _cells(table: Table) -> str:
    rows = [(f"{row}. {row.sentence}", *(_cell(row, effect) for effect in Effect)) for row in Row]
    return table(("the original", *(str(effect) for effect in Effect)), rows)


def _cell(row: Row, effect: Effect) -> str:
    return " / ".join(grade.word for grade in TABLE[row, effect])


def _modifiers(table: Table) -> str:
    return table(("modifier", "changes", "words"), [(m.name, m.choice, m.sentence) for m in MODIFIERS])


def _doors(table: Table) -> str:
    return table(("check", "asks", "rests on"), [(name, asks, rests) for name, (asks, rests) in DOORS.items()])


def _checks(table: Table) -> str:
    rows = [(r.name, r.asks, r.demands, " and ".join(sorted(r.choices)), r.rests_on) for r in RULES]
    note = "O1 and O6 ask for a tick where the work is keyed, O7 code where the code is not on record.\n"
    return f"{table(('check', 'asks', 'demands', 'for', 'rests on'), rows)}\n{note}"


def _catch_ups(table: Table) -> str:
    rows = [(f"`{name}`", c.made_up, _lasts(c), c.setting or "-", c.source) for name, c in CATCH_UPS.items()]
    return table(("dialect", "made up", "for", "its setting", "source"), rows)


def _lasts(line: CatchUp) -> str:
    if line.made_up in (MadeUp.NONE, MadeUp.UNKNOWN):
        return "-"
    return "no limit unless set" if line.lasts is None else span_text(line.lasts)
