"""Replays over a real broker: what is sent, and how it is found again without being consumed."""

import json
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from uuid import uuid4

import pytest
from django.conf import settings
from kombu import Connection

from occurrences.adapters.base import Message, TargetUnreachable
from occurrences.adapters.celery import CeleryTarget
from occurrences.adapters.registry import target_of
from occurrences.contract.occurrences import Identity

DUE = datetime(2026, 10, 25, 1, 30, tzinfo=UTC)
IDENTITY = Identity(source="celery:lab", schedule_key="invoice-rollup", due_at=DUE)


@pytest.fixture
def queue() -> str:
    return f"q-{uuid4().hex}"


@pytest.fixture
def target() -> CeleryTarget:
    return CeleryTarget(f"{settings.CELERY_BROKER_URL}&global_keyprefix=replays:")


def message(queue: str) -> Message:
    return Message(
        identity=IDENTITY,
        recovery_id=uuid4(),
        recovery_number=1,
        task="billing.run",
        queue=queue,
        args=(1,),
        kwargs={"window": "x"},
        not_after=datetime.now(UTC) + timedelta(minutes=5),
    )


def waiting(target: CeleryTarget, queue: str) -> list[dict]:
    with Connection(target.address) as connection, connection.channel() as channel:
        return [json.loads(raw) for raw in channel.client.lrange(f"replays:{queue}", 0, -1)]


def test_the_message_carries_the_identity_the_recovery_and_its_not_after_time(target, queue):
    sent = message(queue)
    target.publish(sent)
    headers = waiting(target, queue)[0]["headers"]
    assert (headers["id"], headers["task"]) == (str(sent.recovery_id), "billing.run")
    assert headers["aglet_due"] == "2026-10-25T01:30:00Z"
    assert (headers["aglet_source"], headers["aglet_schedule"]) == ("celery:lab", "invoice-rollup")
    assert headers["aglet_recovery"] == str(sent.recovery_id)
    assert headers["aglet_not_after"] == sent.not_after.isoformat()
    assert headers["expires"] is not None


def test_a_message_that_waits_is_found_and_stays_where_it_is(target, queue):
    sent = message(queue)
    target.publish(sent)
    assert target.holds(sent.recovery_id, queue)
    assert not target.holds(uuid4(), queue)
    assert len(waiting(target, queue)) == 1


def test_a_message_that_a_worker_has_taken_and_not_finished_is_found(target, queue):
    sent = message(queue)
    target.publish(sent)
    with target.app.connection_for_read() as connection, connection.channel() as channel:
        taken = channel.basic_get(queue, no_ack=False)
        assert taken is not None
        assert waiting(target, queue) == []
        assert target.holds(sent.recovery_id, queue)
        channel.basic_ack(taken.delivery_tag)
    assert not target.holds(sent.recovery_id, queue)


def test_a_broker_that_is_not_there_is_said_to_be_unreachable(queue):
    nowhere = CeleryTarget("redis+socket:///nonexistent/valkey.sock?virtual_host=0")
    with pytest.raises(TargetUnreachable):
        nowhere.publish(message(queue))
    with pytest.raises(TargetUnreachable):
        nowhere.holds(uuid4(), queue)


def test_a_source_without_an_address_has_no_target():
    assert target_of("celery:none", {"celery:lab": "redis://127.0.0.1:1/0"}) is None
    assert isinstance(target_of("celery:lab", {"celery:lab": "redis://127.0.0.1:1/0"}), CeleryTarget)


def test_the_password_of_an_address_stays_in_it_and_the_prefix_is_taken_out():
    target = CeleryTarget("redis://user:secret@127.0.0.1:1/2?global_keyprefix=x:")
    assert (target.address, target.prefix) == ("redis://user:secret@127.0.0.1:1/2", "x:")


def test_an_original_of_any_priority_and_one_that_a_worker_holds_are_seen(target, queue):
    target.app.send_task("billing.run", task_id="urgent", queue=queue, priority=9)
    assert target.original_waits("urgent", queue) is True
    with target.app.connection_for_read() as connection, connection.channel() as channel:
        taken = channel.basic_get(queue, no_ack=False)
        assert target.original_waits("urgent", queue) is True
        assert target.revoke("urgent", queue) is False  # a worker has it: told to drop it, but not gone yet
        channel.basic_ack(taken.delivery_tag)
    assert target.original_waits("urgent", queue) is False


def test_revoking_tells_the_workers(target, queue):
    with target.app.connection_for_read() as connection, connection.channel() as channel:
        heard = []
        mailbox = target.app.control.mailbox.Node("listener", channel=channel)
        consumer = mailbox.Consumer(channel=channel, callbacks=[lambda body, _: heard.append(body)], no_ack=True)
        with consumer:
            with suppress(TimeoutError):
                connection.drain_events(timeout=0.5)  # the first round subscribes; who comes later hears nothing
            target.revoke("run-1", queue)
            with suppress(TimeoutError):
                connection.drain_events(timeout=5)
    assert (heard[0]["method"], heard[0]["arguments"]["task_id"]) == ("revoke", "run-1")
