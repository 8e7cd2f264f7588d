"""What happened to an occurrence between the moment a form was made and the moment it was sent."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from occurrences.contract.decisions import Choice
from occurrences.contract.handoffs import Handoff
from occurrences.contract.verdicts import Verdict
from occurrences.models import Decision, HandoffRecord
from occurrences.queries.pages.occurrence import Page
from occurrences.queries.pages.tones import DECIDED, LATE, tone_of

AT_MOST = 50
TWICE = "A replay now could run the same due time twice."


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """One thing that changed: when, what, and what follows from it."""

    at: datetime
    tone: str
    what: str
    text: str
    follows: str = ""


def changes_since(page: Page, *, since: datetime, verdict: str) -> Sequence[Change]:
    """What came after `since`, newest last, with the verdict as it is now at the end."""
    key = page.occurrence.key
    changes = sorted([*_records(key, since), *_decisions(key, since)], key=lambda change: change.at)
    return [*changes, *_verdict(page, verdict)]


def _records(key: UUID, since: datetime) -> list[Change]:
    rows = HandoffRecord.objects.filter(occurrence_id=key, received_at__gt=since).order_by("received_at", "handoff")
    return [_record(row) for row in rows[:AT_MOST]]


def _record(row: HandoffRecord) -> Change:
    handoff = Handoff(row.handoff)
    of_recovery = f" of recovery {row.recovery_number}" if row.recovery_number else ""
    run = f", run {row.run_ref}" if row.run_ref else ""
    return Change(
        at=row.received_at,
        tone=LATE,
        what=f"{handoff.label}{of_recovery} arrived",
        text=f"record {row.record_id}{run}.",
        follows=TWICE if handoff >= Handoff.ENQUEUE and not row.recovery_number else "",
    )


def _decisions(key: UUID, since: datetime) -> list[Change]:
    rows = Decision.objects.filter(occurrence_id=key, decided_at__gt=since).select_related("person")
    return [_decision(row) for row in rows.order_by("number")[:AT_MOST]]


def _decision(row: Decision) -> Change:
    replayed = row.choice == Choice.REPLAY.value
    follows = TWICE if replayed else "It was decided that this due time stays without a run."
    text = f"{row.person.get_username()} recorded {row.choice}: “{row.reason}”"
    return Change(at=row.decided_at, tone=DECIDED, what="Decision", text=text, follows=follows)


def _verdict(page: Page, before: str) -> list[Change]:
    now = page.path.judgement.verdict
    if before == now.value or before not in list(Verdict):
        return []
    text = f"was {Verdict(before).words}. {page.path.judgement.sentence}"
    return [Change(at=page.now, tone=tone_of(now), what=f"Verdict now {now.words}", text=text)]
