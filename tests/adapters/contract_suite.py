"""What every target must show. A target's test class takes the parts that it declares, and gives the `bench` fixture.

A bench is the target with its other side: what has arrived there, and how that side fails.
"""

import logging
import socket
import time
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from datetime import UTC, datetime, timedelta
from typing import Any, Protocol
from uuid import uuid4

import pytest

from occurrences.adapters.base import Message, Repeats, ReplayTarget, TargetRefused, TargetUnreachable
from occurrences.contract.occurrences import Identity

DUE = datetime(2026, 10, 25, 1, 30, tzinfo=UTC)
IDENTITY = Identity(source="celery:lab", schedule_key="invoice rollup; $(x) 'é'", due_at=DUE)
SECRET = "card-4711-0815"
BOUND = 12.0


class Bench(Protocol):
    """One target and its other side."""

    target: ReplayTarget
    queue: str
    task: str

    def arrived(self) -> Sequence[dict[str, Any]]:
        """What was accepted there: every entry as the target's side reads it."""

    def refusing(self) -> AbstractContextManager[object]:
        """The other side refuses for certain."""


class UncertainBench(Bench, Protocol):
    def losing_answers(self) -> AbstractContextManager[object]:
        """The other side takes what comes, and its answer is lost."""

    def stuck(self, port: int) -> ReplayTarget:
        """The target, with a port for its other side that accepts and never says anything."""


class RevokeBench(Bench, Protocol):
    def put_original(self, run: str) -> None:
        """Let an original wait under its run id."""

    def originals(self) -> Sequence[str]:
        """The originals that wait."""


def message(bench: Bench, **more: Any) -> Message:
    values: dict[str, Any] = {
        "identity": IDENTITY,
        "recovery_id": uuid4(),
        "recovery_number": 2,
        "task": bench.task,
        "queue": bench.queue,
        "args": (1, SECRET),
        "kwargs": {"card": SECRET},
        "not_after": datetime.now(UTC) + timedelta(minutes=5),
        "zone": "Europe/Berlin",
        "original_run": "run-1",
    }
    return Message(**(values | more))


def ids(bench: Bench) -> list[str]:
    return [entry["recovery_id"] for entry in bench.arrived()]


@contextmanager
def a_port_that_says_nothing() -> Iterator[int]:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen(8)
        yield listener.getsockname()[1]


class CarriesContract:
    """For all targets."""

    def test_it_declares_what_it_is_tested_for(self, bench):
        parts = {Repeats.DEDUPES: DedupesContract, Repeats.PROBE: ProbeContract, Repeats.NONE: NoneContract}
        assert [r for r, part in parts.items() if isinstance(self, part)] == [bench.target.repeats]
        assert isinstance(self, RevokeContract) is bench.target.can_revoke
        assert isinstance(self, UncertainContract) is (bench.target.repeats is not Repeats.NONE)

    def test_identity_and_arguments_are_carried_unchanged(self, bench):
        sent = message(bench)
        bench.target.publish(sent)
        assert list(bench.arrived()) == [
            {
                "recovery_id": str(sent.recovery_id),
                "recovery": 2,
                "source": "celery:lab",
                "schedule_key": IDENTITY.schedule_key,
                "due_at": "2026-10-25T01:30:00Z",
                "due_local": "2026-10-25T02:30:00+01:00",
                "zone": "Europe/Berlin",
                "original_run": "run-1",
                "not_after": sent.not_after.isoformat(),
                "task": "billing.run",
                "args": [1, SECRET],
                "kwargs": {"card": SECRET},
            }
        ]

    def test_after_its_not_after_time_it_is_refused_and_nothing_arrives(self, bench):
        with pytest.raises(TargetRefused):
            bench.target.publish(message(bench, not_after=datetime.now(UTC) - timedelta(seconds=1)))
        assert list(bench.arrived()) == []

    def test_a_certain_refusal_is_said_and_nothing_arrives(self, bench):
        with bench.refusing(), pytest.raises(TargetRefused):
            bench.target.publish(message(bench))
        assert list(bench.arrived()) == []

    def test_arguments_stand_in_no_refusal_and_in_no_log(self, bench, caplog):
        caplog.set_level(logging.DEBUG)
        with bench.refusing():
            sent = message(bench)
            with pytest.raises(TargetRefused) as refused:
                bench.target.publish(sent)
        bench.target.holds(sent.recovery_id, bench.queue)
        assert SECRET not in f"{refused.value!r} {refused.value.__cause__!r} {sent!r}"
        assert SECRET not in caplog.text


