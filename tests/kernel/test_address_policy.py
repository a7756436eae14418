from ipaddress import IPv4Address, IPv6Address, ip_address

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quartet.kernel.address_policy import (
    AddressPolicy,
    ForbiddenAddress,
    literal_address,
)

NOBODY = AddressPolicy(False)

FORBIDDEN = [
    "0.0.0.0",
    "0.1.2.3",
    "10.1.2.3",
    "100.64.0.1",
    "100.100.100.200",
    "127.0.0.1",
    "127.255.255.254",
    "168.63.129.16",
    "169.254.169.254",
    "172.16.0.1",
    "172.31.255.255",
    "192.0.0.192",
    "192.168.1.1",
    "198.18.0.1",
    "224.0.0.1",
    "239.255.255.255",
    "255.255.255.255",
    "::",
    "::1",
    "::7f00:1",
    "::ffff:127.0.0.1",
    "::ffff:169.254.169.254",
    "64:ff9b::127.0.0.1",
    "64:ff9b::a9fe:a9fe",
    "64:ff9b:1::1",
    "2002:7f00:1::",
    "2002:c0a8:101::1",
    "2001:0:1::1",
    "2001:db8::1",
    "fc00::1",
    "fd00:ec2::254",
    "fe80::1",
    "fe80::1%eth0",
    "fec0::1",
    "ff02::1",
    "100::1",
]
PUBLIC = [
    "1.1.1.1",
    "8.8.8.8",
    "100.63.255.255",
    "172.32.0.1",
    "223.255.255.255",
    "2606:4700:4700::1111",
    "2a00:1450:4001::1",
    "::ffff:8.8.8.8",
    "64:ff9b::8.8.8.8",
    "2002:808:808::1",
]


@pytest.mark.parametrize("address", FORBIDDEN)
def test_private_addresses_are_rejected(address: str) -> None:
    assert not NOBODY.permits(ip_address(address))


@pytest.mark.parametrize("address", PUBLIC)
def test_public_addresses_are_allowed(address: str) -> None:
    assert NOBODY.permits(ip_address(address))


@settings(deadline=None)
@given(st.ip_addresses(v=4, network="10.0.0.0/8"))
def test_embedded_private_ipv4_addresses_are_rejected(address: IPv4Address) -> None:
    number = int(address)
    for wrapped in (
        number,
        0xFFFF_0000_0000 + number,
        (0x64FF9B << 96) + number,
        (0x2002 << 112) + (number << 80) + 1,
    ):
        assert not NOBODY.permits(IPv6Address(wrapped))
    assert not NOBODY.permits(address)


@settings(deadline=None)
@given(st.ip_addresses(v=6))
def test_only_global_unicast_is_allowed(address: IPv6Address) -> None:
    if NOBODY.permits(address):
        assert not address.is_private or address.ipv4_mapped or address.sixtofour
        assert not address.is_multicast


@pytest.mark.parametrize(
    ("host", "address"),
    [
        ("127.0.0.1", "127.0.0.1"),
        ("127.0.0.1.", "127.0.0.1"),
        ("127.1", "127.0.0.1"),
        ("0x7f.1", "127.0.0.1"),
        ("2130706433", "127.0.0.1"),
        ("017700000001", "127.0.0.1"),
        ("0", "0.0.0.0"),
        ("::ffff:7f00:1", "::ffff:127.0.0.1"),
        ("example.org", None),
        ("1.2.3.4.5", None),
        ("ünicode.example", None),
    ],
)
def test_literal_address_accepts_every_spelling(host: str, address: str | None) -> None:
    assert literal_address(host) == (ip_address(address) if address else None)


def test_settings_allow_networks_hosts_or_everything() -> None:
    some = AddressPolicy(["192.168.1.0/24", "10.0.0.7", "fd12::/16", "NAS.local"])
    assert some.permits(ip_address("192.168.1.9"))
    assert some.permits(ip_address("::ffff:192.168.1.9"))
    assert some.permits(ip_address("10.0.0.7"))
    assert some.permits(ip_address("fd12::1"))
    assert not some.permits(ip_address("10.0.0.8"))
    assert some.trusts("nas.local.")
    assert not some.trusts("evil.nas.local")
    assert AddressPolicy(True).permits(ip_address("127.0.0.1"))
    assert AddressPolicy(True).trusts("anything")


@pytest.mark.parametrize("target", ["127.0.0.1", "127.1", "not an address"])
def test_no_socket_is_created_for_forbidden_address(target: str) -> None:
    with pytest.raises(ForbiddenAddress):
        NOBODY.socket_for((2, 1, 6, "", (target, 80)))
