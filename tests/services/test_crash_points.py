"""The dispatcher is killed for real at each point of its way; afterwards exactly one message is at the target."""

import json
import os
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from django.conf import settings
from django.db import connection
from kombu import Connection

from occurrences.models import Replay
from occurrences.services.replays import dispatch
from tests.recovery import SOURCE, decided, missed
from tests.wire import coverage, record

ROOT = Path(__file__).resolve().parents[2]
PREFIX = "crash:"
KILLED = 9
# A dispatcher of its own, which ends itself without any clean-up at the point it is told.
CHILD = """
import os, sys, django
django.setup()
from django.conf import settings
from occurrences.adapters.celery import CeleryTarget
from occurrences.services.replays import dispatching
from occurrences.queries.clock import database_now
point, targets = sys.argv[1], {sys.argv[2]: sys.argv[3]}
publish, note = CeleryTarget.publish, dispatching._set
def publish_and_die(self, message):
    if point == "between":
        publish(self, message)
    os._exit(9)
def note_and_die(replay, **times):
    note(replay, **times)
    if "published_at" in times:
        os._exit(9)
if point == "after":
    dispatching._set = note_and_die
else:
    CeleryTarget.publish = publish_and_die
dispatching.dispatch(targets=targets, by="child", now=database_now())
"""


def address() -> str:
    return f"{settings.CELERY_BROKER_URL}&global_keyprefix={PREFIX}"


def sent() -> int:
    with Connection(settings.CELERY_BROKER_URL) as broker, broker.channel() as channel:
        raw = channel.client.lrange(f"{PREFIX}billing", 0, -1)
    wanted = str(Replay.objects.get().recovery_id)
    return sum(json.loads(m)["headers"]["id"] == wanted for m in raw)


def killed_at(point: str) -> None:
    name = connection.settings_dict["NAME"]
    database = settings.DATABASE_URL.replace("/aglet?", f"/{name}?")
    env = os.environ | {"DATABASE_URL": database, "DJANGO_SETTINGS_MODULE": "aglet_recovery.settings"}
    child = subprocess.run([sys.executable, "-c", CHILD, point, SOURCE, address()], cwd=ROOT, env=env, check=False)
    assert child.returncode == KILLED


def rounds(number: int) -> None:
    for _ in range(number):
        now = datetime.now(UTC)
        dispatch(targets={SOURCE: address()}, by="tests", now=now)
        later = datetime.now(UTC) + timedelta(seconds=1)
        record([coverage("workers", later, spool="worker")], now=later)


@pytest.fixture
def replay():
    # the recovery id follows from the identity, so what another test has sent would count here
    with Connection(settings.CELERY_BROKER_URL) as broker, broker.channel() as channel:
        channel.client.delete(f"{PREFIX}billing")
    decided(missed(), now=datetime.now(UTC), targets={SOURCE: address()})
    return Replay.objects.get()


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("point", ["before", "between", "after"])
def test_killed_at_any_point_the_target_gets_the_message_once(replay, point):
    killed_at(point)
    rounds(4)
    assert sent() == 1
    assert Replay.objects.get().published_at is not None


@pytest.mark.django_db(transaction=True)
def test_the_wake_up_lost_after_the_commit_the_next_round_of_beat_sends_it(replay):
    assert sent() == 0  # nothing is sent by the decision itself; its wake-up went to a queue that nobody reads here
    rounds(2)
    assert sent() == 1


@pytest.mark.django_db(transaction=True)
def test_killed_twice_it_is_still_sent_once(replay):
    killed_at("before")
    rounds(2)
    rounds(2)
    assert sent() == 1
