"""Replay or skip, weighed: the table, its modifiers and the checks in one value (safety contract, 4.5).

A service gathers `SafetyInputs` in its own transaction, calls `assess` and obeys `grade_of(choice)`: block refuses,
override and two-person need an owner, warn needs `ticks_of(choice)` ticked. The page shows the same value.
`replay_safety` (could the work run twice?) may stand beside it and never makes it milder.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType

from .decisions import Choice
from .effects import Effect
from .liveness import Liveness
from .safety_checks import SafetyCheck, lifted_to, safety_checks, ticks_needed
from .safety_inputs import SafetyInputs
from .safety_table import RULE_VERSION, Grade, Row, TableVerdict, read_table
from .trails import Trail

__all__ = ["Advice", "Assessment", "ChoiceVerdict", "assess"]


class Advice(StrEnum):
    """What to do first."""

    ARRIVED = "arrived"
    WAIT = "wait"
    REVOKE_FIRST = "revoke-first"
    GET_EVIDENCE = "get-evidence"
    REPLAY = "replay"
    SKIP = "skip"

    @property
    def sentence(self) -> str:
        """The advice, for a person."""
        return ADVICE_SENTENCES[self]


ADVICE_SENTENCES: Mapping[Advice, str] = MappingProxyType(
    {
        Advice.ARRIVED: "The work is done: the item closes by itself, and there is nothing to decide.",
        Advice.WAIT: "Wait: what is under way has to end first.",
        Advice.REVOKE_FIRST: "Revoke the original first, then read the queue again.",
        Advice.GET_EVIDENCE: "Get evidence first: answer the questions below.",
        Advice.REPLAY: "Replay is the milder choice.",
        Advice.SKIP: "Skip is the milder choice.",
    }
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ChoiceVerdict:
    """The verdict on one choice: what the table says, what the checks lift it to, and the sentence why.

    `grade` is the higher of both and what counts. `because` names each reason beyond the cell of the table.
    """

    choice: Choice
    grade: Grade
    table: TableVerdict
    lifted_to: Grade
    sentence: str
    because: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Assessment:
    """The whole answer: one verdict per choice, every check, what to do first and what is still to be asked.

    `questions` are empty unless both choices are at least an override because something is not known.
    """

    row: Row
    effect: Effect
    replay: ChoiceVerdict
    skip: ChoiceVerdict
    checks: tuple[SafetyCheck, ...]
    advice: Advice
    questions: tuple[str, ...]
    rule_version: int = RULE_VERSION

    @property
    def needs_evidence(self) -> bool:
        """Whether neither replay nor skip should be chosen before the questions are answered."""
        return bool(self.questions)

    def verdict_of(self, choice: Choice) -> ChoiceVerdict:
        """Return the verdict on `choice`."""
        return self.replay if choice is Choice.REPLAY else self.skip

    def grade_of(self, choice: Choice) -> Grade:
        """Return the grade that counts for `choice`."""
        return self.verdict_of(choice).grade

    def ticks_of(self, choice: Choice) -> tuple[SafetyCheck, ...]:
        """Return the checks a person must tick for `choice`."""
        return ticks_needed(self.checks, choice)


def assess(inputs: SafetyInputs) -> Assessment:
    """Return the one assessment of `inputs`."""
    checks = safety_checks(inputs)
    replay, skip = (_verdict(inputs, checks, choice) for choice in (Choice.REPLAY, Choice.SKIP))
    questions = _questions(inputs, replay, skip)
    return Assessment(
        row=replay.table.row,
        effect=inputs.effect,
        replay=replay,
        skip=skip,
        checks=checks,
        advice=_advice(inputs, replay, skip, asking=bool(questions)),
        questions=questions,
    )


def _verdict(inputs: SafetyInputs, checks: tuple[SafetyCheck, ...], choice: Choice) -> ChoiceVerdict:
    table, lifted = read_table(inputs, choice), lifted_to(checks, choice)
    grade = max(table.grade, lifted)
    heavy = tuple(c for c in checks if choice in c.choices and c.demands.grade > max(table.cell, Grade.WARN))
    because = tuple(dict.fromkeys([m.sentence for m in table.modifiers] + [c.sentence for c in heavy]))
    return ChoiceVerdict(
        choice=choice,
        grade=grade,
        table=table,
        lifted_to=lifted,
        sentence=f"{table.row.sentence} {inputs.effect.meaning} {choice.value.capitalize()}: {grade.words}.",
        because=because,
    )


QUEUE = "Read the target's queue: does it still hold the original?"
WORKER = "Ask the worker that took it: did it begin, and how far did it come?"
GAP = "Close the gap in the evidence: is the source's spool shipped, and what does it say?"
CLASSIFY = "Classify the schedule: what would a second run of the same due time do?"
SCHEDULER = "Ask the scheduler: will it still fire this due time?"
NEVER_MADE = frozenset({Trail.MISSING_TICK, Trail.MISSING_ENQUEUE})
TAKEN = frozenset({Trail.CLAIMED_NOT_STARTED, Trail.STARTED_NO_TERMINAL, Trail.FAILED})


def _questions(inputs: SafetyInputs, replay: ChoiceVerdict, skip: ChoiceVerdict) -> tuple[str, ...]:
    """What to find out first, where neither choice is milder than an override and something unknown is why."""
    held = inputs.succeeded or inputs.recovering or inputs.liveness is Liveness.RUNNING
    if held or min(replay.grade, skip.grade) < Grade.OVERRIDE:
        return ()
    asked = []
    if inputs.trail is Trail.BLIND:
        asked.append(GAP)
    if inputs.liveness is Liveness.UNKNOWN:
        asked.append(QUEUE)
        asked += [SCHEDULER] if inputs.trail in NEVER_MADE else []
        asked += [WORKER] if inputs.trail in TAKEN else []
    if inputs.effect is Effect.UNCLASSIFIED:
        asked.append(CLASSIFY)
    return tuple(asked)


def _advice(inputs: SafetyInputs, replay: ChoiceVerdict, skip: ChoiceVerdict, *, asking: bool) -> Advice:
    if inputs.succeeded:
        return Advice.ARRIVED
    if inputs.recovering or inputs.liveness is Liveness.RUNNING or inputs.doors.frozen:
        return Advice.WAIT
    if inputs.liveness is Liveness.CAN_START:
        return Advice.REVOKE_FIRST if inputs.can_revoke else Advice.WAIT
    if asking or replay.table.row is Row.CANNOT_TELL:
        return Advice.GET_EVIDENCE
    return Advice.SKIP if skip.grade < replay.grade else Advice.REPLAY
