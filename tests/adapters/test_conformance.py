"""Every target through one suite; each bench is the target with a real other side."""

import json
import shlex
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any
from unittest import mock
from urllib.parse import urlsplit
from uuid import uuid4

import psycopg
import pytest
from django.conf import settings
from kombu import Connection

from occurrences.adapters.base import Message, ReplayTarget
from occurrences.adapters.by_hand import ByHandTarget
from occurrences.adapters.celery import CeleryTarget
from occurrences.adapters.webhook import WebhookTarget
from occurrences.adapters.webhook.hosts import place_of, read_hosts
from occurrences.adapters.webhook.signing import read_secrets
from tests.adapters import contract_suite as suite
from tests.adapters.lost_answers import Relay
from tests.adapters.receiver import Receiver
from tests.adapters.table_target import TABLE, TableTarget

PREFIX = "suite:"
SECRET = "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD"
NAMES = ("source", "schedule_key", "due_at", "due_local", "zone")


class CeleryBench:
    def __init__(self, folder: Path) -> None:
        self.queue, self.task = f"q-{uuid4().hex}", "billing.run"
        self.address = f"{settings.CELERY_BROKER_URL}&global_keyprefix={PREFIX}"
        self.folder = folder
        self.target: ReplayTarget = CeleryTarget(self.address)

    def arrived(self) -> list[dict[str, Any]]:
        return [self._read(m) for m in self._waiting() if "aglet_recovery" in m["headers"]]

    @contextmanager
    def refusing(self) -> Iterator[None]:
        with self._client() as client:
            client.set(f"{PREFIX}{self.queue}", "no list")
            yield
            client.delete(f"{PREFIX}{self.queue}")

    @contextmanager
    def losing_answers(self) -> Iterator[None]:
        direct, front = self.target, self.folder / "relay.sock"
        with Relay(front, urlsplit(settings.CELERY_BROKER_URL).path, b"LPUSH") as relay:
            self.target = CeleryTarget(f"redis+socket://{front}?virtual_host=0&global_keyprefix={PREFIX}")
            yield
        assert relay.kept == 1
        front.unlink()
        self.target = direct

    def stuck(self, port: int) -> CeleryTarget:
        return CeleryTarget(f"redis://127.0.0.1:{port}/0")

    def put_original(self, run: str) -> None:
        self.target.app.send_task("billing.run", task_id=run, queue=self.queue)  # type: ignore[attr-defined]

    def originals(self) -> list[str]:
        return [m["headers"]["id"] for m in self._waiting() if "aglet_recovery" not in m["headers"]]

    @contextmanager
    def _client(self) -> Iterator[Any]:
        with Connection(settings.CELERY_BROKER_URL) as connection, connection.channel() as channel:
            yield channel.client

    def _waiting(self) -> list[Any]:
        with self._client() as client:
            return [json.loads(raw) for raw in client.lrange(f"{PREFIX}{self.queue}", 0, -1)]

    def _read(self, sent: Any) -> dict[str, Any]:
        headers = sent["headers"]
        with CeleryTarget(self.address).app.connection_for_read() as connection, connection.channel() as channel:
            args, kwargs, _ = channel.Message(sent, channel=channel).decode()
        named = {
            name: headers[f"aglet_{name}"] for name in ("source", "due_local", "zone", "original_run", "not_after")
        }
        return named | {
            "recovery_id": headers["id"],
            "recovery": headers["aglet_recovery_number"],
            "schedule_key": headers["aglet_schedule"],
            "due_at": headers["aglet_due"],
            "task": headers["task"],
            "args": args,
            "kwargs": kwargs,
        }


class WebhookBench:
    queue, task = "billing", "billing.run"

    def __init__(self, receiver: Receiver) -> None:
        self.receiver = receiver
        self.target = self.stuck(receiver.port)

    def stuck(self, port: int) -> WebhookTarget:
        place = place_of(f"http://127.0.0.1:{port}/replays", read_hosts(["127.0.0.1=127.0.0.0/8"]))
        return WebhookTarget(place, read_secrets(SECRET), seconds=2)

    def arrived(self) -> list[dict[str, Any]]:
        return [self._read(sent["data"]) for sent in self.receiver.runs.values()]

    @contextmanager
    def refusing(self) -> Iterator[None]:
        self.receiver.answers = 422
        yield
        self.receiver.answers = 0

    @contextmanager
    def losing_answers(self) -> Iterator[None]:
        self.receiver.loses = True
        yield
        self.receiver.loses = False

    def _read(self, data: dict[str, Any]) -> dict[str, Any]:
        named = {name: data[name] for name in (*NAMES, "original_run", "not_after", "task", "args", "kwargs")}
        return named | {"recovery_id": data["recovery"]["id"], "recovery": data["recovery"]["n"]}


