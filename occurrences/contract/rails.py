"""The rail of each replay: the eight stations of its own run, drawn under those of the original."""

from dataclasses import replace

from .answers import Answered, Replayed, reading_of
from .handoffs import Handoff
from .judgements import RecoveryRail, Station, StationState
from .readbacks import state_of
from .records import Record
from .stations import stations_of

BY_DECISION = "sent by a decision, not by the scheduler"


def rails_of(facts: Answered, records: tuple[Record, ...]) -> tuple[RecoveryRail, ...]:
    """Return one rail for each replay in order; `records` are all that are known of the occurrence."""
    return tuple(_rail(facts, replay, records) for replay in facts.replays)


def _rail(facts: Answered, replay: Replayed, records: tuple[Record, ...]) -> RecoveryRail:
    return RecoveryRail(
        number=replay.decision.recovery_number,
        recovery_id=replay.decision.recovery_id or "",
        decided_at=replay.decision.at,
        readback_by=replay.readback_by,
        stations=tuple(_own(station) for station in stations_of(replay.path, not_due=False, paused=False)),
        reading=state_of(reading_of(facts, replay, records)),
    )


def _own(station: Station) -> Station:
    """A replay has no tick, and whoever decided it is asked for its message, not the scheduler."""
    if station.handoff is Handoff.TICK:
        return Station(handoff=Handoff.TICK, state=StationState.NOT_EXPECTED, owner="console", note=BY_DECISION)
    if station.handoff is Handoff.ENQUEUE and station.record_id is None:
        return replace(station, owner="console")
    return station
