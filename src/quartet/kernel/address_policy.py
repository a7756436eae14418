"""The addresses that outgoing connections may reach: public ones and those listed in a setting."""

import errno
import socket
import sys
from collections.abc import Iterable, Iterator
from functools import lru_cache
from ipaddress import (
    IPv4Address,
    IPv4Network,
    IPv6Address,
    IPv6Network,
    ip_address,
    ip_network,
)
from typing import Any

# A result of getaddrinfo: family, type, protocol, canonical name, address.
AddressInfo = tuple[int, int, int, str, tuple[Any, ...]]
Address = IPv4Address | IPv6Address

# Listed explicitly because `is_global` changed between Python patch releases.
_FORBIDDEN_V4 = tuple(
    IPv4Network(network)
    for network in (
        "0.0.0.0/8",  # this host
        "10.0.0.0/8",
        "100.64.0.0/10",  # carrier-grade NAT
        "127.0.0.0/8",
        "168.63.129.16/32",  # Azure instance metadata
        "169.254.0.0/16",  # link-local, including the metadata services of most clouds
        "172.16.0.0/12",
        "192.0.0.0/24",
        "192.0.2.0/24",
        "192.88.99.0/24",
        "192.168.0.0/16",
        "198.18.0.0/15",
        "198.51.100.0/24",
        "203.0.113.0/24",
        "224.0.0.0/4",  # multicast
        "240.0.0.0/4",
    )
)
_GLOBAL_V6 = IPv6Network("2000::/3")
_FORBIDDEN_V6 = tuple(
    IPv6Network(network)
    for network in (
        "2001::/23",  # protocol assignments such as Teredo
        "2001:db8::/32",
        "3fff::/20",
    )
)
_MAPPED = IPv6Network("::ffff:0:0/96")
_NAT64 = IPv6Network("64:ff9b::/96")
_6TO4 = IPv6Network("2002::/16")


class ForbiddenAddress(OSError):
    """A connection to an address that is not allowed. The message never contains the address."""

    def __init__(self) -> None:
        super().__init__(errno.EACCES, "address forbidden")


class AddressPolicy:
    """Non-public addresses that may be reached: all of them, or a list of networks and hosts."""

    def __init__(self, allow_private: bool | Iterable[str]) -> None:
        # The original value, so that it can be passed to a child process.
        self.given = allow_private if isinstance(allow_private, bool) else [*allow_private]
        self._everything = allow_private is True
        self._networks: list[IPv4Network | IPv6Network] = []
        self._hosts: set[str] = set()
        for entry in () if isinstance(self.given, bool) else self.given:
            try:
                self._networks.append(ip_network(entry, strict=False))
            except ValueError:
                self._hosts.add(_plain(entry))

    def trusts(self, host: str) -> bool:
        return self._everything or _plain(host) in self._hosts

    def permits(self, address: Address) -> bool:
        inner = embedded(address)
        if self._everything or any(inner in network for network in self._networks):
            return True
        return is_public(inner)

    def rules(self) -> Iterator[tuple[IPv4Network | IPv6Network, bool]]:
        """Return networks and whether they may be reached, for programs that check on their own.

        A later rule overrides an earlier one; IPv6 addresses that embed others are never permitted.
        """
        if self._everything:
            return
        yield from ((network, False) for network in _FORBIDDEN_V4)
        yield IPv6Network("::/0"), False
        yield _GLOBAL_V6, True
        yield from ((network, False) for network in (*_FORBIDDEN_V6, _6TO4))
        yield from ((network, True) for network in self._networks)

    def socket_for(self, info: AddressInfo) -> socket.socket:
        """Create the socket for a connection after checking the resolved address."""
        family, kind, protocol, _, target = info
        address = parse_address(str(target[0]))
        if address is None or not self.permits(address):
            raise ForbiddenAddress
        return socket.socket(family, kind, protocol)

    def guard_process(self) -> None:
        """Apply the policy to every connection of this process, made by any library."""
        if self._everything:
            return
        own = {info[4][0] for host in self._hosts for info in socket.getaddrinfo(host, None)}

        def hook(event: str, arguments: tuple[Any, ...]) -> None:
            # For UDP no connection is necessary.
            if event not in ("socket.connect", "socket.sendto", "socket.sendmsg"):
                return
            if not isinstance(arguments[1], tuple):
                return
            address = str(arguments[1][0])
            parsed = parse_address(address.split("%")[0])
            if address not in own and (parsed is None or not self.permits(parsed)):
                raise ForbiddenAddress

        sys.addaudithook(hook)


def is_public(address: Address) -> bool:
    if isinstance(address, IPv4Address):
        return not any(address in network for network in _FORBIDDEN_V4)
    return address in _GLOBAL_V6 and not any(address in network for network in _FORBIDDEN_V6)


def embedded(address: Address) -> Address:
    """Return the IPv4 address embedded in a mapped, NAT64 or 6to4 address."""
    if isinstance(address, IPv4Address):
        return address
    if address in _MAPPED or address in _NAT64:
        return IPv4Address(int(address) & 0xFFFFFFFF)
    if address in _6TO4:
        return IPv4Address(int(address) >> 80 & 0xFFFFFFFF)
    return address


def parse_address(text: str) -> Address | None:
    try:
        return ip_address(text)
    except ValueError:
        return None


@lru_cache(maxsize=1000)
def literal_address(host: str) -> Address | None:
    """Parse a host that is an IP address, including forms such as 0x7f.1; None for a name."""
    host = host.rstrip(".")
    address = parse_address(host)
    if address is None and not any(char.isspace() for char in host):
        try:
            return IPv4Address(socket.inet_aton(host))
        except (OSError, UnicodeError):
            return None
    return address


def _plain(host: str) -> str:
    return host.lower().rstrip(".")
