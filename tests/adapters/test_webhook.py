"""The signed request against a receiver that was written from the public scheme, and how its answers are read."""

import socket
import threading
import time
from base64 import b64encode

import pytest

from occurrences.adapters.base import TargetRefused, TargetUnreachable
from occurrences.adapters.settings import BadSetting
from occurrences.adapters.webhook.signing import read_secrets
from tests.adapters.receiver import Receiver, Refused, verify
from tests.adapters.test_webhook_addresses import SECRET, message, target

OTHER = "whsec_" + b64encode(b"another secret, 24 bytes or more").decode()


@pytest.fixture
def receiver():
    with Receiver(SECRET).listening() as listening:
        yield listening


def to(receiver: Receiver):
    return target(f"http://127.0.0.1:{receiver.port}/replays?x=1", "127.0.0.1=127.0.0.0/8")


def test_a_receiver_of_its_own_verifies_the_signature_and_runs_it(receiver):
    sent = message()
    to(receiver).publish(sent)
    headers, body = receiver.requests[0]
    assert verify(SECRET, headers, body, now=time.time()) == str(sent.recovery_id)
    assert list(receiver.runs) == [str(sent.recovery_id)]


def test_an_altered_byte_anywhere_is_refused(receiver):
    to(receiver).publish(message())
    headers, body = receiver.requests[0]
    for place in range(len(body)):
        altered = body[:place] + bytes([body[place] ^ 1]) + body[place + 1 :]
        with pytest.raises(Refused):
            verify(SECRET, headers, altered, now=time.time())
    for name, value in (("webhook-id", "other"), ("webhook-timestamp", str(int(time.time()) + 1))):
        with pytest.raises(Refused):
            verify(SECRET, headers | {name: value}, body, now=time.time())
    with pytest.raises(Refused):
        verify(OTHER, headers, body, now=time.time())


def test_an_old_request_and_a_repeated_id_are_refused(receiver):
    to(receiver).publish(message())
    headers, body = receiver.requests[0]
    stamp = int(headers["webhook-timestamp"])
    assert receiver.take(headers, body, now=stamp + 301) == 401
    assert receiver.take(headers, body, now=stamp - 301) == 401
    assert receiver.take(headers, body) == 409
    assert len(receiver.runs) == 1


def test_while_a_secret_is_exchanged_the_old_and_the_new_receiver_both_verify(receiver):
    sender = to(receiver)
    sender.secrets = read_secrets(f"{OTHER} {SECRET}")
    sender.publish(message())
    headers, body = receiver.requests[0]
    assert len(headers["webhook-signature"].split()) == 2
    for secret in (SECRET, OTHER):
        verify(secret, headers, body, now=time.time())


def test_a_retry_repeats_the_id_and_the_body(receiver):
    sent = message()
    receiver.answers = 503
    with pytest.raises(TargetUnreachable):
        to(receiver).publish(sent)
    receiver.answers = 0
    to(receiver).publish(sent)
    (first, one), (second, two) = receiver.requests
    assert (first["webhook-id"], one) == (second["webhook-id"], two)


@pytest.mark.parametrize("status", [200, 201, 202, 204, 299, 409])
def test_these_answers_are_acceptance(receiver, status):
    receiver.answers = status
    assert to(receiver).publish(message()) is None


@pytest.mark.parametrize("status", [300, 301, 302, 303, 304, 307, 308, 400, 401, 403, 404, 410, 413, 422, 429])
def test_these_answers_are_refusals(receiver, status):
    receiver.answers = status
    with pytest.raises(TargetRefused, match=str(status)):
        to(receiver).publish(message())


@pytest.mark.parametrize("status", [500, 502, 503, 504, 599])
def test_after_these_answers_nobody_knows(receiver, status):
    receiver.answers = status
    with pytest.raises(TargetUnreachable):
        to(receiver).publish(message())


def test_a_long_reply_is_not_read(receiver):
    receiver.reply = b"<script>alert(1)</script>" * 40_000
    to(receiver).publish(message())
    assert len(receiver.runs) == 1


def answering(listener: socket.socket, piece: bytes, pause: float, times: int) -> None:
    with listener.accept()[0] as client:
        try:
            for _ in range(times):
                client.sendall(piece)
                time.sleep(pause)
        except OSError:
            return


@pytest.mark.parametrize(
    ("piece", "pause", "times"), [(b"H", 0.2, 50), (b"HTTP/1.1 200 OK\r\n" + b"a: b\r\n" * 99, 0.2, 50)]
)
def test_a_reply_that_trickles_ends_at_the_deadline(piece, pause, times):
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        threading.Thread(target=answering, args=(listener, piece, pause, times), daemon=True).start()
        begun = time.monotonic()
        with pytest.raises(TargetUnreachable):
            target(f"http://127.0.0.1:{listener.getsockname()[1]}/", "127.0.0.1=127.0.0.0/8").publish(message())
        assert time.monotonic() - begun < 4


def test_over_64_kib_of_headers_the_reply_is_given_up():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        reply = b"HTTP/1.1 200 OK\r\n" + b"".join(b"h%d: %s\r\n" % (n, b"v" * 4000) for n in range(40))
        threading.Thread(target=answering, args=(listener, reply, 0, 1), daemon=True).start()
        with pytest.raises(TargetUnreachable):
            target(f"http://127.0.0.1:{listener.getsockname()[1]}/", "127.0.0.1=127.0.0.0/8").publish(message())


def test_a_server_without_a_trusted_certificate_gets_not_one_byte_of_the_request(receiver):
    with pytest.raises(TargetUnreachable):
        target(f"https://127.0.0.1:{receiver.port}/", "127.0.0.1=127.0.0.0/8").publish(message())
    assert (receiver.accepted, receiver.requests) == (1, [])


@pytest.mark.parametrize("secret", ["", "abc", "whsec_", "whsec_!!!!", "whsec_YWJj", f"{SECRET} {SECRET} {SECRET}"])
def test_a_bad_secret_is_said_without_repeating_it(secret):
    with pytest.raises(BadSetting, match="AGLET_WEBHOOK_SECRETS") as error:
        read_secrets(secret)
    assert not secret or secret not in str(error.value)
