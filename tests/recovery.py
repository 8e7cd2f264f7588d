"""People, a missed run and a target, for everything that decides and replays."""

from collections.abc import Sequence
from datetime import timedelta
from types import SimpleNamespace
from uuid import UUID, uuid4

from django.contrib.auth.models import Group, User

from occurrences.adapters.base import Message, Repeats, TargetRefused, TargetUnreachable
from occurrences.contract.decisions import Choice
from occurrences.models import Occurrence, Schedule, Team
from occurrences.services.absences import sweep
from occurrences.services.decisions import Outcome, decide
from tests import wire
from tests.wire import SOURCE, T0, handoff, record

S, M = timedelta(seconds=1), timedelta(minutes=1)
TARGETS = {SOURCE: "memory"}
NOW = T0 + 2 * M


class FakeTarget:
    """A target in memory that keeps what it was sent, and can be told to fail before or after it took a message."""

    repeats = Repeats.PROBE
    can_revoke = False

    def __init__(self) -> None:
        self.sent: list[Message] = []
        self.queue: list[UUID] = []
        self.fails: str | None = None

    def publish(self, message: Message) -> None:
        if self.fails == "before":
            raise TargetUnreachable("connection refused")
        if self.fails == "refused":
            raise TargetRefused("the receiver answered 410")
        self.sent.append(message)
        self.queue.append(message.recovery_id)
        if self.fails == "after":
            raise TargetUnreachable("the answer was lost")

    def holds(self, recovery_id: UUID, queue: str) -> bool:
        return recovery_id in self.queue

    def revoke(self, run: str, queue: str) -> bool:
        return False

    def original_waits(self, run: str, queue: str) -> bool | None:
        return None

    def by_hand(self, message: Message) -> str | None:
        return None


def person(name: str, role: str, *teams: str) -> User:
    user, _ = User.objects.get_or_create(username=name)
    user.groups.add(Group.objects.get_or_create(name=role)[0])
    for team in teams:
        user.teams.add(Team.objects.get_or_create(name=team)[0])
    return user


def missed(*, team: str | None = "Billing") -> SimpleNamespace:
    """A flagged missed tick of a schedule that `team` owns, with an owner; as of NOW."""
    wire.source(now=T0 - timedelta(hours=2))
    start = T0 - S
    record([wire.schedule(at=start, rule="every 3600s", anchor=wire.text(T0)), *wire.watched(start)], now=start)
    record(wire.covered(NOW), now=NOW)
    sweep(by="tests", now=NOW)
    row = Occurrence.objects.get(due_at=T0)
    assert row.verdict == "missing-tick"
    if team:
        Schedule.objects.update(team=Team.objects.get_or_create(name=team)[0])
    return SimpleNamespace(key=row.key, owner=person("olga", "owner", "Billing"), row=row)


def decided(case: SimpleNamespace, choice: Choice = Choice.REPLAY, **more: object) -> Outcome:
    row = Occurrence.objects.get(key=case.key)
    values = {
        "key": case.key,
        "choice": choice,
        "reason": "beat was away",
        "decision_key": uuid4(),
        "evidence_revision": row.evidence_revision,
        "targets": TARGETS,
        "by": case.owner,
        "now": NOW,
    }
    return decide(**(values | more))


def ran(recovery_id: UUID, words: Sequence[str] = ("claim", "start", "terminal"), **more: object) -> list[wire.Body]:
    """The records of a replay, as the target's own worker writes them."""
    seconds = {"claim": 1, "start": 2, "terminal": 3}
    run = str(recovery_id)
    return [handoff(w, NOW + seconds[w] * S, run=run, **({"recovery": run} | more)) for w in words]
