"""How each override and warning check of the safety contract (4.4) comes out, and its sentence.

Unknown is never a pass. O1 and O6 ask for a tick where the work is keyed: its target ignores a second run of the same
due time, and the table weighs it in the same way.
"""

from dataclasses import dataclass
from datetime import timedelta
from enum import StrEnum

from .effects import Effect
from .liveness import Liveness
from .safety_inputs import SafetyInputs
from .safety_table import BEGUN, STRICT, Grade
from .times import clock_text, span_text
from .trails import Trail


class Demand(StrEnum):
    """What a check asks for before the choice."""

    NOTHING = "nothing"
    TICK = "tick"
    OVERRIDE = "override"
    BLOCK = "block"

    @property
    def grade(self) -> Grade:
        """The grade it lifts the choice to at least."""
        return GRADES[self]


GRADES = {
    Demand.NOTHING: Grade.ALLOW,
    Demand.TICK: Grade.WARN,
    Demand.OVERRIDE: Grade.OVERRIDE,
    Demand.BLOCK: Grade.BLOCK,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """How one check came out. `demands` is set where it differs from what its kind asks for."""

    passed: bool | None
    sentence: str
    demands: Demand | None = None


def _told(holds: bool | None, good: str, bad: str, unknown: str, demands: Demand | None = None) -> Answer:
    """The answer to a question that is good when it `holds`."""
    sentence = unknown if holds is None else good if holds else bad
    return Answer(passed=holds, sentence=sentence, demands=demands)


def _not(value: bool | None) -> bool | None:
    return None if value is None else not value


def _where_keyed(inputs: SafetyInputs) -> Demand | None:
    return Demand.TICK if inputs.effect is Effect.KEYED else None


def dead(inputs: SafetyInputs) -> Answer:
    passed = None if inputs.liveness is Liveness.UNKNOWN else inputs.liveness is Liveness.CANNOT
    return Answer(passed=passed, sentence=inputs.liveness_because, demands=_where_keyed(inputs))


def no_partial_effects(inputs: SafetyInputs) -> Answer:
    if inputs.effect is not Effect.ONCE:
        return Answer(passed=True, sentence="The effect class weighs what a first try may have done.")
    if inputs.trail is Trail.BLIND:
        return Answer(passed=None, sentence="Whether the original began is not known: part of it may be done outside.")
    if inputs.trail in BEGUN or inputs.trail is Trail.CLAIMED_NOT_STARTED:
        return Answer(passed=False, sentence="A worker had the original: part of its work may be done outside.")
    return Answer(passed=True, sentence="No worker had the original, so none of its work was begun.")


def in_window(inputs: SafetyInputs) -> Answer:
    window = inputs.replay_window
    limit = f"the replay window of {span_text(window)}" if window is not None else "what its schedule allows"
    old = f"It is {span_text(inputs.age)} old" if inputs.age is not None else "Its age"
    return _told(
        _not(inputs.past_window),
        f"{old}, inside {limit}." if inputs.age is not None else f"{old} lies inside {limit}.",
        f"{old}, past {limit}." if inputs.age is not None else f"{old} lies past {limit}.",
        "Whether it is still useful is not known: its schedule says no replay window.",
    )


def no_overlap(inputs: SafetyInputs) -> Answer:
    return _told(
        _not(inputs.overlap),
        "No other run of the schedule is in the way.",
        "Another run of the schedule is going or about to, and two at once are forbidden.",
        "Whether it would overlap another run of the schedule is not known.",
    )


def in_order(inputs: SafetyInputs) -> Answer:
    later, weighs = inputs.later_success, inputs.order_matters
    strict = inputs.effect in STRICT
    if later is False or (weighs is False and not strict):
        said = "No later due time has succeeded." if later is False else "The order of due times does not matter here."
        return Answer(passed=True, sentence=said)
    if later is None:
        return Answer(passed=None, sentence="Whether a later due time succeeded already is not known.")
    if strict or weighs:
        return Answer(passed=False, sentence="A later due time succeeded already: this one would run after it.")
    return Answer(passed=None, sentence="A later due time succeeded, and whether the order matters is not known.")


def seen(inputs: SafetyInputs) -> Answer:
    return _told(
        inputs.trail is not Trail.BLIND,
        "The evidence has no gap where it matters.",
        "The observer was blind where it matters.",
        "Whether the evidence has a gap is not known.",
        _where_keyed(inputs),
    )


def schedule_unchanged(inputs: SafetyInputs) -> Answer:
    if inputs.schedule_enabled is False:
        return Answer(passed=False, sentence="The schedule was deleted or switched off since.")
    if inputs.revision_same is False:
        return Answer(passed=False, sentence="The schedule's rule, task or arguments changed since it was due.")
    known = inputs.schedule_enabled is not None and inputs.revision_same is not None
    return _told(
        True if known else None,
        "The schedule is enabled and its task and arguments are those of the due time.",
        "",
        "Whether the schedule changed since it was due is not known.",
    )


def code_unchanged(inputs: SafetyInputs) -> Answer:
    return _told(
        inputs.code_same,
        "The workers run the code of the due time.",
        "The workers run other code than at the due time.",
        "Which code the workers run is not on record: look for a deploy since it was due.",
        Demand.TICK if inputs.code_same is None else None,
    )


def no_storm(inputs: SafetyInputs) -> Answer:
    if inputs.in_flight is None or inputs.cap is None:
        return Answer(passed=None, sentence="How many recoveries of this queue are under way is not known.")
    count = f"{inputs.in_flight} of at most {inputs.cap} recoveries of this queue are under way"
    return _told(inputs.in_flight < inputs.cap, f"{count}.", f"{count}: one more waits or presses on it.", "")


def classified(inputs: SafetyInputs) -> Answer:
    return _told(
        inputs.effect is not Effect.UNCLASSIFIED,
        inputs.effect.meaning,
        inputs.effect.meaning,
        "",
    )


def neighbours_fine(inputs: SafetyInputs) -> Answer:
    before = inputs.before
    if not before:
        why = (
            "This is the first due time of its schedule" if before is not None else "The due times before are not known"
        )
        return Answer(passed=None, sentence=f"{why}: there is nothing to compare with.")
    last = before[:2]
    said = ", ".join(f"{clock_text(n.due_at, inputs.doors.due_at.date())} {n.verdict}" for n in last)
    if any(n.failed is False for n in last):
        return Answer(passed=True, sentence=f"Not all of the last ones failed: {said}.")
    if any(n.failed is None for n in last):
        return Answer(passed=None, sentence=f"How the last ones ended is not known: {said}.")
    return Answer(passed=False, sentence=f"The last ones failed as well ({said}): a replay will likely fail, too.")


def workers_there(inputs: SafetyInputs) -> Answer:
    if inputs.workers_up == 0:
        return Answer(passed=False, sentence="No worker of its queue is up: a replay would wait as well.")
    waits, allowed = inputs.queue_age, inputs.claim_allowance
    if inputs.workers_up is None or waits is None or allowed is None:
        return Answer(passed=None, sentence="Whether its queue is being worked on in time is not known.")
    length = f"The oldest message of its queue waits {span_text(waits)}, of at most {span_text(allowed)}"
    late = f"{length}: a replay would be late as well."
    return _told(waits <= allowed, f"{inputs.workers_up} workers of its queue are up. {length}.", late, "")


def trusted(inputs: SafetyInputs) -> Answer:
    if inputs.skew or inputs.conflicting:
        wrong = "A clock of the evidence is off" if inputs.skew else "Two records of it say different things"
        return Answer(passed=False, sentence=f"{wrong}: look at the raw records first.")
    known = inputs.skew is not None and inputs.conflicting is not None
    good, unknown = "No record conflicts with another one.", "Whether its records can be trusted is not known."
    return _told(True if known else None, good, "", unknown)


def time_to_run(inputs: SafetyInputs) -> Answer:
    left, usual = inputs.until_next, inputs.usual_run
    if left == timedelta.max:
        return Answer(passed=True, sentence="No further due time is ahead.")
    if left is None or usual is None:
        return Answer(passed=None, sentence="Whether a replay would end before the next due time is not known.")
    said = f"The next due time is {span_text(left)} away and a run takes up to {span_text(usual)}"
    return _told(left >= usual, f"{said}.", f"{said}: the two may meet.", "")


def unambiguous(inputs: SafetyInputs) -> Answer:
    return _told(
        _not(inputs.ambiguous),
        "Its local time exists once.",
        "Its local time came twice, or not at all: make sure that this is the one you mean.",
        "Whether its local time is ambiguous is not known.",
    )


def nothing_new(inputs: SafetyInputs) -> Answer:
    count = inputs.arrived_since
    return _told(
        None if count is None else count == 0,
        "No record arrived since its work item was opened.",
        f"{count} {'record' if count == 1 else 'records'} arrived since its work item was opened: read them first.",
        "Whether records arrived since its work item was opened is not known.",
    )


def not_superseded(inputs: SafetyInputs) -> Answer:
    if inputs.effect is not Effect.CUMULATIVE:
        return Answer(passed=True, sentence="No later success stands for this due time.")
    return _told(
        _not(inputs.later_success),
        "No later due time has succeeded.",
        "A later success covers this due time: skip is the better choice.",
        "Whether a later success covers this due time is not known.",
    )
