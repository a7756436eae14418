"""The addresses of trackers."""

from collections.abc import Iterable
from urllib.parse import parse_qsl, urlsplit

from quartet.kernel.errors import AppError

_SCHEMES = ("http", "https", "udp")


def trackers_of(magnet: str) -> list[str]:
    """Return the trackers that a magnet link names."""
    fields = parse_qsl(urlsplit(magnet).query)
    return [value for key, value in fields if key.partition(".")[0] == "tr"]


def tracker_addresses(given: Iterable[str]) -> list[str]:
    """Return the addresses without duplicates; raises an error for an invalid one."""
    addresses = list(dict.fromkeys(each.strip() for each in given))
    for address in addresses:
        try:
            parts = urlsplit(address)
            valid = parts.scheme in _SCHEMES and parts.hostname and parts.port != 0
        except ValueError:
            valid = False
        if not valid or not address.isprintable():
            raise AppError(400, "tracker_invalid", address=address)
    return addresses
