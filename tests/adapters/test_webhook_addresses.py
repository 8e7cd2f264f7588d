"""Where a webhook must never lead: forbidden addresses, redirects and names that change get no connection at all."""

import socket
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address, ip_network
from uuid import uuid4

import pytest

from occurrences.adapters.base import Message, TargetRefused
from occurrences.adapters.settings import BadSetting
from occurrences.adapters.webhook import WebhookTarget
from occurrences.adapters.webhook.addresses import is_permitted
from occurrences.adapters.webhook.hosts import place_of, read_hosts
from occurrences.adapters.webhook.signing import read_secrets
from tests.adapters.contract_suite import IDENTITY
from tests.adapters.receiver import Receiver

SECRET = "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD"
PUBLIC = "93.184.215.14"
FORBIDDEN_TEXT = """
    127.0.0.1 127.8.9.1 0.0.0.0 0.1.2.3 10.0.0.1 10.255.255.255 172.16.0.1 172.31.255.254 192.168.1.1 100.64.0.1
    169.254.169.254 169.254.170.2 100.100.100.200 192.0.0.192 192.0.0.1 192.0.2.1 198.18.0.1 198.51.100.7 203.0.113.9
    192.88.99.1 224.0.0.1 239.255.255.250 240.0.0.1 255.255.255.255
    :: ::1 ::7f00:1 ::ffff:127.0.0.1 ::ffff:10.0.0.1 ::ffff:0:127.0.0.1 64:ff9b::7f00:1 64:ff9b:1::a00:1 2002:7f00:1::1
    2002:a00:1::1 2001::1 2001:db8::1 fe80::1 fec0::1 fc00::1 fd12:3456::1 fd00:ec2::254 ff02::1 ff0e::1 4000::1
"""
ODD_TEXT = """
    2130706433 0x7f000001 0x7f.0.0.1 0177.0.0.1 127.1 127.0.1 017700000001 10.1 0xa.1 127.0.0.1. 127.0.0.01
    [::ffff:127.0.0.1] [0:0:0:0:0:0:0:1] [fe80::1%25eth0] LOCALHOST%2e hooks.example.com%00.internal localhost
"""
FORBIDDEN, ODD = FORBIDDEN_TEXT.split(), ODD_TEXT.split()


@pytest.fixture
def connects(monkeypatch):
    """Every connection that anybody tries to make, with where to; none is made."""
    tried: list[object] = []

    def refuse(self: socket.socket, where: object) -> None:
        tried.append(where)
        raise ConnectionRefusedError

    monkeypatch.setattr(socket.socket, "connect", refuse)
    return tried


@pytest.fixture
def names(monkeypatch):
    """What names lead to: a list of answers, one for each look-up."""
    answers: list[list[str]] = []

    def look_up(host: str, port: int, **more: object) -> list[tuple[object, ...]]:
        found = answers.pop(0)
        return [(socket.AF_INET6 if ":" in a else socket.AF_INET, 1, 6, "", (a, port)) for a in found]

    monkeypatch.setattr(socket, "getaddrinfo", look_up)
    return answers


def target(address: str = "https://hooks.example.com/x", *hosts: str) -> WebhookTarget:
    return WebhookTarget(place_of(address, read_hosts(hosts or ["hooks.example.com"])), read_secrets(SECRET), seconds=2)


def message() -> Message:
    return Message(
        identity=IDENTITY,
        recovery_id=uuid4(),
        recovery_number=1,
        task="billing.run",
        queue="billing",
        args=(),
        kwargs={},
        not_after=datetime.now(UTC) + timedelta(minutes=5),
    )


def test_there_are_more_than_thirty_forbidden_addresses():
    assert len(set(FORBIDDEN)) >= 30


@pytest.mark.parametrize("address", FORBIDDEN)
def test_a_name_that_leads_to_a_forbidden_address_gets_no_connection(address, names, connects):
    names.append([address])
    with pytest.raises(TargetRefused):
        target().publish(message())
    assert (connects, names) == ([], [])


