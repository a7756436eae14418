"""Loopback addresses, trusted reverse proxies and the client addresses they forward."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from urllib.parse import urlsplit

Address = IPv4Address | IPv6Address
LOOPBACK_HOSTS = ("localhost", "127.0.0.1", "::1")


@dataclass(frozen=True)
class TrustedProxies:
    networks: tuple[IPv4Network | IPv6Network, ...]

    @classmethod
    def parse(cls, texts: Iterable[str]) -> "TrustedProxies":
        return cls(tuple(ip_network(text.strip(), strict=False) for text in texts))

    def trusts(self, host: str | None) -> bool:
        return host is not None and _is_in(host, self.networks)

    def client_of(self, peer: str, forwarded_for: str) -> str:
        """Return the last address in X-Forwarded-For that is not a trusted proxy.

        Read from the right: a client can invent everything to the left of its address.
        """
        client = peer
        for hop in reversed([part.strip() for part in forwarded_for.split(",") if part.strip()]):
            if not self.trusts(client) or parse_address(hop) is None:
                break
            client = hop
        return client


@lru_cache(maxsize=4096)
def _is_in(host: str, networks: tuple[IPv4Network | IPv6Network, ...]) -> bool:
    address = parse_address(host)
    return address is not None and any(address in network for network in networks)


@lru_cache(maxsize=4096)
def parse_address(text: str) -> Address | None:
    """Parse an IP address; an IPv4-mapped IPv6 address becomes the IPv4 address."""
    try:
        address = ip_address(text.strip("[]").split("%")[0])
    except ValueError:
        return None
    mapped = address.ipv4_mapped if isinstance(address, IPv6Address) else None
    return mapped or address


def is_loopback_host(host: str) -> bool:
    """Return whether a server on this host can only be reached from the same machine."""
    address = parse_address(host)
    return address.is_loopback if address else host == "localhost"


def host_name(host: str) -> str:
    """Return the name in a Host header without its port; "" if the header is invalid."""
    try:
        return (urlsplit(f"//{host}").hostname or "").lower()
    except ValueError:
        return ""


def is_host_with_port(text: str) -> bool:
    """Return whether this is a host, or nothing for all addresses, and a port."""
    host, _, port = text.rpartition(":")
    is_bare_ipv6 = ":" in host and not host.startswith("[")
    return port.isdecimal() and int(port) <= 65535 and not is_bare_ipv6
