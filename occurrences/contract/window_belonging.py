"""Which evidence of a window belongs to which occurrence, as far as it was known at a moment."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime

from .decisions import as_one_run
from .occurrences import Identity
from .records import Record
from .runs import Delivery, Run, runs_of
from .windows import Decided, Event, Window
from .workers import SlotUse


@dataclass(frozen=True, slots=True, kw_only=True)
class Belonging:
    """The evidence of a window at one moment.

    `records` lie under the occurrence they belong to; `names` are the occurrences that a tick or a scheduled run
    names. `slots` are those that runs of this schedule took.
    """

    records: dict[Identity, tuple[Record, ...]]
    names: frozenset[Identity]
    slots: tuple[SlotUse, ...]


def belonging(window: Window, as_of: datetime) -> Belonging:
    """Return what belongs where, of the evidence that was recorded by `as_of`.

    A run belongs to the occurrence named by its earliest handoff, by rank, that names one; a recovery id to that
    of its decision, whatever its records name.
    """
    events = _known(window.events, as_of)
    replays = {each.recovery_id: each for each in window.decisions if each.recovery_id is not None}
    homes = _homes(events) | {run: each.identity for run, each in replays.items()}
    records: dict[Identity, list[Record]] = {}
    for event in events:
        home = event.named if event.run is None else homes.get(event.run)
        if home is not None:
            records.setdefault(home, []).append(_record(event, replays.get(event.run or "")))
    return Belonging(
        records={home: tuple(found) for home, found in records.items()},
        names=frozenset(
            event.named
            for event in events
            if event.named is not None and event.named.schedule_key == window.schedule_key and event.run not in replays
        ),
        slots=tuple(_slots([_record(event, None) for event in events])),
    )


def _known(events: Iterable[Event], as_of: datetime) -> tuple[Event, ...]:
    """Return each event that was recorded by `as_of` once: the first received of one id."""
    first: dict[str, Event] = {}
    for event in sorted((event for event in events if event.recorded_at <= as_of), key=lambda e: e.recorded_at):
        first.setdefault(event.event_id, event)
    return tuple(first.values())


def _homes(events: Iterable[Event]) -> dict[str, Identity]:
    homes: dict[str, Identity] = {}
    for event in sorted(events, key=lambda event: event.handoff):
        if event.run is not None and event.named is not None:
            homes.setdefault(event.run, event.named)
    return homes


def _record(event: Event, replay: Decided | None) -> Record:
    return Record(
        handoff=event.handoff,
        record_id=event.event_id,
        outcome=event.outcome,
        observed_at=event.at,
        received_at=event.recorded_at,
        run=event.run,
        owner=event.owner,
        recovery=replay.number if replay is not None else 0,
        recovery_id=replay.recovery_id if replay is not None else None,
        named=event.named,
    )


def _slots(records: list[Record]) -> Iterator[SlotUse]:
    """Yield the slot of each delivery, from its claim to its end, of runs and replays alike."""
    refs = sorted({record.run for record in records if record.run is not None})
    for ref in refs:
        own = as_one_run((record for record in records if record.run == ref), ref)
        for run in runs_of(own):
            yield from (use for part in run.deliveries if (use := _slot(run, part)) is not None)


def _slot(run: Run, delivery: Delivery) -> SlotUse | None:
    taken = delivery.taken
    if taken is None or taken.owner is None:
        return None
    ahead = (run.enqueue, run.ready, taken)
    start = max(record.event_time for record in ahead if record is not None)
    ends = [each.terminal for each in run.deliveries if each.terminal is not None] + [run.expiration]
    own = [delivery.terminal] if delivery.terminal is not None else ends
    after = [end.event_time for end in own if end is not None and end.event_time >= start]
    return SlotUse(worker=taken.owner, start=start, end=min(after, default=None))
