"""What a window file is read into, and where one that cannot be read is wrong."""

import json
from datetime import timedelta

import pytest

from occurrences.contract.decisions import Choice
from occurrences.contract.errors import InvalidWindow
from occurrences.contract.handoffs import Handoff, Role
from occurrences.contract.window_files import read_window
from occurrences.contract.window_judging import judged
from tests.contract.window_documents import document, event, moment, name, path, window


def wrong(change) -> InvalidWindow:
    made = document(*path(1), decisions=[decision(1)], expected={"occurrences": [expected(1)]})
    change(made)
    with pytest.raises(InvalidWindow) as caught:
        read_window(json.dumps(made, indent=1).encode())
    return caught.value


def decision(hour: float, **fields) -> dict:
    return {"decision": "replay", "occurrence": name(hour), "at": moment(hour, 900), "recovery_id": "rec-1"} | fields


def expected(hour: float, **fields) -> dict:
    usual = {"local_due": moment(hour), "first_absent": None, "verdict": "on-time", "replay_safe": False}
    return {"identity": name(hour)} | usual | fields


def test_what_a_file_leaves_out_has_its_usual_meaning():
    made = window(*path(1))
    assert made.allowances.readback == timedelta(seconds=900)
    assert made.allowances.expires is None
    assert made.give_up == timedelta(seconds=1800)
    assert {stretch.role for stretch in made.coverage.stretches} == {Role.SCHEDULER, Role.WORKERS}
    assert made.coverage.unbroken(Role.WORKERS, made.start, made.end)
    assert (made.decisions, made.never_due, made.choice, made.note) == ((), (), None, "")
    assert all(made.capabilities.merged_with(handoff) is None for handoff in Handoff)


def test_a_kept_window_carries_more():
    policy = document()["policy"] | {"expires_s": 600, "readback_grace_s": 60, "give_up_s": 0.5}
    made = window(
        policy=policy,
        coverage=[{"from": moment(0), "to": moment(1), "role": "workers", "recorded_at": moment(2)}],
        capabilities={"ready": "merged_with:enqueue", "claim": "none"},
        choice="skip",
        note="kept",
    )
    assert (made.allowances.expires, made.allowances.readback) == (timedelta(minutes=10), timedelta(minutes=1))
    assert made.give_up == timedelta(seconds=0.5)
    assert [(stretch.role, stretch.known_at) for stretch in made.coverage.stretches] == [
        (Role.WORKERS, made.start + timedelta(hours=2))
    ]
    assert made.capabilities.merged_with(Handoff.READY) is Handoff.ENQUEUE
    assert (made.choice, made.note) == (Choice.SKIP, "kept")


def test_an_empty_coverage_is_none_and_no_complete_one():
    made = window(coverage=[])
    assert not made.coverage.unbroken(Role.SCHEDULER, made.start, made.start)


def test_decisions_are_put_in_order_and_replays_counted():
    rows = [decision(1, at=moment(2, 5), recovery_id="b"), decision(1), decision(2, decision="skip", recovery_id=None)]
    made = window(decisions=rows)
    assert [(each.choice, each.number, each.recovery_id) for each in made.decisions] == [
        (Choice.REPLAY, 1, "rec-1"),
        (Choice.REPLAY, 2, "b"),
        (Choice.SKIP, 0, None),
    ]


def test_moments_are_put_in_order_of_time_and_the_final_one_last():
    rows = [{"observe_at": moment(hour), "occurrences": [expected(1)]} for hour in (2, 1)]
    made = window(expected_earlier=rows)
    assert [moment.as_of.hour for moment in made.moments] == [1, 2, 3]


def test_the_name_of_another_schedule_is_no_occurrence_of_this_one():
    made = window(event("tick", 1, 1, occurrence=f"other@{moment(1)}"))
    said = {each.identity.due_at.hour: each for each in judged(made, made.moments[-1].as_of)}
    assert {each.identity.schedule_key for each in said.values()} == {"hourly"}
    assert said[1].judgement.verdict.value == "missing-tick"


