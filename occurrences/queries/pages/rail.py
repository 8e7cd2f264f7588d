"""The rail: eight stations of a judgement, ready to be printed."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from types import MappingProxyType

from occurrences.contract.handoffs import Handoff
from occurrences.contract.judging import Judgement, RecoveryRail, Station, StationState
from occurrences.contract.times import span_text
from occurrences.contract.verdicts import Verdict
from occurrences.queries.pages.tones import ABSENT, BLIND, IMPLIED, LATE, STATE_TONES, VERDICT_TONES

MERGED, UNREPORTED = "merged", "unreported"
# What a newcomer cannot guess from the word alone, by the silhouette that stands for it.
MEANINGS: Mapping[str, tuple[str, str]] = MappingProxyType(
    {
        MERGED: ("With another", "The source writes one record for both: that record stands here too."),
        IMPLIED: (
            "Implied",
            "No record of it came, but a later one did: it happened, and its own evidence is missing.",
        ),
        UNREPORTED: (
            "Not reported",
            "The source has no signal for it: it is never called absent, its time is added on.",
        ),
        BLIND: ("Not observed", "Our view ended before its limit: it may have happened or not, nothing is claimed."),
    }
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Stop:
    """One station as it stands on a page. `first` marks the first absent handoff, `blind` what could not be seen."""

    station: Station
    tone: str
    icon: str
    words: str
    first: bool
    blind: bool

    @property
    def boxed(self) -> bool:
        """Whether this is the station the verdict speaks of."""
        return self.first or self.blind


def rail_of(said: Judgement) -> list[Stop]:
    """The stations in order, each with its words and its tone."""
    return _stops(said.stations, said, original=True)


def rail_of_recovery(rail: RecoveryRail, said: Judgement) -> list[Stop]:
    """The stations of one replay; the first absent handoff is the original's, so none is marked here."""
    return _stops(rail.stations, said, original=False, since=rail.decided_at)


def _stops(
    stations: Sequence[Station], said: Judgement, *, original: bool, since: datetime | None = None
) -> list[Stop]:
    stops, before = [], None
    for station in stations:
        stops.append(_stop(station, said, before, original=original))
        # A replay begins at its decision, not at the due time.
        before = max(filter(None, (station.at or before, since)), default=None)
    return stops


def hints_of(stops: Sequence[Stop]) -> list[tuple[str, str, str, str]]:
    """Tone, icon, word and meaning of each uncommon state on these rails, in the order of `MEANINGS`."""
    shown = {stop.icon: stop.tone for stop in reversed(stops)}
    return [(shown[icon], icon, word, means) for icon, (word, means) in MEANINGS.items() if icon in shown]


def in_words(stops: Sequence[Stop]) -> str:
    """All stations in one text, for whoever cannot see the dots."""
    return ", ".join(f"{stop.station.handoff.label}: {stop.words.lower()}" for stop in stops)


def _stop(station: Station, said: Judgement, before: datetime | None, *, original: bool) -> Stop:
    first = original and said.first_absent is station.handoff and station.at is None
    tone = _tone(station, said, first=first)
    icon = _icon(station, tone)
    unseen = original and said.verdict is Verdict.UNKNOWN and said.named is station.handoff
    words = _words(station, said, before, first=first)
    return Stop(station=station, tone=tone, icon=icon, words=words, first=first, blind=unseen and not first)


def _icon(station: Station, tone: str) -> str:
    if station.state is StationState.ON_TIME and station.stands_with is not None:
        return MERGED
    return UNREPORTED if station.state is StationState.NOT_REPORTED else tone


def _tone(station: Station, said: Judgement, *, first: bool) -> str:
    if first and station.state is StationState.ABSENT:
        # A claim that is late has the tone of late: it may still come by itself.
        return VERDICT_TONES[said.verdict] if _may_still_come(said) else ABSENT
    if _ended_badly(station):
        return ABSENT
    if station.handoff is Handoff.EXPIRATION and station.state is StationState.ON_TIME:
        return LATE
    return STATE_TONES[station.state]


def _words(station: Station, said: Judgement, before: datetime | None, *, first: bool) -> str:
    if _ended_badly(station):
        return f"Ended: {station.note}"
    if station.handoff is Handoff.EXPIRATION and station.state is StationState.ON_TIME:
        return "Reached"
    words = "Late, not seen yet" if first and _may_still_come(said) else station.state.words
    if station.late_by is not None:
        return f"{words}, {span_text(station.late_by)} past its limit"
    if station.state is StationState.ON_TIME and station.stands_with is not None:
        return f"With {station.stands_with.label.lower()}"
    if station.state is StationState.ON_TIME and station.at is not None and before is not None:
        return f"{words}, +{_gap(station.at - before)}"
    return words


def _may_still_come(said: Judgement) -> bool:
    return said.verdict in (Verdict.DELAYED_CLAIM, Verdict.DELAYED_START)


def _ended_badly(station: Station) -> bool:
    return station.handoff is Handoff.TERMINAL and station.at is not None and station.note not in (None, "succeeded")


def _gap(gap: timedelta) -> str:
    seconds = max(gap.total_seconds(), 0.0)
    return span_text(gap) if seconds >= 10 else f"{seconds:.1f} s"