@pytest.mark.parametrize("address", FORBIDDEN)
def test_one_forbidden_address_among_good_ones_is_enough(address, names, connects):
    names.append([PUBLIC, address])
    with pytest.raises(TargetRefused):
        target().publish(message())
    assert connects == []


@pytest.mark.parametrize("host", [*ODD, *(f"[{a}]" if ":" in a else a for a in FORBIDDEN)])
def test_an_address_that_is_not_listed_or_oddly_written_is_no_target(host, connects):
    with pytest.raises(BadSetting):
        target(f"https://{host}/x")
    assert connects == []


@pytest.mark.parametrize("host", [h for h in ODD if h != "localhost"])
def test_an_odd_notation_cannot_be_listed(host):
    with pytest.raises(BadSetting):
        read_hosts([host])


@pytest.mark.parametrize(
    "address", ["169.254.169.254", "100.100.100.200", "fd00:ec2::254", "0.0.0.0", "::ffff:10.2.0.1"]
)
def test_metadata_and_the_like_stay_forbidden_whatever_the_list_says(address):
    networks = [ip_network("10.0.0.0/8"), ip_network("100.64.0.0/10"), ip_network("fc00::/7")]
    assert not is_permitted(ip_address(address), networks)


def test_a_listed_network_admits_its_own_addresses_and_no_others():
    networks = read_hosts(["hooks.internal=10.2.0.0/16", "hooks.internal=fd00:1::/32"])["hooks.internal"]
    assert is_permitted(ip_address("10.2.3.4"), networks)
    assert is_permitted(ip_address("fd00:1::5"), networks)
    assert not any(is_permitted(ip_address(a), networks) for a in ("10.3.0.1", PUBLIC, "127.0.0.1"))


@pytest.mark.parametrize(
    "network", ["0.0.0.0/0", "::/0", "8.8.8.0/24", "169.254.0.0/16", "10.0.0.1/8", "ten", "10.0.0.0/7"]
)
def test_a_network_on_the_list_is_a_private_one(network):
    with pytest.raises(BadSetting):
        read_hosts([f"hooks.internal={network}"])


def test_a_name_that_changes_between_two_look_ups_is_looked_up_once(names, connects):
    names.extend([[PUBLIC], ["127.0.0.1"]])
    with pytest.raises(Exception, match="Refused"):
        target().publish(message())
    assert connects == [(PUBLIC, 443)]
    assert names == [["127.0.0.1"]]
    with pytest.raises(TargetRefused):  # the second answer is checked as the first one was
        target().publish(message())
    assert connects == [(PUBLIC, 443)]


def test_a_redirect_is_refused_and_leads_to_no_connection():
    with Receiver(SECRET).listening() as private, Receiver(SECRET).listening() as first:
        first.answers, first.location = 307, f"http://127.0.0.1:{private.port}/x"
        with pytest.raises(TargetRefused, match="307"):
            target(f"http://127.0.0.1:{first.port}/x", "127.0.0.1=127.0.0.0/8").publish(message())
        assert (first.accepted, private.accepted) == (1, 0)


def test_a_public_name_that_leads_to_a_real_listener_here_is_not_accepted_by_it(names):
    with Receiver(SECRET).listening() as receiver:
        for address in ("127.0.0.1", "0.0.0.0", "::1", "::ffff:127.0.0.1"):
            names.append([address])
            with pytest.raises(TargetRefused):
                target(f"https://hooks.example.com:{receiver.port}/x").publish(message())
        assert receiver.accepted == 0


def test_plain_http_needs_a_private_network_and_no_user_stands_in_an_address():
    for address in ("http://hooks.example.com/", "https://a@hooks.example.com/", "https://hooks.example.com\\@x/"):
        with pytest.raises(BadSetting):
            target(address)
    with pytest.raises(BadSetting):
        target("https://hooks.example.com:99999/")
