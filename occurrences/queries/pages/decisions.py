"""The list of decisions: who decided what of which due time, why, and what came of it. Newest first."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from types import MappingProxyType
from uuid import UUID

from django.db.models import Q, QuerySet

from occurrences.contract.decisions import Choice
from occurrences.contract.readbacks import ReplayState
from occurrences.contract.verdicts import Verdict
from occurrences.models import Decision, Replay
from occurrences.queries.decisions import overtaken
from occurrences.queries.pages.addresses import address_of
from occurrences.queries.pages.recoveries import REPLAY_TONES, replay_of, skip_result
from occurrences.queries.pages.tones import ABSENT
from occurrences.queries.replays import readings

ON_A_PAGE = 50
UNDER_WAY = "under-way"
STATES: Mapping[str, str] = MappingProxyType(
    {
        UNDER_WAY: "Under way",
        **{s: ReplayState(s).words for s in ("verified", "failed", "mismatch", "double-run", "unverified")},
    }
)
CHOICES: Mapping[str, str] = MappingProxyType({choice.value: choice.value.capitalize() for choice in Choice})


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What the list is narrowed to, and before which decision it begins."""

    choice: str = ""
    state: str = ""
    before: int | None = None

    @property
    def words(self) -> str:
        """The filters in words."""
        return ", ".join(filter(None, (CHOICES.get(self.choice, self.choice), STATES.get(self.state, self.state))))


@dataclass(frozen=True, slots=True, kw_only=True)
class DecisionRow:
    """One decision of the list; `overtaken` says that evidence of the original came after it."""

    decision: Decision
    address: str
    words: str
    tone: str
    result: str
    overtaken: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class DecisionsPage:
    """The rows; `onward` is where the next page begins, None on the last."""

    rows: Sequence[DecisionRow]
    asked: Asked
    onward: int | None


def decisions_page(asked: Asked, *, now: datetime) -> DecisionsPage:
    """The page as of `now`, in a constant number of statements."""
    found = list(_narrowed(asked)[: ON_A_PAGE + 1])
    shown = found[:ON_A_PAGE]
    live = [r for r in map(replay_of, shown) if r is not None and r.closed_at is None]
    under_way = {replay.pk: reading.state for replay, reading in readings(live, as_of=now)} if live else {}
    late = overtaken(shown)
    return DecisionsPage(
        rows=[_row(decision, under_way, overtaken=decision.pk in late) for decision in shown],
        asked=asked,
        onward=shown[-1].pk if len(found) > ON_A_PAGE else None,
    )


def _narrowed(asked: Asked) -> QuerySet[Decision]:
    rows = Decision.objects.select_related("person", "replay", "occurrence__source", "occurrence__schedule")
    if asked.choice:
        rows = rows.filter(choice=asked.choice)
    if asked.state == UNDER_WAY:
        rows = rows.filter(Q(replay__isnull=False) & Q(replay__closed_at__isnull=True))
    elif asked.state:
        rows = rows.filter(replay__closed_as=asked.state)
    if asked.before is not None:
        rows = rows.filter(pk__lt=asked.before)
    return rows.order_by("-pk")


def _row(decision: Decision, under_way: dict[UUID, ReplayState], *, overtaken: bool) -> DecisionRow:
    replay = replay_of(decision)
    words = CHOICES[decision.choice]
    if replay is None:
        tone, result = skip_result(Verdict(decision.occurrence.verdict))
    else:
        words = f"{words}, recovery {replay.recovery_number}"
        tone, result = _state(replay, under_way)
    return DecisionRow(
        decision=decision,
        address=address_of(decision.occurrence.identity),
        words=words,
        tone=tone,
        result=result,
        overtaken=overtaken,
    )


def _state(replay: Replay, under_way: dict[UUID, ReplayState]) -> tuple[str, str]:
    text = replay.closed_as or under_way.get(replay.pk, ReplayState.DECIDED).value
    if text not in list(ReplayState):  # refused by the target before it began
        return ABSENT, text.capitalize()
    state = ReplayState(text)
    return REPLAY_TONES[state], state.words
