"""The verdicts of an occurrence that was decided (handoff contract, 6): they go before those of its path.

A skip binds an original that has not started, a replay one that neither succeeded nor started since: where they
do not bind, no line here applies and the original's own verdict is the answer.
"""

from collections.abc import Callable

from . import answer_sentences as said
from . import sentences
from .answers import Answered, Replayed
from .facts import Facts
from .handoffs import Handoff
from .rule_lines import Named, Rule, Sentence, nothing, opened, owed, terminal
from .verdicts import Verdict

Asked = Callable[[Replayed], bool]


def _skipped(facts: Answered) -> bool:
    return facts.skip is not None and facts.first_start is None


def _ran_after_skip(facts: Answered) -> bool:
    return facts.skip is not None and facts.first_start is not None and facts.first_start >= facts.skip.at


def _both_ran(facts: Answered) -> bool:
    return facts.replay is not None and facts.binding is None and facts.replay.started


def _never_read_back(replay: Replayed) -> bool:
    return not replay.read_back and (replay.ended or replay.readback_over)


def _waits_for_readback(replay: Replayed) -> bool:
    return not replay.read_back


def _failed(replay: Replayed) -> bool:
    return replay.ended and replay.path.ended != "succeeded"


def _succeeded(replay: Replayed) -> bool:
    return replay.ended


def _lost(replay: Replayed) -> bool:
    return replay.path.loss is not None and replay.path.loss.proven


def _expired_on_record(replay: Replayed) -> bool:
    return replay.path.expired_on_record


def _expired_by_clock(replay: Replayed) -> bool:
    return replay.path.expired_by_clock


def _absent(handoff: Handoff) -> Asked:
    def asked(replay: Replayed) -> bool:
        return replay.path.open is handoff and replay.path.open_absent

    return asked


def _unknown(replay: Replayed) -> bool:
    return replay.path.unknown


def _always(replay: Replayed) -> bool:
    return True


def _of_replay(name: str, verdict: Verdict, asked: Asked, named: Named, sentence: Sentence) -> Rule:
    def applies(facts: Answered) -> bool:
        return facts.binding is not None and asked(facts.binding)

    return Rule(name=name, verdict=verdict, applies=applies, named=named, sentence=sentence, of_replay=True)


def _path(sentence: Callable[[Facts], str]) -> Sentence:
    """Say of the replay's path what is said of an original's."""

    def told(facts: Answered) -> str:
        return said.of_path(facts, sentence)

    return told


V = Verdict
H = Handoff
S = sentences

ANSWER_RULES: tuple[Rule, ...] = (
    Rule(name="skipped", verdict=V.SKIPPED, applies=_skipped, named=nothing, sentence=said.skipped),
    Rule(
        name="started after the skip",
        verdict=V.RAN_AFTER_SKIP,
        applies=_ran_after_skip,
        named=nothing,
        sentence=said.ran_after_skip,
    ),
    Rule(name="original and replay ran", verdict=V.DUPLICATE, applies=_both_ran, named=nothing, sentence=said.both_ran),
    _of_replay("replay not read back", V.RECOVERY_UNVERIFIED, _never_read_back, nothing, said.unverified),
    _of_replay("replay waits for its readback", V.PENDING, _waits_for_readback, nothing, said.waiting),
    _of_replay("replay ended, not well", V.FAILED, _failed, terminal, _path(S.failed)),
    _of_replay("replay succeeded", V.RECOVERED, _succeeded, nothing, said.recovered),
    _of_replay("claimant of the replay went down", V.LOST_AFTER_CLAIM, _lost, opened, _path(S.lost)),
    _of_replay("replay expired", V.EXPIRED_UNCLAIMED, _expired_on_record, owed, _path(S.expired_on_record)),
    _of_replay("replay out of time", V.EXPIRED_UNCLAIMED, _expired_by_clock, owed, _path(S.expired_by_clock)),
    _of_replay("replay not started", V.DELAYED_START, _absent(H.START), opened, _path(S.delayed_start)),
    _of_replay("replay not ended", V.OVERRAN, _absent(H.TERMINAL), opened, _path(S.overran)),
    _of_replay("blind to the replay", V.UNKNOWN, _unknown, opened, _path(S.unknown)),
    _of_replay("replay under way", V.PENDING, _always, opened, _path(S.pending)),
)
