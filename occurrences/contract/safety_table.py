"""The decision table of the safety contract (4.5), as data: trail and liveness x effect class, then the modifiers."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import IntEnum, StrEnum
from types import MappingProxyType

from .decisions import Choice
from .effects import Effect
from .liveness import Liveness
from .safety_inputs import SafetyInputs
from .trails import Trail

# Stands in every snapshot: whoever changes a cell, a modifier or what a check demands counts it up.
RULE_VERSION = 1


class Grade(IntEnum):
    """How hard a choice is, from the mildest to the strictest."""

    ALLOW = 0
    WARN = 1
    OVERRIDE = 2
    TWO_PERSON = 3
    BLOCK = 4

    @property
    def word(self) -> str:
        """The machine value: `two-person`."""
        return self.name.lower().replace("_", "-")

    @property
    def words(self) -> str:
        """What it asks of a person."""
        return GRADE_WORDS[self]

    @property
    def needs_override(self) -> bool:
        """Whether only an owner may do it, with a second reason; two-person counts as one, marked as such."""
        return self in (Grade.OVERRIDE, Grade.TWO_PERSON)

    @property
    def stricter(self) -> "Grade":
        """The next grade, as far as two-person: only a success, a run or a live recovery blocks both choices."""
        return max(self, Grade(min(self + 1, Grade.TWO_PERSON)))


GRADE_WORDS: Mapping[Grade, str] = MappingProxyType(
    {
        Grade.ALLOW: "allowed",
        Grade.WARN: "allowed once each warning is ticked",
        Grade.OVERRIDE: "only by an owner, as an override with a second reason",
        Grade.TWO_PERSON: "only with a second person; an owner's override is marked as one that nobody approved",
        Grade.BLOCK: "not possible",
    }
)


class Row(StrEnum):
    """The rows of the table."""

    NEVER_BEGAN = "A"
    CLAIMED = "B"
    BEGAN = "C"
    CANNOT_TELL = "D"
    CAN_START = "E"
    RUNNING = "F"
    SUCCEEDED = "G"

    @property
    def sentence(self) -> str:
        """What the row says of the original."""
        return ROW_SENTENCES[self]


ROW_SENTENCES: Mapping[Row, str] = MappingProxyType(
    {
        Row.NEVER_BEGAN: "The original never began and cannot run any more.",
        Row.CLAIMED: "A worker took the original, no start is recorded, and it cannot run any more.",
        Row.BEGAN: "The original began and did not succeed: part of its work may be done. It cannot run any more.",
        Row.CANNOT_TELL: "Nobody can tell whether the original ran or still runs.",
        Row.CAN_START: "The original can still start by itself.",
        Row.RUNNING: "The original is running.",
        Row.SUCCEEDED: "The work of this due time is done: the absence is over, and there is nothing to decide.",
    }
)
EFFECTS = (Effect.KEYED, Effect.REPEATABLE, Effect.CUMULATIVE, Effect.ONCE, Effect.UNCLASSIFIED)
LETTERS = MappingProxyType(
    {"a": Grade.ALLOW, "w": Grade.WARN, "o": Grade.OVERRIDE, "t": Grade.TWO_PERSON, "b": Grade.BLOCK}
)
# Each cell: replay, then skip; in the order of EFFECTS.
CELLS = {
    Row.NEVER_BEGAN: "aw aw aw aw oo",
    Row.CLAIMED: "ww ww ww ow oo",
    Row.BEGAN: "ww ww ww to to",
    Row.CANNOT_TELL: "wo oo oo to to",
    Row.CAN_START: "wt ot ot tt tt",
    Row.RUNNING: "bb bb bb bb bb",
    Row.SUCCEEDED: "bb bb bb bb bb",
}
TABLE: Mapping[tuple[Row, Effect], tuple[Grade, Grade]] = MappingProxyType(
    {
        (row, effect): (LETTERS[cell[0]], LETTERS[cell[1]])
        for row, cells in CELLS.items()
        for effect, cell in zip(EFFECTS, cells.split(), strict=True)
    }
)
BEGUN = frozenset({Trail.STARTED_NO_TERMINAL, Trail.FAILED})
# Where the original can run no more, a later success covers the due time; while it can, a skip is a trap.
OVER = frozenset({Row.NEVER_BEGAN, Row.CLAIMED, Row.BEGAN})
ANSWERED = frozenset({Row.RUNNING, Row.SUCCEEDED})
STRICT = frozenset({Effect.ONCE, Effect.UNCLASSIFIED})


def row_of(inputs: SafetyInputs) -> Row:
    """Return the one row that applies; the riskiest liveness speaks first."""
    if inputs.succeeded:
        return Row.SUCCEEDED
    if inputs.liveness is Liveness.RUNNING:
        return Row.RUNNING
    if inputs.liveness is Liveness.CAN_START:
        return Row.CAN_START
    if inputs.liveness is Liveness.UNKNOWN or inputs.trail is Trail.BLIND:
        return Row.CANNOT_TELL
    if inputs.trail is Trail.CLAIMED_NOT_STARTED:
        return Row.CLAIMED
    return Row.BEGAN if inputs.trail in BEGUN else Row.NEVER_BEGAN


Applies = Callable[[SafetyInputs, Row], bool]
Changes = Callable[[Grade], Grade]


@dataclass(frozen=True, slots=True, kw_only=True)
class Modifier:
    """One modifier: to whom it applies, which choice it changes, and how."""

    name: str
    sentence: str
    choice: Choice
    applies: Applies
    changes: Changes


def _at_least(grade: Grade) -> Changes:
    return lambda held: max(held, grade)


def _past_window(inputs: SafetyInputs, row: Row) -> bool:
    return inputs.past_window is not False


def _overlaps(inputs: SafetyInputs, row: Row) -> bool:
    return inputs.overlap is not False


def _later_success(inputs: SafetyInputs, row: Row) -> bool:
    return inputs.later_success is not False and inputs.effect not in STRICT


def _later_success_strict(inputs: SafetyInputs, row: Row) -> bool:
    return inputs.later_success is not False and inputs.effect in STRICT


def _covered(inputs: SafetyInputs, row: Row) -> bool:
    return inputs.later_success is True and inputs.effect is Effect.CUMULATIVE and row in OVER


def _recovering(inputs: SafetyInputs, row: Row) -> bool:
    return inputs.recovering


def _unprovable(inputs: SafetyInputs, row: Row) -> bool:
    return inputs.provable is not True and row not in ANSWERED


def _modifier(name: str, choice: Choice, applies: Applies, changes: Changes, sentence: str) -> Modifier:
    return Modifier(name=name, choice=choice, applies=applies, changes=changes, sentence=sentence)


PAST = "It is past the replay window of its schedule, or whether it is so is not known."
OVERLAP = "A replay would overlap another run of a schedule that forbids it, or whether it would is not known."
LATER = "A later due time has succeeded, or whether one has is not known."
COVERED = "A later due time has succeeded and covers this one as well."
LIVE = "Another recovery of this due time is under way."
UNPROVABLE = "This source cannot prove that its evidence is complete: replays are one grade stricter."

# In the order in which they are applied.
MODIFIERS: tuple[Modifier, ...] = (
    _modifier("past window", Choice.REPLAY, _past_window, _at_least(Grade.OVERRIDE), PAST),
    _modifier("overlap", Choice.REPLAY, _overlaps, _at_least(Grade.OVERRIDE), OVERLAP),
    _modifier("later success", Choice.REPLAY, _later_success, _at_least(Grade.WARN), LATER),
    _modifier("later success, strict", Choice.REPLAY, _later_success_strict, _at_least(Grade.OVERRIDE), LATER),
    _modifier("covered", Choice.SKIP, _covered, lambda held: Grade.ALLOW, COVERED),
    _modifier("not provable", Choice.REPLAY, _unprovable, lambda held: held.stricter, UNPROVABLE),
    _modifier("live recovery", Choice.REPLAY, _recovering, _at_least(Grade.BLOCK), LIVE),
    _modifier("live recovery", Choice.SKIP, _recovering, _at_least(Grade.BLOCK), LIVE),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class TableVerdict:
    """What the table says of one choice: the grade of its cell, the grade after the modifiers, and which applied."""

    choice: Choice
    row: Row
    cell: Grade
    grade: Grade
    modifiers: tuple[Modifier, ...]


def read_table(inputs: SafetyInputs, choice: Choice) -> TableVerdict:
    """Return the one verdict of the table on `choice`, without the checks."""
    row = row_of(inputs)
    cell = TABLE[row, inputs.effect][0 if choice is Choice.REPLAY else 1]
    applied = tuple(each for each in MODIFIERS if each.choice is choice and each.applies(inputs, row))
    grade = cell
    for modifier in applied:
        grade = modifier.changes(grade)
    return TableVerdict(choice=choice, row=row, cell=cell, grade=grade, modifiers=applied)