class UncertainContract:
    """For targets that send something: the answer can be lost."""

    def test_a_lost_answer_is_uncertain(self, bench):
        with bench.losing_answers(), pytest.raises(TargetUnreachable):
            bench.target.publish(message(bench))

    def test_a_lost_answer_hides_no_second_send(self, bench):
        sent = message(bench)
        with bench.losing_answers(), pytest.raises(TargetUnreachable):
            bench.target.publish(sent)
        assert ids(bench) == [str(sent.recovery_id)]

    def test_arguments_stand_in_no_failure_and_in_no_log(self, bench, caplog):
        caplog.set_level(logging.DEBUG)
        with bench.losing_answers(), pytest.raises(TargetUnreachable) as failed:
            bench.target.publish(message(bench))
        assert SECRET not in f"{failed.value!r} {failed.value.__cause__!r} {caplog.text}"

    def test_a_target_that_never_answers_is_given_up_in_time(self, bench):
        with a_port_that_says_nothing() as port:
            stuck, begun = bench.stuck(port), time.monotonic()
            with pytest.raises(TargetUnreachable):
                stuck.publish(message(bench))
            assert time.monotonic() - begun < BOUND


class DedupesContract(UncertainContract):
    """A second send of one id starts nothing more."""

    def test_a_second_send_starts_nothing_more(self, bench):
        sent = message(bench)
        bench.target.publish(sent)
        bench.target.publish(sent)
        assert ids(bench) == [str(sent.recovery_id)]

    def test_sent_again_after_a_lost_answer_it_is_there_once(self, bench):
        sent = message(bench)
        with bench.losing_answers(), pytest.raises(TargetUnreachable):
            bench.target.publish(sent)
        bench.target.publish(sent)
        assert ids(bench) == [str(sent.recovery_id)]


class ProbeContract(UncertainContract):
    """The target can be asked whether it has the message."""

    def test_the_probe_finds_what_was_sent_and_nothing_else(self, bench):
        sent = message(bench)
        assert not bench.target.holds(sent.recovery_id, bench.queue)
        bench.target.publish(sent)
        assert bench.target.holds(sent.recovery_id, bench.queue)
        assert not bench.target.holds(uuid4(), bench.queue)
        assert ids(bench) == [str(sent.recovery_id)]

    def test_the_probe_finds_what_was_taken_when_the_answer_was_lost(self, bench):
        sent = message(bench)
        with bench.losing_answers(), pytest.raises(TargetUnreachable):
            bench.target.publish(sent)
        assert bench.target.holds(sent.recovery_id, bench.queue)

    def test_a_probe_without_an_answer_is_no_answer(self, bench):
        with a_port_that_says_nothing() as port:
            stuck, begun = bench.stuck(port), time.monotonic()
            with pytest.raises(TargetUnreachable):
                stuck.holds(uuid4(), bench.queue)
            assert stuck.original_waits("run-1", bench.queue) is None
            assert time.monotonic() - begun < 2 * BOUND


class NoneContract:
    """A person runs it: the command is given, and nothing claims to know more."""

    def test_the_command_is_given_and_names_the_recovery(self, bench):
        sent = message(bench)
        text = bench.target.by_hand(sent)
        assert str(sent.recovery_id) in text
        assert SECRET in text

    def test_nothing_is_known_of_it(self, bench):
        sent = message(bench)
        bench.target.publish(sent)
        assert bench.target.holds(sent.recovery_id, bench.queue) is False
        assert bench.target.original_waits("run-1", bench.queue) is None


class RevokeContract:
    """The original can be taken back before the replay is sent."""

    def test_revoked_it_is_gone_and_everything_else_stays(self, bench):
        sent = message(bench)
        for run in ("run-0", "run-1", "run-11"):
            bench.put_original(run)
        bench.target.publish(sent)
        assert bench.target.original_waits("run-1", bench.queue) is True
        assert bench.target.revoke("run-1", bench.queue) is True
        assert bench.target.original_waits("run-1", bench.queue) is False
        assert sorted(bench.originals()) == ["run-0", "run-11"]
        assert ids(bench) == [str(sent.recovery_id)]

    def test_revoked_twice_it_is_gone_still(self, bench):
        bench.put_original("run-1")
        assert bench.target.revoke("run-1", bench.queue) is True
        assert bench.target.revoke("run-1", bench.queue) is True
        assert list(bench.originals()) == []


PARTS = (CarriesContract, UncertainContract, DedupesContract, ProbeContract, NoneContract, RevokeContract)


def checks() -> list[str]:
    """The name of every check, in order."""
    return [name for part in PARTS for name in vars(part) if name.startswith("test_")]


def matrix(classes: Sequence[type]) -> str:
    """Targets x checks: `x` where the target's class runs the check, `-` where it declares that it cannot."""
    names = [cls.__name__.removeprefix("Test") for cls in classes]
    rows = [["x" if hasattr(cls, check) else "-" for cls in classes] for check in checks()]
    wide = max(map(len, checks())) - len("test_")
    lines = [f"{'':{wide}}  {'  '.join(names)}"]
    for check, marks in zip(checks(), rows, strict=True):
        cells = "  ".join(f"{mark:^{len(name)}}" for mark, name in zip(marks, names, strict=True))
        lines.append(f"{check.removeprefix('test_').replace('_', ' '):{wide}}  {cells}")
    return "\n".join(lines)
