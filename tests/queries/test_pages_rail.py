"""The rail in words: what may still come is late, what will not is absent, and how it ended is said in its own word."""

from datetime import UTC, datetime, timedelta

from occurrences.contract.handoffs import Handoff
from occurrences.contract.judging import Judgement, Station, StationState
from occurrences.contract.verdicts import Verdict
from occurrences.queries.pages.rail import Stop, hints_of, in_words, rail_of

DUE = datetime(2026, 10, 25, 1, 30, tzinfo=UTC)
SECOND = timedelta(seconds=1)


def rail(
    verdict: Verdict, *stations: Station, first: Handoff | None = None, named: Handoff | None = None
) -> list[Stop]:
    said = Judgement(
        verdict=verdict,
        first_absent=first,
        named=named,
        expected_by=None,
        sentence="",
        stations=stations,
        arithmetic=(),
        next_deadline=None,
        next_role=None,
        still_absent=False,
        blind_from=None,
        trust="",
    )
    return rail_of(said)


def station(handoff: Handoff, state: StationState, **more: object) -> Station:
    return Station(handoff=handoff, state=state, **more)  # type: ignore[arg-type]


def test_a_claim_delayed_is_late_where_an_enqueue_missing_is_absent():
    claim = station(Handoff.CLAIM, StationState.ABSENT, late_by=20 * 60 * SECOND)
    enqueue = station(Handoff.ENQUEUE, StationState.ABSENT)
    (late,) = rail(Verdict.DELAYED_CLAIM, claim, first=Handoff.CLAIM)
    (absent,) = rail(Verdict.MISSING_ENQUEUE, enqueue, first=Handoff.ENQUEUE)
    assert (late.tone, late.words) == ("late", "Late, not seen yet, 20 min past its limit")
    assert (absent.tone, absent.words) == ("absent", "Absent")
    assert late.boxed
    assert absent.boxed


def test_a_late_claim_that_came_is_no_first_absent_station():
    (stop,) = rail(Verdict.DELAYED_CLAIM, station(Handoff.CLAIM, StationState.LATE, at=DUE, late_by=SECOND))
    assert (stop.tone, stop.words, stop.boxed) == ("late", "Late, 1 s past its limit", False)


def test_the_gap_to_the_handoff_ahead_stands_beside_on_time():
    stops = rail(
        Verdict.ON_TIME,
        station(Handoff.DUE, StationState.ON_TIME, at=DUE),
        station(Handoff.TICK, StationState.ON_TIME, at=DUE + 0.4 * SECOND),
        station(Handoff.ENQUEUE, StationState.ON_TIME, at=DUE + 75 * SECOND),
    )
    assert [stop.words for stop in stops] == ["On time", "On time, +0.4 s", "On time, +74 s"]


def test_an_end_that_is_no_success_is_absent_in_tone_and_says_its_own_word():
    (bad,) = rail(Verdict.FAILED, station(Handoff.TERMINAL, StationState.ON_TIME, at=DUE, note="cancelled"))
    (good,) = rail(Verdict.ON_TIME, station(Handoff.TERMINAL, StationState.ON_TIME, at=DUE, note="succeeded"))
    assert (bad.tone, bad.words) == ("absent", "Ended: cancelled")
    assert (good.tone, good.words) == ("present", "On time")


def test_an_expiration_on_record_was_reached_and_is_never_on_time():
    (stop,) = rail(Verdict.EXPIRED_UNCLAIMED, station(Handoff.EXPIRATION, StationState.ON_TIME, at=DUE))
    assert (stop.tone, stop.words) == ("late", "Reached")


def test_what_could_not_be_seen_is_boxed_but_not_called_absent():
    tick = station(Handoff.TICK, StationState.NOT_OBSERVED)
    (stop,) = rail(Verdict.UNKNOWN, tick, named=Handoff.TICK)
    assert (stop.tone, stop.words, stop.first, stop.boxed) == ("blind", "Not observed", False, True)


def test_no_record_needed_and_no_record_possible_have_silhouettes_of_their_own():
    implied = station(Handoff.READY, StationState.IMPLIED)
    silent = station(Handoff.CLAIM, StationState.NOT_REPORTED)
    assert [stop.icon for stop in rail(Verdict.ON_TIME, implied, silent)] == ["implied", "unreported"]


def test_one_record_for_two_handoffs_is_said_and_drawn_so():
    ready = station(Handoff.READY, StationState.ON_TIME, at=DUE, stands_with=Handoff.ENQUEUE)
    late = station(Handoff.TICK, StationState.LATE, at=DUE, late_by=SECOND, stands_with=Handoff.ENQUEUE)
    (stop,), (behind,) = rail(Verdict.ON_TIME, ready), rail(Verdict.LATE_ENQUEUE, late)
    assert (stop.tone, stop.icon, stop.words) == ("present", "merged", "With enqueue")
    assert (behind.icon, behind.words) == ("late", "Late, 1 s past its limit")


def test_only_uncommon_signs_are_explained():
    stops = rail(
        Verdict.UNKNOWN,
        station(Handoff.DUE, StationState.ON_TIME, at=DUE),
        station(Handoff.READY, StationState.ON_TIME, at=DUE, stands_with=Handoff.ENQUEUE),
        station(Handoff.CLAIM, StationState.NOT_REPORTED),
        station(Handoff.START, StationState.IMPLIED),
        station(Handoff.TERMINAL, StationState.NOT_OBSERVED),
    )
    assert [(tone, icon, word) for tone, icon, word, _ in hints_of(stops)] == [
        ("present", "merged", "With another"), ("implied", "implied", "Implied"),
        ("off", "unreported", "Not reported"), ("blind", "blind", "Not observed"),
    ]  # fmt: skip
    assert hints_of(stops[:1]) == []


def test_all_stations_make_one_text():
    stops = rail(
        Verdict.PENDING, station(Handoff.DUE, StationState.ON_TIME), station(Handoff.TICK, StationState.NOT_YET)
    )
    assert in_words(stops) == "Due: on time, Scheduler tick: not yet"
