"""Which addresses a request may go to. What is not surely public or listed is refused.

The blocks are those of the IANA special-purpose address registries for IPv4 and IPv6.
"""

from collections.abc import Sequence
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_network

Address = IPv4Address | IPv6Address
Network = IPv4Network | IPv6Network

# Whatever the list says: this host, link-local and metadata services, protocol blocks, multicast, reserved; and IPv6
# addresses that carry an IPv4 address inside them (mapped, translated, NAT64, 6to4, Teredo) or none at all.
NEVER = tuple(
    ip_network(text)
    for text in (
        *("0.0.0.0/8", "169.254.0.0/16", "192.0.0.0/24", "192.88.99.0/24", "224.0.0.0/4", "240.0.0.0/4"),
        *("100.100.100.200/32", "fd00:ec2::254/128", "fe80::/10", "fec0::/10", "ff00::/8", "::/128"),
        *("::ffff:0:0/96", "::ffff:0:0:0/96", "64:ff9b::/96", "64:ff9b:1::/48", "2001::/23", "2002::/16"),
    )
)
# Only under the name and the network that the list gives.
PRIVATE = tuple(
    ip_network(text)
    for text in (
        *("10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16"),
        *("::1/128", "fc00::/7"),
    )
)
PUBLIC_IPV6 = IPv6Network("2000::/3")


def is_private(network: Network) -> bool:
    """Whether a network lies inside one of the private blocks."""
    return any(network.version == block.version and network.subnet_of(block) for block in PRIVATE)  # type: ignore[arg-type]


def is_permitted(address: Address, networks: Sequence[Network]) -> bool:
    """Whether a request may go to `address`: inside a listed network, or, where none is listed, public."""
    if _inside(address, NEVER):
        return False
    if networks:
        return _inside(address, networks)
    public = isinstance(address, IPv4Address) or address in PUBLIC_IPV6
    return public and address.is_global and not _inside(address, PRIVATE)


def _inside(address: Address, networks: Sequence[Network]) -> bool:
    return any(address in network for network in networks)  # of another version: False
