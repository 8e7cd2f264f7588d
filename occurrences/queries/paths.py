"""The path of one occurrence from due to terminal, as the console, the API and the command show it."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from occurrences.contract.handoffs import Handoff
from occurrences.contract.judging import Judgement, judge
from occurrences.contract.occurrences import Identity
from occurrences.contract.replay_safety import ReplaySafety
from occurrences.models import HandoffRecord
from occurrences.queries.questions import Case, ask
from occurrences.queries.replay_safety import safety_of


@dataclass(frozen=True, slots=True)
class Path:
    """An occurrence with what the judge says of it now."""

    case: Case
    judgement: Judgement
    safety: ReplaySafety


def path_of(identity: Identity, *, as_of: datetime) -> Path | None:
    """Judge the occurrence as of a moment; None when there is no such occurrence."""
    case = ask([identity.key], as_of=as_of).get(identity.key)
    if case is None:
        return None
    said = judge(case.question)
    return Path(case, said, safety_of(case, said))


def newest_ended(source: str) -> Identity | None:
    """The newest occurrence of the source that has a terminal record."""
    row = (
        HandoffRecord.objects.filter(source__name=source, handoff=int(Handoff.TERMINAL))
        .select_related("occurrence__source", "occurrence__schedule")
        .order_by("-occurrence_id")
        .first()
    )
    return None if row is None else row.occurrence.identity


def as_document(path: Path) -> dict[str, Any]:
    """The path in the form of the machine interface; times are RFC 3339 in UTC."""
    said = path.judgement
    return {
        "identity": str(path.case.question.identity),
        "due_at": instant(path.case.question.identity.due_at),
        "verdict": said.verdict.value,
        "first_absent": None if said.first_absent is None else said.first_absent.word,
        "handoffs": [
            {
                "handoff": s.handoff.word,
                "state": s.state.value,
                "at": instant(s.at),
                "owner": s.owner,
                "record": s.record_id,
            }
            for s in said.stations
        ],
        "next_deadline": instant(said.next_deadline),
        "replay_safe": path.safety.value,
        "replay_safe_reason": path.safety.reason,
    }


def instant(when: datetime | None) -> str | None:
    """RFC 3339 in UTC with a Z, to the microsecond where there is one."""
    return None if when is None else when.isoformat().replace("+00:00", "Z")