@pytest.mark.parametrize(
    ("change", "where", "reason"),
    [
        (lambda d: d.pop("id"), "id", "is missing"),
        (lambda d: d.pop("schedule"), "schedule", "is missing"),
        (lambda d: d.update(schedule=[]), "schedule", "is not an object"),
        (lambda d: d["schedule"].update(key="a@b\0"), "schedule.key", "holds a NUL"),
        (lambda d: d["schedule"].update(timezone="Europe/Nowhere"), "schedule.timezone", "no time zone"),
        (lambda d: d["schedule"].update(cron="61 * * * *"), "schedule.cron", "61"),
        (lambda d: d["window"].update(to=moment(-1)), "window.to", "before the beginning"),
        (lambda d: d["policy"].update(claim_age_s="2"), "policy.claim_age_s", "is not a number"),
        (lambda d: d["policy"].update(claim_age_s=-2), "policy.claim_age_s", "below 0"),
        (lambda d: d["policy"].pop("tick_grace_s"), "policy.tick_grace_s", "is missing"),
        (lambda d: d["workers"][0].update(capacity=1.5), "workers[0].capacity", "whole number"),
        (lambda d: d["workers"].append(3), "workers[1]", "is not an object"),
        (lambda d: d.update(workers={}), "workers", "is not a list"),
        (lambda d: d["handoffs"][3].update(kind="due"), "handoffs[3].kind", "is none of"),
        (lambda d: d["handoffs"][3].update(at="2025-03-03T01:00:00"), "handoffs[3].at", "has no offset"),
        (lambda d: d["handoffs"][3].update(at="1970-01-01T00:00:00Z"), "handoffs[3].at", "outside the years"),
        (lambda d: d["handoffs"][0].update(occurrence="hourly"), "handoffs[0].occurrence", "an identity looks like"),
        (lambda d: d["handoffs"][0].pop("event_id"), "handoffs[0].event_id", "is missing"),
        (lambda d: d["decisions"][0].update(decision="wait"), "decisions[0].decision", "is none of"),
        (lambda d: d["decisions"].append(decision(2)), "decisions[1].recovery_id", "that of another decision"),
        (lambda d: d.update(capabilities={"claim": "maybe"}), "capabilities", "'maybe'"),
        (lambda d: d.update(coverage=[{"from": moment(0), "to": moment(1), "role": "clock"}]), "coverage[0].role", ""),
        (lambda d: d["expected"].pop("occurrences"), "expected.occurrences", "is missing"),
        (lambda d: d["expected"]["occurrences"][0].pop("verdict"), "expected.occurrences[0].verdict", "is missing"),
        (lambda d: d["expected"]["occurrences"][0].update(verdict="ok"), "expected.occurrences[0].verdict", "ok"),
        (lambda d: d["expected"]["occurrences"][0].update(replay_safe=1), "expected.occurrences[0].replay_safe", "1"),
        (
            lambda d: d["expected"]["occurrences"][0].update(identity=f"other@{moment(1)}"),
            "expected.occurrences[0].identity",
            "another schedule",
        ),
        (
            lambda d: d["expected"]["occurrences"][0].update(also_acceptable={"verdict": ["fine"]}),
            "expected.occurrences[0].also_acceptable.verdict",
            "fine",
        ),
        (lambda d: d.update(observe_at=None), "observe_at", "is null"),
        (lambda d: d.update(choice="wait"), "choice", "is none of"),
    ],
)
def test_a_document_that_cannot_be_read_says_where(change, where, reason):
    refusal = wrong(change)
    assert refusal.where == where
    assert reason in refusal.reason
    assert refusal.line >= 1


@pytest.mark.parametrize(
    ("content", "line", "reason"),
    [
        (b'{"id":\n "x",\n}', 3, "is no JSON"),
        (b"", 1, "is no JSON"),
        (b"[]", 1, "is not an object"),
        (b'{\n"id": "\xff"}', 2, "is not UTF-8"),
        (b"[" * 100_000, 1, "is nested too deep"),
    ],
)
def test_what_is_no_document_says_on_which_line(content, line, reason):
    with pytest.raises(InvalidWindow, match=reason) as caught:
        read_window(content)
    assert caught.value.line == line


def test_a_refusal_knows_the_line_of_its_place():
    made = document(*path(1))
    made["handoffs"][2]["at"] = "soon"
    text = json.dumps(made, indent=1)
    with pytest.raises(InvalidWindow) as caught:
        read_window(b"\xef\xbb\xbf" + text.encode())
    assert '"at": "soon"' in text.splitlines()[caught.value.line - 1]


def test_one_occurrence_is_expected_once_at_a_moment():
    refused = wrong(lambda made: made["expected"]["occurrences"].append(expected(1, verdict="failed")))
    assert (refused.where, refused.reason) == ("expected.occurrences[1].identity", "is expected twice")


@pytest.mark.parametrize("year", ["0001", "9999"])
def test_a_local_time_lies_in_the_years_that_there_are(year):
    wall = {"local": f"{year}-01-01T00:00", "timezone": "Pacific/Apia"}
    refused = wrong(lambda made: made["expected"].update(no_occurrence_for=[wall]))
    assert refused.where == "expected.no_occurrence_for[0].local"


def test_a_number_too_long_to_read_is_refused():
    with pytest.raises(InvalidWindow, match="too long"):
        read_window(b'{"id": ' + b"1" * 5_000 + b"}")


def test_a_window_of_more_due_times_than_an_incident_has_is_refused():
    refused = wrong(lambda made: made["window"].update({"from": "2000-01-01T00:00:00Z"}))
    assert (refused.where, refused.reason) == ("window", "holds more than 50,000 due times")


def test_a_period_under_one_second_is_refused():
    def change(made):
        made["schedule"] |= {"cron": None, "interval_s": 0.000001, "anchor": moment(0)}

    assert wrong(change).where == "schedule.interval_s"


@pytest.mark.parametrize("note", ["", "x" * 5_000])
def test_what_a_person_wrote_has_any_length(note):
    assert window(*path(1), note=note).note == note


def test_a_run_that_first_names_another_schedule_is_that_ones():
    events = path(1)
    events[1]["occurrence"] = "other@" + name(1).partition("@")[2]
    events[4]["occurrence"] = name(1)
    (said,) = [
        each
        for each in judged(window(*events[1:]), window(*events).moments[-1].as_of)
        if each.identity.due_at.hour == 1
    ]
    assert said.judgement.verdict.value == "missing-tick"
