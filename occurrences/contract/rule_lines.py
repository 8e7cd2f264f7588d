"""One line of the table of verdicts."""

from collections.abc import Callable
from dataclasses import dataclass

from .answers import Answered
from .facts import Facts
from .handoffs import Handoff
from .verdicts import Verdict

Applies = Callable[[Answered], bool]
Named = Callable[[Facts], Handoff | None]
Sentence = Callable[[Answered], str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """One line of the table. `settled` rules do not hang on the path: no deadline of it can change them.

    `of_replay` rules speak of the path of the replay that counts, not of the original's.
    """

    name: str
    verdict: Verdict
    applies: Applies
    named: Named
    sentence: Sentence
    settled: bool = False
    of_replay: bool = False


def nothing(facts: Facts) -> Handoff | None:
    """Name no handoff."""
    return None


def opened(facts: Facts) -> Handoff | None:
    """Name the open handoff."""
    return facts.open


def owed(facts: Facts) -> Handoff | None:
    """Name the claim or the start that an expiry ended the wait for."""
    return facts.owed


def terminal(facts: Facts) -> Handoff | None:
    """Name the end."""
    return Handoff.TERMINAL
