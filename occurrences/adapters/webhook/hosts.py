"""The admin's list of hosts, and where on it an address stands."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from ipaddress import ip_address, ip_network
from urllib.parse import urlsplit

from occurrences.adapters.settings import BadSetting
from occurrences.adapters.webhook.addresses import Network, is_private

SETTING, ADDRESS_SETTING = "AGLET_WEBHOOK_HOSTS", "AGLET_TARGETS"
NAME = re.compile(r"(?=.{1,253}\Z)([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)*[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?")
NUMBER = re.compile(r"[0-9]+|0x[0-9a-f]*")
PORTS = {"https": 443, "http": 80}


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """A listed host to send to. `networks` are its private networks; without any its addresses are public ones."""

    secure: bool
    host: str
    port: int
    path: str
    networks: Sequence[Network]

    @property
    def authority(self) -> str:
        """Host and port as they stand in the Host header."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == PORTS["https" if self.secure else "http"] else f"{host}:{self.port}"


def read_hosts(entries: Sequence[str]) -> Mapping[str, Sequence[Network]]:
    """Read `host` and `host=network`; a host with several networks stands there several times. Raises BadSetting."""
    listed: dict[str, list[Network]] = {}
    for entry in filter(None, map(str.strip, entries)):
        host, equals, network = entry.partition("=")
        if not _is_host(host):
            raise BadSetting(SETTING, "a host is a name or an address in its usual notation, in small letters")
        listed.setdefault(host, []).extend([_private(network)] if equals else [])
    return listed


def place_of(address: str, listed: Mapping[str, Sequence[Network]]) -> Place:
    """Where an address leads; raises BadSetting for one that is not listed or that could be read in two ways."""
    if not (address.isascii() and address.isprintable()) or " " in address or "\\" in address:
        raise BadSetting(ADDRESS_SETTING, "an address holds no spaces, backslashes or control characters")
    try:
        parts = urlsplit(address)
        host, port = parts.hostname or "", parts.port
    except ValueError:
        raise BadSetting(ADDRESS_SETTING, "the address cannot be read") from None
    if "@" in parts.netloc or parts.fragment:
        raise BadSetting(ADDRESS_SETTING, "an address has no user, password or fragment")
    if not _is_host(host) or host not in listed:
        raise BadSetting(ADDRESS_SETTING, f"its host is not listed in {SETTING}")
    if parts.scheme != "https" and not listed[host]:
        raise BadSetting(ADDRESS_SETTING, f"http is for hosts with a private network in {SETTING}; use https")
    path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    secure = parts.scheme == "https"
    return Place(secure=secure, host=host, port=port or PORTS[parts.scheme], path=path, networks=tuple(listed[host]))


def _is_host(host: str) -> bool:
    """A name, or an IP address in its one canonical form: 127.1, 0x7f.1 and 2130706433 are addresses in disguise."""
    try:
        return str(ip_address(host)) == host and "%" not in host
    except ValueError:
        return bool(NAME.fullmatch(host)) and not NUMBER.fullmatch(host.rpartition(".")[2])


def _private(text: str) -> Network:
    try:
        network = ip_network(text)
    except ValueError:
        raise BadSetting(SETTING, "a network is written like 10.2.0.0/16") from None
    if not is_private(network):
        raise BadSetting(SETTING, "a network lies inside a private block; a public host is listed without one")
    return network
