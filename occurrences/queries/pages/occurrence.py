"""One occurrence from due to terminal: everything its page shows."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from occurrences.contract.absences import OPENING
from occurrences.contract.clock_notes import ClockNote
from occurrences.contract.handoffs import usual_owner
from occurrences.contract.judging import judge
from occurrences.contract.occurrences import Identity
from occurrences.contract.permissions import Person, check_can_note
from occurrences.contract.replay_safety import Replayable
from occurrences.contract.verdicts import Verdict
from occurrences.models import ClaimAgePolicy, Decision, Discrepancy, HandoffRecord, Occurrence
from occurrences.queries.pages.addresses import address_of
from occurrences.queries.pages.banner import Detector, detector
from occurrences.queries.pages.bodies import as_text
from occurrences.queries.pages.clock_notes import note_of
from occurrences.queries.pages.deciding import Desk, desk_of
from occurrences.queries.pages.processes import Life, lives_around
from occurrences.queries.pages.rail import Stop, hints_of, rail_of
from occurrences.queries.pages.recoveries import Decided, Recovery, decided_of, recoveries_of
from occurrences.queries.pages.rights import NOBODY, refusal
from occurrences.queries.pages.timeline import Review, newest_change, review_of
from occurrences.queries.pages.tones import tone_of
from occurrences.queries.paths import Path
from occurrences.queries.questions import ask
from occurrences.queries.replay_safety import safety_of

BESIDE = 4
RECORDS_AT_MOST = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class Beside:
    """A neighbour on the strip."""

    occurrence: Occurrence
    address: str
    words: str
    tone: str
    this: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class RawRecord:
    """A record as it came, as text."""

    handoff: str
    record_id: str
    received_at: datetime
    text: str
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """Everything the page shows, computed."""

    occurrence: Occurrence
    identity: Identity
    path: Path
    policy: ClaimAgePolicy
    tone: str
    stops: Sequence[Stop]
    recoveries: Sequence[Recovery]
    decided: Sequence[Decided]
    desk: Desk
    note_refused: str
    clock: ClockNote | None
    neighbours: Sequence[Beside]
    window: tuple[datetime, datetime]
    lives: Sequence[Life]
    review: Review
    records: Sequence[RawRecord]
    discrepancies: Sequence[RawRecord]
    ask: str
    rev: str
    now: datetime

    @property
    def address(self) -> str:
        """Where this page lives."""
        return address_of(self.identity)

    @property
    def safety_words(self) -> str:
        """Whether a replay could run the work twice; empty where nothing is lost that could be replayed."""
        answer, reason = self.path.safety.answer, self.path.safety.reason
        if answer is Replayable.YES:
            return f"A replay cannot run the work twice: {reason.partition(': ')[2]}"
        return reason if answer is Replayable.NEEDS_EVIDENCE else ""

    @property
    def hints(self) -> Sequence[tuple[str, str, str, str]]:
        """What the uncommon signs on the rails of this page mean."""
        return hints_of([*self.stops, *(stop for recovery in self.recoveries for stop in recovery.stops)])

    @property
    def changed(self) -> bool:
        """Whether evidence came after the form on this page was made."""
        return self.desk.revision != self.occurrence.evidence_revision

    @property
    def first_only(self) -> bool:
        """Whether the schedule has no other occurrence to compare with."""
        return len(self.neighbours) == 1


def revision_of(identity: Identity, *, now: datetime) -> str | None:
    """What a poll compares: evidence revision, verdict, the work item's newest change, and whether we are late.

    None where there is no such occurrence.
    """
    row = Occurrence.objects.filter(key=identity.key).first()
    return None if row is None else _revision(row, detector(now))


def _revision(row: Occurrence, watch: Detector) -> str:
    changed = newest_change(row.key)
    moment = "0" if changed is None else f"{int(changed.timestamp() * 1_000_000):x}"
    return f"{row.evidence_revision}-{row.verdict}-{moment}{'-late' if watch.late else ''}"


def is_known(identity: Identity) -> bool:
    """Whether there is such an occurrence."""
    return Occurrence.objects.filter(key=identity.key).exists()


def page_of(identity: Identity, *, now: datetime, person: Person = NOBODY, shown: int | None = None) -> Page | None:
    """The page as of `now` for this person; None when there is no such occurrence.

    `shown` is the evidence revision of a decide form that is on the page already. The number of statements is
    constant.
    """
    rows = Occurrence.objects.select_related("source", "schedule__team", "revision")
    row = rows.filter(key=identity.key).first()
    case = ask([identity.key], as_of=now).get(identity.key) if row is not None else None
    if row is None or case is None:
        return None
    said = judge(case.question)
    window, lives = lives_around(row.source_id, said, identity.due_at, now)
    decisions = decisions_of(row.key)
    return Page(
        occurrence=row,
        identity=identity,
        path=Path(case, said, safety_of(case, said)),
        policy=ClaimAgePolicy.objects.get(pk=case.policy_id or 0),
        tone=tone_of(said.verdict),
        stops=rail_of(said),
        recoveries=recoveries_of(decisions, said),
        decided=decided_of(decisions, said),
        desk=desk_of(row, said, person, shown=shown, now=now),
        note_refused=refusal(check_can_note, person),
        clock=note_of(row),
        neighbours=_beside(row, said.verdict),
        window=window,
        lives=lives,
        review=review_of(row),
        records=_records(row.key),
        discrepancies=_discrepancies(row.key),
        ask=usual_owner(said.named) if said.named is not None and OPENING[said.verdict] else "",
        rev=_revision(row, detector(now)),
        now=now,
    )


def decisions_of(key: UUID) -> list[Decision]:
    """The decisions of an occurrence in order, each with its replay and its person."""
    rows = Decision.objects.filter(occurrence_id=key).select_related("replay", "person")
    return list(rows.order_by("number"))


def nearest(identity: Identity) -> list[Occurrence]:
    """The due times of that schedule next to one that does not exist: two before it and two after."""
    rows = Occurrence.objects.select_related("source", "schedule").filter(
        source__name=identity.source, schedule__key=identity.schedule_key
    )
    before = rows.filter(due_at__lt=identity.due_at).order_by("-due_at")[:2]
    after = rows.filter(due_at__gt=identity.due_at).order_by("due_at")[:2]
    return [*reversed(before), *after]


def _beside(row: Occurrence, verdict: Verdict) -> list[Beside]:
    rows = Occurrence.objects.select_related("source", "schedule").filter(schedule_id=row.schedule_id)
    before = rows.filter(due_at__lt=row.due_at).order_by("-due_at")[:BESIDE]
    after = rows.filter(due_at__gt=row.due_at).order_by("due_at")[:BESIDE]
    return [
        Beside(
            occurrence=o,
            address=address_of(o.identity),
            # The row itself shows the verdict of this page, the others the one stored last.
            words=verdict.words if o is row else Verdict(o.verdict).words,
            tone=tone_of(verdict if o is row else o.verdict),
            this=o is row,
        )
        for o in [*reversed(before), row, *after]
    ]


def _records(key: UUID) -> list[RawRecord]:
    rows = HandoffRecord.objects.filter(occurrence_id=key).order_by("handoff", "observed_at")[:RECORDS_AT_MOST]
    return [
        RawRecord(
            handoff=r.get_handoff_display(), record_id=r.record_id, received_at=r.received_at, text=as_text(r.body)
        )
        for r in rows
    ]


def _discrepancies(key: UUID) -> list[RawRecord]:
    rows = Discrepancy.objects.filter(occurrence_id=key).order_by("received_at", "pk")[:RECORDS_AT_MOST]
    return [
        RawRecord(
            handoff=r.get_handoff_display(),
            record_id=r.record_id,
            received_at=r.received_at,
            text=as_text(r.body),
            reason=r.reason,
        )
        for r in rows
    ]
