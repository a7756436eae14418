"""Whose address is whose: this machine, trusted reverse proxies, and who stands behind them."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network

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
        """The last address in X-Forwarded-For that no trusted proxy wrote about itself.

        Read from the right: whatever stands left of an untrusted address was sent by it
        and may be invented.
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
    """An IPv4 address written as IPv6 (::ffff:…) counts as the IPv4 address it is."""
    try:
        address = ip_address(text.strip("[]").split("%")[0])
    except ValueError:
        return None
    mapped = address.ipv4_mapped if isinstance(address, IPv6Address) else None
    return mapped or address


def is_loopback_host(host: str) -> bool:
    """Whether a server that listens there can be reached from nowhere else."""
    address = parse_address(host)
    return address.is_loopback if address else host == "localhost"