class ShownToAPerson(ByHandTarget):
    """The target, and what a person is shown of what it accepted."""

    def __init__(self) -> None:
        self.shown: list[str] = []

    def publish(self, message: Message) -> None:
        super().publish(message)
        self.shown.append(self.by_hand(message))


class ByHandBench:
    def __init__(self) -> None:
        self.queue, self.task, self.target = "billing", "billing.run", ShownToAPerson()

    @contextmanager
    def refusing(self) -> Iterator[None]:
        self.task = "billing.run\x1b[201~"
        yield
        self.task = "billing.run"

    def arrived(self) -> list[dict[str, Any]]:
        return [self._read(shlex.split(command)) for command in self.target.shown]

    def _read(self, words: list[str]) -> dict[str, Any]:
        assert words[0] == "env"
        where = words.index("billing.run")
        given = dict(word.split("=", 1) for word in words[1:where])
        number, text, option = words[where + 1 :]
        read = {name.removeprefix("AGLET_").lower(): value for name, value in given.items()}
        return {
            **{name: value for name, value in read.items() if name not in ("recovery_number", "schedule", "due")},
            "recovery": int(read["recovery_number"]),
            "schedule_key": read["schedule"],
            "due_at": read["due"],
            "task": words[where],
            "args": [int(number), text],
            "kwargs": dict([option.split("=", 1)]),
        }


class TableBench:
    task = "billing.run"

    def __init__(self, database: Any) -> None:
        self.queue, self.database = "billing", database
        database.execute(TABLE)
        database.commit()
        self.target = TableTarget(lambda: self.database)

    def arrived(self) -> list[dict[str, Any]]:
        rows = self.database.execute("SELECT run, task, args, kwargs, identity, not_after FROM jobs").fetchall()
        return [
            identity | {"recovery_id": run, "task": task, "args": args, "kwargs": kwargs, "not_after": late.isoformat()}
            for run, task, args, kwargs, identity, late in rows
            if identity
        ]

    @contextmanager
    def refusing(self) -> Iterator[None]:
        self.database.execute("ALTER TABLE jobs ADD CONSTRAINT paused CHECK (queue = '') NOT VALID")
        self.database.commit()
        yield
        self.database.rollback()
        self.database.execute("ALTER TABLE jobs DROP CONSTRAINT paused")
        self.database.commit()

    @contextmanager
    def losing_answers(self) -> Iterator[None]:
        real = self.database
        self.database = mock.Mock(wraps=real)
        self.database.commit.side_effect = lambda: (real.commit(), _gone())
        yield
        self.database = real

    def stuck(self, port: int) -> TableTarget:
        return TableTarget(lambda: psycopg.connect(f"host=127.0.0.1 port={port} user=x dbname=x connect_timeout=2"))

    def put_original(self, run: str) -> None:
        values = (
            "INSERT INTO jobs (run, queue, task, args, kwargs, identity) VALUES (%s, 'billing', 'x', '[]', '{}', '{}')"
        )
        self.database.execute(values, [run])
        self.database.commit()

    def originals(self) -> list[str]:
        return [run for (run,) in self.database.execute("SELECT run FROM jobs WHERE identity = '{}'")]


def _gone() -> None:
    raise psycopg.OperationalError("the connection is lost")


class TestCelery(suite.CarriesContract, suite.ProbeContract, suite.RevokeContract):
    @pytest.fixture
    def bench(self, tmp_path):
        return CeleryBench(tmp_path)


class TestWebhook(suite.CarriesContract, suite.DedupesContract):
    @pytest.fixture
    def bench(self):
        with Receiver(SECRET).listening() as receiver:
            yield WebhookBench(receiver)


class TestByHand(suite.CarriesContract, suite.NoneContract):
    @pytest.fixture
    def bench(self):
        return ByHandBench()


class TestTable(suite.CarriesContract, suite.DedupesContract, suite.RevokeContract):
    @pytest.fixture
    def bench(self):
        with closing(psycopg.connect(settings.DATABASE_URL)) as database:
            yield TableBench(database)


def test_the_matrix_of_targets_and_checks_has_a_mark_for_everything_declared():
    classes = [TestCelery, TestWebhook, TestByHand, TestTable]
    printed = suite.matrix(classes)
    print(f"\n{printed}")
    marks = [cell for line in printed.splitlines()[1:] for cell in line.split() if cell == "x"]
    assert len(marks) == sum(hasattr(c, check) for c in classes for check in suite.checks()) >= 40
