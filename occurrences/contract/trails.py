"""How far the original came, as one word: input I1 of the safety contract."""

from collections.abc import Mapping
from enum import StrEnum
from types import MappingProxyType

from .handoffs import STEPS, Handoff
from .judgements import Finding, Judgement, Station, StationState
from .verdicts import Verdict


class Trail(StrEnum):
    """The first handoff the original is missing, or how it ended; `blind` where nobody can tell."""

    MISSING_TICK = "missing-tick"
    MISSING_ENQUEUE = "missing-enqueue"
    NOT_READY = "not-ready"
    DELAYED_CLAIM = "delayed-claim"
    EXPIRED_UNCLAIMED = "expired-unclaimed"
    CLAIMED_NOT_STARTED = "claimed-not-started"
    STARTED_NO_TERMINAL = "started-no-terminal"
    FAILED = "failed"
    SUCCEEDED = "succeeded"
    BLIND = "blind"

    @property
    def words(self) -> str:
        """The words on screen."""
        return WORDS[self]


WORDS: Mapping[Trail, str] = MappingProxyType(
    {
        Trail.MISSING_TICK: "Tick missing",
        Trail.MISSING_ENQUEUE: "Enqueue missing",
        Trail.NOT_READY: "Never ready",
        Trail.DELAYED_CLAIM: "Not claimed",
        Trail.EXPIRED_UNCLAIMED: "Expired before start",
        Trail.CLAIMED_NOT_STARTED: "Claimed, not started",
        Trail.STARTED_NO_TERMINAL: "Started, no end",
        Trail.FAILED: "Failed",
        Trail.SUCCEEDED: "Succeeded",
        Trail.BLIND: "Cannot tell",
    }
)
BY_OPEN: Mapping[Handoff, Trail] = MappingProxyType(
    {
        Handoff.TICK: Trail.MISSING_TICK,
        Handoff.ENQUEUE: Trail.MISSING_ENQUEUE,
        Handoff.READY: Trail.NOT_READY,
        Handoff.CLAIM: Trail.DELAYED_CLAIM,
        Handoff.START: Trail.CLAIMED_NOT_STARTED,
        Handoff.TERMINAL: Trail.STARTED_NO_TERMINAL,
    }
)
# Nobody looked, or the path was never meant to be walked: either way what is absent proves nothing.
UNSEEN = frozenset({StationState.NOT_OBSERVED, StationState.NOT_EXPECTED})


def trail_of(said: Judgement) -> Trail:
    """Return how far the original came, from its stations; what a replay did is no part of it."""
    end = said.stations[Handoff.TERMINAL]
    if end.at is not None:
        return Trail.SUCCEEDED if end.note == "succeeded" else Trail.FAILED
    station = open_station(said)
    started = said.stations[Handoff.START].at is not None
    if said.stations[Handoff.EXPIRATION].at is not None and not started:
        return Trail.EXPIRED_UNCLAIMED
    if station is None:
        return Trail.STARTED_NO_TERMINAL if started else Trail.BLIND
    if _blind(said, station):
        return Trail.BLIND
    if _of_original(said) and said.verdict is Verdict.EXPIRED_UNCLAIMED:
        return Trail.EXPIRED_UNCLAIMED
    return BY_OPEN[station.handoff]


def open_station(said: Judgement) -> Station | None:
    """Return the original's first reported station after the furthest recorded one; None where the path is over."""
    reached = [handoff for handoff in STEPS if said.stations[handoff].at is not None]
    if said.stations[Handoff.EXPIRATION].at is not None:
        reached.append(Handoff.READY)  # what was thrown away lay somewhere before
    furthest = max(reached, default=Handoff.DUE)
    ahead = (said.stations[handoff] for handoff in STEPS if handoff > furthest)
    return next((station for station in ahead if station.state is not StationState.NOT_REPORTED), None)


def _blind(said: Judgement, station: Station) -> bool:
    if _of_original(said) and said.verdict in (Verdict.UNKNOWN, Verdict.NOT_DUE, Verdict.PAUSED):
        return True
    return station.state in UNSEEN and said.stations[Handoff.EXPIRATION].state is not StationState.NOT_OBSERVED


def _of_original(said: Finding) -> bool:
    return said.of_recovery == 0
