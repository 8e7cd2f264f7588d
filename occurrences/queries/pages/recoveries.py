"""What was decided of an occurrence, and the rail of each replay under that of the original."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from occurrences.contract.decisions import Choice
from occurrences.contract.judging import Judgement, RecoveryRail
from occurrences.contract.readbacks import ReplayState
from occurrences.contract.verdicts import Verdict
from occurrences.models import Decision, Replay
from occurrences.queries.pages.rail import Stop, rail_of_recovery
from occurrences.queries.pages.tones import ABSENT, DECIDED, LATE, NOT_YET, PRESENT, tone_of

REPLAY_TONES: Mapping[ReplayState, str] = MappingProxyType(
    {
        ReplayState.DECIDED: DECIDED,
        ReplayState.UNCERTAIN: LATE,
        ReplayState.DISPATCHED: NOT_YET,
        ReplayState.ACCEPTED: NOT_YET,
        ReplayState.RUNNING: NOT_YET,
        ReplayState.ENDED: NOT_YET,
        ReplayState.VERIFIED: PRESENT,
        ReplayState.FAILED: ABSENT,
        ReplayState.MISMATCH: ABSENT,
        ReplayState.DOUBLE_RUN: ABSENT,
        ReplayState.UNVERIFIED: LATE,
    }
)
RB1 = {
    "equal": (PRESENT, "Equal: its worker named source, schedule, due time and recovery as they were decided."),
    "mismatch": (ABSENT, "Mismatch: its worker named another identity."),
    None: (NOT_YET, "Not read back yet: no worker has named the identity."),
}
RB2 = {
    "clean": (PRESENT, "Clean: the original did not start since it was decided."),
    "double-run": (ABSENT, "Double run: the work was done, or begun, more than once."),
    None: (NOT_YET, "Not read yet: it is read once the recovery has ended."),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Recovery:
    """One replay: its stations, its state in words, and both readbacks."""

    rail: RecoveryRail
    stops: Sequence[Stop]
    tone: str
    readbacks: Sequence[tuple[str, str, str]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Decided:
    """One decision with what came of it."""

    decision: Decision
    words: str
    tone: str
    result: str
    sentence: str


def recoveries_of(decisions: Sequence[Decision], said: Judgement) -> list[Recovery]:
    """The rail of each replay in order; nothing is read from the database."""
    known = {d.replay.recovery_number for d in decisions if replay_of(d) is not None}
    return [_recovery(rail, said) for rail in said.recoveries if rail.number in known]


def _recovery(rail: RecoveryRail, said: Judgement) -> Recovery:
    return Recovery(
        rail=rail,
        stops=rail_of_recovery(rail, said),
        tone=REPLAY_TONES[rail.state],
        readbacks=[("Identity (RB1)", *RB1[rail.reading.rb1]), ("Original (RB2)", *RB2[rail.reading.rb2])],
    )


def decided_of(decisions: Sequence[Decision], said: Judgement) -> list[Decided]:
    """The decisions in order, each with its result: the state of its replay, or what a skip led to."""
    rails = {rail.number: rail for rail in said.recoveries}
    return [_decided(d, d is decisions[-1], rails, said) for d in decisions]


def _decided(decision: Decision, latest: bool, rails: dict[int, RecoveryRail], said: Judgement) -> Decided:
    words = Choice(decision.choice).value.capitalize()
    replay = replay_of(decision)
    if replay is not None and replay.recovery_number in rails:
        rail = rails[replay.recovery_number]
        words = f"{words}, recovery {replay.recovery_number}"
        tone, result, sentence = REPLAY_TONES[rail.state], rail.state.words, rail.sentence
    elif latest:
        (tone, result), sentence = skip_result(said.verdict), ""
    else:
        tone, result, sentence = DECIDED, "Followed by another decision", ""
    return Decided(decision=decision, words=words, tone=tone, result=result, sentence=sentence)


def skip_result(verdict: Verdict) -> tuple[str, str]:
    """Tone and words of what a skip led to. What had started before it keeps its own verdict."""
    bound = verdict in (Verdict.SKIPPED, Verdict.RAN_AFTER_SKIP)
    return (tone_of(verdict), verdict.words) if bound else (DECIDED, f"Stays as it was: {verdict.words}")


def replay_of(decision: Decision) -> Replay | None:
    """The replay of a decision that was loaded with it; None for a skip."""
    return getattr(decision, "replay", None)
