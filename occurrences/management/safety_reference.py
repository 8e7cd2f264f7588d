"""The reference page of the safety contract, written from the table and the checks themselves."""

from collections.abc import Callable, Iterable, Sequence

from occurrences.contract.catch_ups import CATCH_UPS, CatchUp, MadeUp
from occurrences.contract.effects import Effect
from occurrences.contract.liveness import Liveness
from occurrences.contract.safety_assessments import Advice
from occurrences.contract.safety_checks import SafetyCheck
from occurrences.contract.safety_table import MODIFIERS, RULE_VERSION, TABLE, Grade, Row
from occurrences.contract.times import span_text
from occurrences.management.safety_examples import failed, passed

Table = Callable[[Sequence[str], Iterable[Sequence[object]]], str]


def safety(table: Table) -> str:
    """Replay or skip: the decision table, its modifiers, the checks, and how long a scheduler catches up."""
    parts = (
        ("What a second run would do", table(("class", "means"), [(f"`{e}`", e.meaning) for e in Effect])),
        ("Whether the original can still run", table(("value", "words"), [(f"`{v}`", v.words) for v in Liveness])),
        ("The table", f"Each cell is replay / skip.\n\n{_cells(table)}"),
        ("What a grade asks for", table(("grade", "asks for"), [(f"`{g.word}`", g.words) for g in Grade])),
        ("Modifiers, in this order", _modifiers(table)),
        ("Checks", f"{NOT_KNOWN}\n\n{_checks(table)}"),
        ("What to do first", table(("advice", "words"), [(f"`{a}`", a.sentence) for a in Advice])),
        ("How long a scheduler may still fire what it missed", _catch_ups(table)),
    )
    head = f"# Replay or skip: the safety contract\n\nVersion {RULE_VERSION} of the rules. {INTRODUCTION}\n"
    return head + "".join(f"\n## {title}\n\n{text}" for title, text in parts)


INTRODUCTION = (
    "The grade that counts is the higher one of the table and of\nwhat the checks ask for. Unknown is never a pass."
)


NOT_KNOWN = (
    "The sentences are those of an example. What cannot be told demands what its failure would, but for O7 code,\n"
    "which is ticked, and B5, which is told when the button is pressed. O1 and O6 ask for a tick where it is keyed."
)


def _cells(table: Table) -> str:
    rows = [(f"{row}. {row.sentence}", *(_cell(row, effect) for effect in Effect)) for row in Row]
    return table(("the original", *(str(effect) for effect in Effect)), rows)


def _cell(row: Row, effect: Effect) -> str:
    return " / ".join(grade.word for grade in TABLE[row, effect])


def _modifiers(table: Table) -> str:
    return table(("modifier", "changes", "words"), [(m.name, m.choice, m.sentence) for m in MODIFIERS])


def _checks(table: Table) -> str:
    head = ("check", "asks", "rests on", "where it passes", "where it does not", "then", "for")
    return table(head, [_check(check, failed(check.name)) for check in passed()])


def _check(fine: SafetyCheck, bad: SafetyCheck) -> tuple[str, ...]:
    about = " and ".join(sorted(fine.choices))
    return (fine.name, fine.asks, fine.rests_on, fine.sentence, bad.sentence, bad.demands, about)


def _catch_ups(table: Table) -> str:
    rows = [(f"`{name}`", c.made_up, _lasts(c), c.setting or "-", c.source) for name, c in CATCH_UPS.items()]
    return table(("dialect", "made up", "for", "its setting", "source"), rows)


def _lasts(line: CatchUp) -> str:
    if line.made_up in (MadeUp.NONE, MadeUp.UNKNOWN):
        return "-"
    return "no limit unless set" if line.lasts is None else span_text(line.lasts)
