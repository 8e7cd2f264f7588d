"""What counts as agreeing, and what is told of a difference."""

from datetime import timedelta

import pytest

from occurrences.contract.window_comparing import compared
from tests.contract.window_documents import MIDNIGHT, document, event, moment, name, path, window


def expected(hour: float, **fields) -> dict:
    usual = {"local_due": moment(hour).replace("Z", "+00:00"), "first_absent": None, "verdict": "on-time"}
    return {"identity": name(hour)} | usual | {"replay_safe": False} | fields


def outcome(*rows, events=None, **fields):
    events = [*path(0), *path(1)] if events is None else events
    return compared(window(*events, until=2, expected={"occurrences": list(rows)}, **fields))


def told(comparison) -> list[tuple]:
    return [(each.identity, each.field, each.expected, each.found) for each in comparison.differ]


def test_everything_agrees():
    comparison = outcome(expected(0), expected(1))
    assert (comparison.expectations, comparison.agree, comparison.differ) == (2, 2, ())


@pytest.mark.parametrize(
    ("field", "wrong", "found"),
    [
        ("local_due", "2025-03-03T01:00:00+01:00", "2025-03-03T01:00:00+00:00"),
        ("first_absent", "claim", None),
        ("verdict", "overran", "on-time"),
        ("replay_safe", True, False),
        ("replay_safe", "needs-evidence", False),
    ],
)
def test_each_field_is_compared_unless_another_answer_is_as_good(field, wrong, found):
    comparison = outcome(expected(0), expected(1, **{field: wrong}))
    assert told(comparison) == [(name(1), field, wrong, found)]
    assert (comparison.expectations, comparison.agree) == (2, 1)
    as_good = outcome(expected(0), expected(1, **{field: wrong}, also_acceptable={field: [found]}))
    assert (as_good.agree, as_good.differ) == (2, ())


def test_an_occurrence_too_few_and_one_too_many_differ():
    comparison = outcome(expected(1), expected(1.5))
    assert told(comparison) == [(name(0), "identity", None, name(0)), (name(1.5), "identity", name(1.5), None)]
    assert (comparison.expectations, comparison.agree) == (2, 1)


def test_each_moment_is_compared_with_what_was_known_then():
    earlier = [{"observe_at": moment(1, 30), "occurrences": [expected(0), expected(1, verdict="pending")]}]
    comparison = outcome(expected(0), expected(1), expected_earlier=earlier)
    assert (comparison.expectations, comparison.agree, comparison.differ) == (4, 4, ())
    wrong = outcome(expected(0), expected(1), expected_earlier=[earlier[0] | {"observe_at": moment(1, 60)}])
    assert [each.as_of for each in wrong.differ] == [MIDNIGHT + timedelta(hours=1, seconds=60)]


def never(cron: str, gap: str, fold: str, local: str, *, start="2025-03-30", until="2025-03-31", pauses=()):
    schedule = document()["schedule"] | {
        "cron": cron,
        "timezone": "Europe/Berlin",
        "dst_policy": {"gap": gap, "fold": fold},
        "pauses": list(pauses),
    }
    wall = {"local": local, "timezone": "Europe/Berlin"}
    span = {"from": f"{start}T00:00:00Z", "to": f"{until}T00:00:00Z"}
    made = window(
        schedule=schedule,
        window=span,
        workers=[],
        observe_at=span["from"],
        expected={"occurrences": [], "no_occurrence_for": [wall]},
    )
    return [(each.field, each.found) for each in compared(made).differ if each.field == "no_occurrence_for"]


def test_a_wall_time_that_must_not_be_due_is_looked_for_in_gaps_and_folds():
    found = "no_occurrence_for"
    assert never("30 2 * * *", "skip", "first", "2025-03-30T02:30") == []
    assert never("30 2 * * *", "transition", "first", "2025-03-30T02:30") == [(found, "2025-03-30T03:00:00+02:00")]
    assert never("30 2 * * *", "shift", "first", "2025-03-30T02:30") == [(found, "2025-03-30T03:30:00+02:00")]
    assert never("0 3 * * *", "transition", "first", "2025-03-30T02:30") == []
    assert never("30 3 * * *", "skip", "first", "2025-03-30T03:30") == [(found, "2025-03-30T03:30:00+02:00")]
    autumn = {"start": "2025-10-26", "until": "2025-10-27"}
    assert never("30 2 * * *", "skip", "first", "2025-10-26T02:30+01:00", **autumn) == []
    assert never("30 2 * * *", "skip", "both", "2025-10-26T02:30+01:00", **autumn) == [
        (found, "2025-10-26T02:30:00+01:00")
    ]
    assert len(never("30 2 * * *", "skip", "both", "2025-10-26T02:30", **autumn)) == 2


def test_a_paused_time_is_no_due_one():
    pause = {"from": "2025-03-30T00:00:00Z", "to": "2025-03-31T00:00:00Z"}
    assert never("30 3 * * *", "skip", "first", "2025-03-30T03:30", pauses=[pause]) == []


def test_a_name_outside_the_window_is_judged_and_listed():
    comparison = outcome(expected(0), expected(1), events=[*path(0), *path(1), event("tick", -1, 1)])
    assert told(comparison) == [(name(-1), "identity", None, name(-1))]
