"""The commands of whoever runs the installation, with wrong arguments too."""

import json
from datetime import UTC, datetime, timedelta
from io import StringIO

import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from django.test import Client

from occurrences.models import Process, SourceKey
from occurrences.services import installation
from tests import wire
from tests.wire import record

pytestmark = pytest.mark.django_db
NOW = datetime.now(UTC).replace(microsecond=0)


def call(*arguments: str) -> str:
    out = StringIO()
    call_command(*arguments, stdout=out)
    return out.getvalue()


@pytest.fixture
def source():
    return wire.source(now=NOW - timedelta(hours=1))


def path() -> str:
    due = NOW - timedelta(minutes=2)
    due = due.replace(second=0)
    record([wire.schedule(at=NOW - timedelta(minutes=30)), *wire.watched(NOW - timedelta(minutes=30))], now=NOW)
    record(wire.full_path(due), now=NOW)
    return f"{wire.SOURCE}/nightly@{wire.text(due)}"


def test_show_path_gives_the_eight_handoffs_as_json(source):
    identity = path()
    shown = json.loads(call("show_path", identity, "--format", "json"))
    assert set(shown) == {
        "identity", "due_at", "verdict", "first_absent", "handoffs", "next_deadline",
        "replay_safe", "replay_safe_reason",
    }  # fmt: skip
    assert shown["replay_safe"] is False
    assert (shown["identity"], shown["verdict"], shown["first_absent"]) == (identity, "on-time", None)
    assert [h["handoff"] for h in shown["handoffs"]] == [
        "due", "tick", "enqueue", "ready", "claim", "start", "expiration", "terminal",
    ]  # fmt: skip
    assert set(shown["handoffs"][4]) == {"handoff", "state", "at", "owner", "record"}
    assert shown["handoffs"][4]["record"] == "run-1/claim/1"
    assert json.loads(call("show_path", "--latest", wire.SOURCE, "--format", "json")) == shown


def test_show_path_in_words_begins_with_the_verdict(source):
    shown = call("show_path", path())
    assert "On time." in shown
    assert "Scheduler tick" in shown
    assert "replay safe: No: the verdict is" in shown


@pytest.mark.parametrize(
    "wrong",
    [
        ["nonsense"],
        ["celery:billing/nightly@2026-01-01T00:00:00Z"],
        ["--latest", "celery:none"],
        [],
        ["a", "--latest", "b"],
    ],
)
def test_show_path_refuses_what_it_does_not_know(source, wrong):
    with pytest.raises(CommandError):
        call("show_path", *wrong)


def test_add_person_prints_a_link_that_signs_in_once():
    installation.prepare(by="tests", now=NOW)
    link = call("add_person", "Ada", "--role", "admin").strip()
    assert User.objects.get(username="Ada").is_superuser
    address = link[link.index("/sign-in/") :]
    first, second = Client(), Client()
    assert first.post(address).status_code in (302, 303)
    assert first.get("/inbox/").status_code == 200
    assert second.post(address).status_code == 410


def test_add_person_with_a_role_that_is_none_is_refused():
    with pytest.raises(CommandError, match="invalid choice"):
        call("add_person", "Ada", "--role", "boss")


def test_add_source_prints_a_key_of_which_only_the_digest_is_stored():
    installation.prepare(by="tests", now=NOW)
    key = call("add_source", "celery:new", "--give-up", "60").strip()
    stored = SourceKey.objects.get(source__name="celery:new")
    assert key not in str(vars(stored))
    assert stored.source.give_up_seconds == 60


@pytest.mark.parametrize("name", ["Celery", "", "-x", "a b", "ä"])
def test_add_source_refuses_a_name_that_is_none(name):
    with pytest.raises(CommandError):
        call("add_source", "--", name)


def test_retire_spool_closes_it_and_refuses_a_second_time(source):
    record(wire.watched(NOW), now=NOW)
    assert "closed beat" in call("retire_spool", wire.SOURCE, "beat")
    assert Process.objects.get(spool="beat").state == "retired"
    with pytest.raises(CommandError, match="no open spool"):
        call("retire_spool", wire.SOURCE, "beat")
