"""What is said of a due time on the days the clock changes, in the dialect of the source, and on no other day."""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from occurrences.contract.clock_notes import clock_note, left_out
from occurrences.contract.local_times import due_of
from occurrences.contract.schedules import parse_rule

BERLIN, LORD_HOWE = "Europe/Berlin", "Australia/Lord_Howe"
DAY = timedelta(days=1)


def notes(rule: str, dialect: str, zone: str, day: str) -> dict[str, str]:
    """The note of each due time of the UTC day and the one before, by its instant."""
    anchor = datetime(2020, 1, 1, tzinfo=UTC) if dialect == "interval" else None
    parsed, end = parse_rule(rule, dialect, zone, anchor), datetime.fromisoformat(day).replace(tzinfo=UTC) + DAY
    found = {due.due_at: clock_note(due, parsed, dialect) for due in parsed.due_times(end - 2 * DAY, end)}
    return {f"{at:%H:%M}Z": note.words for at, note in found.items() if note is not None}


def test_each_of_two_equal_local_times_knows_which_it_is_with_its_offset():
    found = notes("30 2 * * *", "croniter", BERLIN, "2026-10-25")
    assert list(found) == ["00:30Z", "01:30Z"]
    assert "02:30 happens twice on 25 Oct 2026 in Europe/Berlin. This is the first one (CEST, UTC+2)" in found["00:30Z"]
    assert "This is the second one (CET, UTC+1); the first is 00:30Z (CEST, UTC+2)." in found["01:30Z"]
    assert found["01:30Z"].endswith("In the dialect croniter a fixed time is due at both passes.")


def test_the_dialect_of_the_source_says_which_pass_counts():
    (fixed,) = notes("30 2 * * *", "debian-cron", BERLIN, "2026-10-25").values()
    assert fixed.endswith("In the dialect debian-cron a fixed time is due at the first pass only.")
    wild = notes("30 * * * *", "debian-cron", BERLIN, "2026-10-25")["01:30Z"]
    assert wild.endswith("In the dialect debian-cron a rule with * for the minute or hour is due at both passes.")
    elapsed = notes("every 1800s", "interval", BERLIN, "2026-10-25")["01:30Z"]
    assert elapsed.endswith("An interval counts elapsed seconds, so both passes have their due times.")


def test_half_an_hour_and_midnight_are_folds_too():
    found = notes("45 1 * * *", "fugit", LORD_HOWE, "2026-04-04")
    assert "01:45 happens twice on 5 Apr 2026 in Australia/Lord_Howe. This is the first one (UTC+11)" in found["14:45Z"]
    assert "(UTC+10:30); the first is 14:45Z (UTC+11)." in found["15:15Z"]
    assert (
        "23:30 happens twice on 4 Apr 2026" in notes("30 23 * * *", "fugit", "America/Santiago", "2026-04-05")["02:30Z"]
    )


@pytest.mark.parametrize(
    ("rule", "dialect", "zone", "day", "at", "words"),
    [
        ("30 2 * * *", "celery-beat", BERLIN, "2026-03-29", "01:30Z",
         "02:30 does not exist on this day in Europe/Berlin: the clock goes from 02:00 CET (UTC+1) to 03:00 CEST "
         "(UTC+2). In the dialect celery-beat such a time keeps the old offset, so it is due as much later as the "
         "clock jumps. It is due at 03:30 CEST (UTC+2), which is 01:30Z."),
        ("30 2 * * *", "debian-cron", BERLIN, "2026-03-29", "01:00Z",
         "In the dialect debian-cron such a time is due at the first instant after the jump. It is due at 03:00 CEST"),
        ("15 2 * * *", "debian-cron", LORD_HOWE, "2026-10-03", "15:30Z",
         "the clock goes from 02:00 (UTC+10:30) to 02:30 (UTC+11)."),
        ("30 0 * * *", "celery-beat", "Africa/Cairo", "2026-04-23", "22:30Z",
         "00:30 does not exist on this day in Africa/Cairo: the clock goes from 00:00 EET (UTC+2) to 01:00 EEST"),
        ("0 3 * * *", "croniter", "Pacific/Apia", "2011-12-30", "10:00Z",
         "the clock goes from 30 Dec 00:00 (UTC-10) to 31 Dec 00:00 (UTC+14)."),
    ],
)  # fmt: skip
def test_a_time_that_does_not_exist_says_where_it_went(
    rule: str, dialect: str, zone: str, day: str, at: str, words: str
):
    assert words in notes(rule, dialect, zone, day)[at]


def test_what_a_dialect_leaves_out_is_told_at_the_jump():
    start = datetime(2026, 3, 27, tzinfo=UTC)
    (one,) = left_out(parse_rule("30 2 * * *", "kubernetes", BERLIN), "kubernetes", start, start + 9 * DAY)
    assert one.at == datetime(2026, 3, 29, 1, tzinfo=UTC)
    assert one.note.startswith("02:30 does not exist on 29 Mar 2026 in Europe/Berlin: the clock goes from 02:00 CET")
    assert one.note.endswith("In the dialect kubernetes such a time is left out. Nothing is due.")
    for rule, dialect in (("30 3 * * *", "kubernetes"), ("30 * * * *", "kubernetes"), ("30 2 * * *", "croniter")):
        assert not list(left_out(parse_rule(rule, dialect, BERLIN), dialect, start, start + 9 * DAY))
    assert not list(left_out(None, "unknown", start, start + 9 * DAY))


def test_another_hour_of_such_a_day_is_told_that_it_comes_once():
    found = notes("30 6 * * *", "celery-beat", BERLIN, "2026-10-25")["05:30Z"]
    assert found == (
        "The clock in Europe/Berlin goes back on this day, 25 Oct 2026, from 03:00 CEST (UTC+2) to 02:00 CET (UTC+1). "
        "06:30 comes once."
    )
    assert "goes forward on this day" in notes("30 6 * * *", "celery-beat", BERLIN, "2026-03-29")["04:30Z"]


@pytest.mark.parametrize("day", [24, 26])
def test_an_ordinary_day_has_no_note(day: int):
    due = due_of(datetime(2026, 10, day, 6, 30, tzinfo=UTC), ZoneInfo(BERLIN))
    assert clock_note(due, None, "celery-beat") is None


def test_a_gap_that_the_zones_of_today_do_not_know_keeps_the_words_it_was_stored_with():
    due = due_of(datetime(2026, 10, 20, 6, 30, tzinfo=UTC), ZoneInfo("UTC"), "02:30 does not exist")
    assert clock_note(due, None, "unknown").words == "02:30 does not exist."
