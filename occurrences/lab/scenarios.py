"""The six ways to lose a run, each produced for real. What the console should say is printed, not checked."""

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta

from occurrences.lab.control import Control, LabError
from occurrences.lab.plan import BACKUP, REINDEX, ROLLUP, Job

CLAIM_AGE = timedelta(seconds=5)  # a little over what the lab's own policy allows
WORKER, BEAT = "lab-worker", "lab-beat"
Say = Callable[[str], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Produced:
    """The occurrences a scenario hit, and what the console should show for them."""

    identities: list[str]
    verdict: str
    first_absent: str | None
    until: str | None = None  # what fills the absent handoff after all, late


@dataclass(frozen=True, slots=True, kw_only=True)
class Wish:
    """How to play a scenario: how long the missing part is away (seconds) and by which signal it goes."""

    away: float
    signal: str = "TERM"


def available_worker(control: Control, wish: Wish, say: Say) -> Produced:
    """Everything is there; wait for one run to end."""
    due = ROLLUP.next_due(_now())
    say(f"waiting for {ROLLUP.key} at {due:%H:%M:%S}Z")
    _sleep_until(due + timedelta(seconds=ROLLUP.takes + 1))
    return _produced("On time", None, ROLLUP, [due])


def delayed_worker(control: Control, wish: Wish, say: Say) -> Produced:
    """The worker is gone while beat goes on: messages wait in the queue, and are claimed late."""
    start, end = _without(control, WORKER, wish, say)
    # Those due just before the worker came back were claimed in time after all.
    hit = _produced("Claim delayed", "claim", ROLLUP, ROLLUP.dues(start, end - CLAIM_AGE))
    return replace(hit, until="the worker that came back claimed it")


def missed_enqueue(control: Control, wish: Wish, say: Say) -> Produced:
    """Beat ticks, but the broker refuses its message; beat does not send it again."""
    with control.refusing_to_enqueue():
        start = _now()
        say(f"the broker refuses lpush to the lab's user for {wish.away:g} s")
        time.sleep(wish.away)
        end = _now()
    say("the broker takes messages again")
    return _produced("Enqueue missing", "enqueue", ROLLUP, ROLLUP.dues(start, end))


def missed_tick(control: Control, wish: Wish, say: Say) -> Produced:
    """Beat is gone while the worker goes on; its in-memory scheduler catches nothing up."""
    start, end = _without(control, BEAT, wish, say)
    return _produced("Tick missing", "tick", ROLLUP, ROLLUP.dues(start, end))


def expired_before_claim(control: Control, wish: Wish, say: Say) -> Produced:
    """A message with an expiry waits for a worker until its time is over."""
    start, end = _without(control, WORKER, wish, say)
    patience = timedelta(seconds=(REINDEX.expires or 0) + 1)
    return _produced("Expired before start", "claim", REINDEX, REINDEX.dues(start, end - patience))


def killed_mid_run(control: Control, wish: Wish, say: Say) -> Produced:
    """The worker is killed while a run is under way: claimed and started, never ended."""
    due = BACKUP.next_due(_now())
    say(f"waiting for {BACKUP.key} at {due:%H:%M:%S}Z, which takes {BACKUP.takes:g} s")
    _sleep_until(due + timedelta(seconds=BACKUP.takes / 2))
    with control.away(WORKER, "KILL"):
        say(f"{WORKER} killed in the middle of it, away for {wish.away:g} s")
        time.sleep(wish.away)
    return _produced("Lost after claim", "terminal", BACKUP, [due])


SCENARIOS: dict[str, Callable[[Control, Wish, Say], Produced]] = {
    "available-worker": available_worker,
    "delayed-worker": delayed_worker,
    "missed-enqueue": missed_enqueue,
    "missed-tick": missed_tick,
    "expired-before-claim": expired_before_claim,
    "killed-mid-run": killed_mid_run,
}
# Long enough for at least one due time of the schedule concerned to run out of its allowance.
AWAY = {"delayed-worker": 20, "missed-enqueue": 8, "missed-tick": 20, "expired-before-claim": 16}


def play(name: str, *, control: Control, say: Say, away: float | None = None, signal: str = "TERM") -> Produced:
    """Play one scenario on a running lab and return what it hit. Raises LabError."""
    missing = [child for child in (WORKER, BEAT) if not control.is_running(child)]
    if missing:
        raise LabError(f"{' and '.join(missing)} is not running: start it with `manage.py children start`.")
    wish = Wish(away=AWAY.get(name, 5) if away is None else away, signal=signal)
    produced = SCENARIOS[name](control, wish, say)
    if not produced.identities:
        raise LabError(f"No due time of the schedule fell into the {wish.away:g} s: try a longer --away.")
    return produced


def _without(control: Control, name: str, wish: Wish, say: Say) -> tuple[datetime, datetime]:
    """Take a child away; returns when it was surely gone and when it was about to come back."""
    with control.away(name, wish.signal):
        start = _now()
        say(f"{name} ended by {wish.signal}, away for {wish.away:g} s")
        time.sleep(wish.away)
        end = _now()
    say(f"{name} started again")
    return start, end


def _produced(verdict: str, first_absent: str | None, job: Job, dues: list[datetime]) -> Produced:
    identities = [job.identity(due) for due in dues]
    return Produced(identities=identities, verdict=verdict, first_absent=first_absent)


def _now() -> datetime:
    return datetime.now(UTC)


def _sleep_until(moment: datetime) -> None:
    time.sleep(max((moment - _now()).total_seconds(), 0))
