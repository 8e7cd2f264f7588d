"""A tap inside this process, and real beat and worker processes beside it."""

import logging
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from occurrences.tap import process, quiet
from occurrences.tap.configuration import Configuration
from tests.tap.applications import Application
from tests.tap.host import Host
from tests.tap.receiver import Receiver


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    receiver = Receiver()
    yield receiver
    receiver.down()
    assert receiver.unreadable == []


@pytest.fixture
def configuration(receiver: Receiver, tmp_path: Path) -> Configuration:
    return Configuration(url=receiver.url, source="celery:demo", key="secret", spool=tmp_path / "spool")


@pytest.fixture
def host(configuration: Configuration) -> Iterator[Host]:
    host = Host(configuration)
    yield host
    host.close()


@pytest.fixture
def tapped(monkeypatch: pytest.MonkeyPatch, configuration: Configuration) -> Iterator[Configuration]:
    """The environment of a tapped application; what was started in it is stopped afterwards."""
    for name in ("url", "source", "key", "spool"):
        monkeypatch.setenv(f"AGLET_TAP_{name.upper()}", str(getattr(configuration, name)))
    monkeypatch.delenv(process.PARENT, raising=False)
    quiet.forget()
    yield configuration
    for role in ("scheduler", "workers"):
        tap = process.current(role)
        if tap is not None:
            tap.stop()
    process.forget()
    os.environ.pop(process.PARENT, None)


@pytest.fixture
def application(receiver: Receiver, tmp_path: Path) -> Iterator[Application]:
    application = Application(receiver, tmp_path)
    yield application
    application.stop_all()


@pytest.fixture(autouse=True)
def no_error_was_swallowed(caplog: pytest.LogCaptureFixture) -> Iterator[None]:
    """The tap swallows its errors, so a test has to look for them."""
    with caplog.at_level(logging.WARNING, logger="aglet.tap"):
        yield
    swallowed: list[Any] = [r for r in caplog.get_records("call") if r.name == "aglet.tap" and r.exc_info]
    assert not swallowed, swallowed
