"""The checks of the safety contract (4.4): what blocks, what needs an override, what a person must tick.

Unknown is never a pass: a check that could not be told demands what its failure would, but for those that a person
can look up (`O7 code` and the warnings, which are ticked) and for what is only known when the button is pressed (B5).
O1 and O6 ask for a tick where the work is keyed: its target ignores a second run of the same due time.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import StrEnum

from . import safety_answers as answers
from .checks import Check, blocking
from .decisions import Choice
from .liveness import Liveness
from .safety_answers import Answer, Demand
from .safety_inputs import SafetyInputs
from .safety_table import Grade

BOTH = frozenset(Choice)
REPLAY = frozenset({Choice.REPLAY})


class Kind(StrEnum):
    """The three kinds of checks."""

    BLOCKING = "blocking"
    OVERRIDE = "override"
    WARNING = "warning"


@dataclass(frozen=True, slots=True, kw_only=True)
class SafetyCheck:
    """One check: True passed, False failed, None could not be told.

    `asks` is the question it answers, `rests_on` the evidence behind it, `demands` what it asks for now of the
    `choices` it speaks about.
    """

    name: str
    kind: Kind
    asks: str
    passed: bool | None
    sentence: str
    rests_on: str
    demands: Demand
    choices: frozenset[Choice] = REPLAY


Asked = Callable[[SafetyInputs], Answer]


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """One override or warning check as the table of checks holds it."""

    name: str
    kind: Kind
    asks: str
    rests_on: str
    answer: Asked
    choices: frozenset[Choice] = REPLAY

    @property
    def demands(self) -> Demand:
        """What it asks for where it does not pass."""
        return Demand.OVERRIDE if self.kind is Kind.OVERRIDE else Demand.TICK


def safety_checks(inputs: SafetyInputs) -> tuple[SafetyCheck, ...]:
    """Return every check in order: B1 to B7, O1 to O9, W1 to W7."""
    return (*(_blocking(check) for check in _doors(inputs)), *(_asked(rule, inputs) for rule in RULES))


def ticks_needed(checks: tuple[SafetyCheck, ...], choice: Choice) -> tuple[SafetyCheck, ...]:
    """Return the checks a person must tick, one by one, for `choice`."""
    return tuple(c for c in checks if choice in c.choices and c.demands in (Demand.TICK, Demand.OVERRIDE))


def lifted_to(checks: tuple[SafetyCheck, ...], choice: Choice) -> Grade:
    """Return the grade the checks ask for at least."""
    return max((check.demands.grade for check in checks if choice in check.choices), default=Grade.ALLOW)


def _doors(inputs: SafetyInputs) -> tuple[Check, ...]:
    """The blocking checks, with the liveness and the trail of these inputs: both pages and services read the same."""
    running = {Liveness.RUNNING: True, Liveness.UNKNOWN: None}.get(inputs.liveness, False)
    checks = blocking(replace(inputs.doors, original_running=running))
    if not inputs.succeeded or inputs.doors.succeeded_at is not None:
        return checks
    done = "It succeeded: there is nothing to decide."
    return tuple(replace(c, passed=False, sentence=done) if c.name == "B3" else c for c in checks)


DOORS = {
    "B1": ("Can the target carry the identity of the original?", "the schedule's snapshot"),
    "B2": ("Is no other recovery of this due time under way?", "the recoveries of this due time"),
    "B3": ("Is the work of this due time not done yet?", "the terminal records"),
    "B4": ("Is the original not running?", "its start and end, and its worker's heartbeat"),
    "B5": ("Is the evidence the same as on the page?", "the evidence revision"),
    "B6": ("May you decide for this schedule?", "your role and teams"),
    "B7 source": ("Is the source enabled?", "the source's settings"),
    "B7 target": ("Is there a replay target?", "the targets of this installation"),
    "B7 freeze": ("Are replays not frozen?", "the freeze switch"),
}


def _blocking(check: Check) -> SafetyCheck:
    asks, rests_on = DOORS[check.name]
    if check.passed is False:
        demands = Demand.BLOCK
    else:
        # B5 is told when the button is pressed, and nobody can tick it before
        demands = Demand.TICK if check.passed is None and check.name != "B5" else Demand.NOTHING
    return SafetyCheck(
        name=check.name,
        kind=Kind.BLOCKING,
        asks=asks,
        passed=check.passed,
        sentence=check.sentence,
        rests_on=rests_on,
        demands=demands,
        choices=check.blocks,
    )


def _asked(rule: Rule, inputs: SafetyInputs) -> SafetyCheck:
    answer = rule.answer(inputs)
    return SafetyCheck(
        name=rule.name,
        kind=rule.kind,
        asks=rule.asks,
        passed=answer.passed,
        sentence=answer.sentence,
        rests_on=rule.rests_on,
        demands=Demand.NOTHING if answer.passed else answer.demands or rule.demands,
        choices=rule.choices,
    )


def _rule(name: str, kind: Kind, asks: str, rests_on: str, answer: Asked, choices: frozenset[Choice] = REPLAY) -> Rule:
    return Rule(name=name, kind=kind, asks=asks, rests_on=rests_on, answer=answer, choices=choices)


OVER, WARN = Kind.OVERRIDE, Kind.WARNING
RULES: tuple[Rule, ...] = (
    _rule("O1", OVER, "Can the original not start any more?", "its liveness", answers.dead),
    _rule(
        "O2", OVER, "Did no first try leave partial effects outside?", "its claim and start", answers.no_partial_effects
    ),
    _rule("O3", OVER, "Is it inside the replay window?", "its age", answers.in_window),
    _rule("O4", OVER, "Would it overlap no other run?", "the neighbours", answers.no_overlap),
    _rule("O5", OVER, "Would it run in order?", "later due times", answers.in_order),
    _rule("O6", OVER, "Was the observer never blind where it matters?", "the coverage", answers.seen),
    _rule("O7", OVER, "Are schedule, task and arguments unchanged?", "the revisions", answers.schedule_unchanged),
    _rule("O7 code", OVER, "Is the code unchanged?", "deploys", answers.code_unchanged),
    _rule("O8", OVER, "Are few enough recoveries under way?", "the recoveries of its queue", answers.no_storm),
    _rule("O9", OVER, "Has an owner said what a second run does?", "the effect class", answers.classified),
    _rule("W1", WARN, "Did the due times before do better?", "the neighbours", answers.neighbours_fine),
    _rule("W2", WARN, "Would a worker take it in time?", "worker heartbeats and the queue", answers.workers_there),
    _rule("W3", WARN, "Can the records be trusted?", "clocks and conflicting records", answers.trusted, BOTH),
    _rule("W4", WARN, "Would it end before the next due time?", "run times of the schedule", answers.time_to_run),
    _rule("W5", WARN, "Does its local time exist once?", "the time zone", answers.unambiguous, BOTH),
    _rule("W6", WARN, "Did nothing arrive since the item opened?", "the records", answers.nothing_new, BOTH),
    _rule("W7", WARN, "Is it not covered by a later success?", "later due times", answers.not_superseded),
)
