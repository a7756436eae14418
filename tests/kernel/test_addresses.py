import pytest

from quartet.kernel.addresses import TrustedProxies

PROXIES = TrustedProxies.parse(["10.0.0.0/8", "127.0.0.1", "fd00::/8"])


@pytest.mark.parametrize(
    "host", ["10.9.8.7", "::ffff:10.9.8.7", "127.0.0.1", "fd00::1", "fd00::1%eth0"]
)
def test_addresses_in_networks_are_trusted(host: str) -> None:
    assert PROXIES.trusts(host)


@pytest.mark.parametrize(
    "host", ["11.0.0.1", "::1", "127.0.0.2", "", None, "unix", "10.0.0.1.evil"]
)
def test_other_addresses_are_not_trusted(host: str | None) -> None:
    assert not PROXIES.trusts(host)


@pytest.mark.parametrize(
    ("peer", "forwarded", "client"),
    [
        ("10.0.0.1", "203.0.113.7", "203.0.113.7"),
        ("10.0.0.1", "198.51.100.1, 203.0.113.7", "203.0.113.7"),
        ("10.0.0.1", "203.0.113.7, 10.0.0.2", "203.0.113.7"),
        ("10.0.0.1", "spoofed, 203.0.113.7, 10.0.0.2", "203.0.113.7"),
        ("10.0.0.1", "nonsense", "10.0.0.1"),
        ("10.0.0.1", "", "10.0.0.1"),
        ("203.0.113.9", "198.51.100.1", "203.0.113.9"),
    ],
)
def test_client_is_last_address_that_is_not_a_trusted_proxy(
    peer: str, forwarded: str, client: str
) -> None:
    assert PROXIES.client_of(peer, forwarded) == client
