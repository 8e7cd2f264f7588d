"""The checks that block a decision, whoever makes it. Each sentence is what the page shows."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from .decisions import Choice
from .times import clock_text

BOTH = frozenset(Choice)
REPLAY_ALONE = frozenset({Choice.REPLAY})


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckFacts:
    """What the checks look at, read in the decision's own transaction.

    `target` is the name of the replay target (None = the source has none), `target_task` what it would run (None
    = no snapshot said). `arguments_withheld` says that the entry has arguments and the tap does not send them.
    `live_recovery` is the number of a replay under way. `original_running` is None where nobody can tell.
    `shown_revision` is the evidence revision the person saw (None = no form was sent yet). `forbidden` is the
    sentence of a refused permission. `frozen` says that an admin froze all replays.
    """

    due_at: datetime
    source: str
    source_enabled: bool
    target: str | None
    target_task: str | None
    target_enabled: bool = True
    arguments_withheld: bool = False
    live_recovery: int | None = None
    succeeded_at: datetime | None = None
    original_running: bool | None = False
    shown_revision: int | None = None
    evidence_revision: int = 0
    forbidden: str | None = None
    frozen: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """One check: True passed, False failed, None could not be told. `blocks` names the choices it can block."""

    name: str
    passed: bool | None
    sentence: str
    blocks: frozenset[Choice] = BOTH


def blocking(facts: CheckFacts) -> tuple[Check, ...]:
    """Return the blocking checks in order (safety contract, B1 to B7).

    B5 (evidence changed) and B6 (no permission) are refused at their own doors and stand here to be shown.
    """
    return (
        _carried(facts),
        _no_live_recovery(facts),
        _no_success(facts),
        _not_running(facts),
        _evidence_unchanged(facts),
        _permitted(facts),
        _source_there(facts),
        _target_there(facts),
        _not_frozen(facts),
    )


def allowed(checks: Iterable[Check], choice: Choice) -> bool:
    """Return whether no check blocks `choice`. What could not be told only warns."""
    return all(check.passed is not False for check in checks if choice in check.blocks)


def blocked_by(checks: Iterable[Check], choice: Choice) -> tuple[Check, ...]:
    """Return the failed checks that block `choice`, in order."""
    return tuple(check for check in checks if check.passed is False and choice in check.blocks)


def _carried(facts: CheckFacts) -> Check:
    if facts.arguments_withheld:
        passed, sentence = False, "The schedule has arguments and its tap does not send them: run it by hand."
    elif facts.target_task is None:
        passed, sentence = False, "No snapshot says which task to run, so the identity cannot be carried."
    else:
        passed, sentence = True, f"The task {facts.target_task} can carry the original identity."
    return Check(name="B1", passed=passed, sentence=sentence, blocks=REPLAY_ALONE)


def _no_live_recovery(facts: CheckFacts) -> Check:
    if facts.live_recovery is not None:
        return Check(name="B2", passed=False, sentence=f"Recovery {facts.live_recovery} of this due time is under way.")
    return Check(name="B2", passed=True, sentence="No recovery of this due time is under way.")


def _no_success(facts: CheckFacts) -> Check:
    if facts.succeeded_at is not None:
        when = clock_text(facts.succeeded_at, facts.due_at.date())
        return Check(name="B3", passed=False, sentence=f"It succeeded at {when}: there is nothing to decide.")
    return Check(name="B3", passed=True, sentence="No success of this due time is on record.")


def _not_running(facts: CheckFacts) -> Check:
    if facts.original_running is None:
        sentence = "Nobody can tell whether the original is running: ask its worker first."
        return Check(name="B4", passed=None, sentence=sentence)
    if facts.original_running:
        return Check(name="B4", passed=False, sentence="The original is running: wait for its end.")
    return Check(name="B4", passed=True, sentence="The original is not running, as far as evidence goes.")


def _evidence_unchanged(facts: CheckFacts) -> Check:
    if facts.shown_revision is None:
        return Check(name="B5", passed=None, sentence="Whether evidence changed is looked at when you decide.")
    if facts.shown_revision != facts.evidence_revision:
        return Check(name="B5", passed=False, sentence="Evidence arrived after this page was shown.")
    return Check(name="B5", passed=True, sentence="No evidence arrived since this page was shown.")


def _permitted(facts: CheckFacts) -> Check:
    if facts.forbidden is not None:
        return Check(name="B6", passed=False, sentence=facts.forbidden)
    return Check(name="B6", passed=True, sentence="You may decide for this schedule.")


def _source_there(facts: CheckFacts) -> Check:
    if not facts.source_enabled:
        return Check(name="B7 source", passed=False, sentence=f"The source {facts.source} is disabled.")
    return Check(name="B7 source", passed=True, sentence=f"The source {facts.source} is enabled.")


def _target_there(facts: CheckFacts) -> Check:
    if facts.target is None:
        passed, sentence = False, f"The source {facts.source} has no replay target: run it by hand."
    elif not facts.target_enabled:
        passed, sentence = False, f"The replay target {facts.target} is disabled."
    else:
        passed, sentence = True, f"The replay target {facts.target} is there."
    return Check(name="B7 target", passed=passed, sentence=sentence, blocks=REPLAY_ALONE)


def _not_frozen(facts: CheckFacts) -> Check:
    passed, sentence = not facts.frozen, "Replays are not frozen."
    if facts.frozen:
        sentence = "Replays are frozen: nothing is sent until an admin lifts it. Skip and wait go on."
    return Check(name="B7 freeze", passed=passed, sentence=sentence, blocks=REPLAY_ALONE)
