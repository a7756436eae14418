"""Magnet links, as far as the service reads them itself."""

import base64
import re
from collections.abc import Sequence
from typing import NamedTuple
from urllib.parse import parse_qsl, quote, urlsplit

from quartet.kernel.files import safe_name

# The host of a torrent's downloads: the queue runs one torrent of a host at a time, so the same
# torrent is never started twice.
HOST_PREFIX = "torrent:"
_HEX = re.compile(r"[0-9a-f]{40}")
_V2 = re.compile(r"1220([0-9a-f]{64})")


class Magnet(NamedTuple):
    url: str
    info_hash: str
    name: str

    @property
    def host(self) -> str:
        return HOST_PREFIX + self.info_hash


def is_torrent_host(host: str) -> bool:
    return host.startswith(HOST_PREFIX)


def magnet_of(url: str) -> Magnet | None:
    """Parse a magnet link; return None if it names no torrent."""
    fields = parse_qsl(urlsplit(url).query)
    hashes = [found for key, value in fields if (found := _info_hash(key, value))]
    if not hashes:
        return None
    names = [value for key, value in fields if key == "dn" and value.strip()]
    return Magnet(url, hashes[0], safe_name(names[0]) if names else hashes[0])


def magnet_link(info_hash: str, name: str) -> str:
    return f"magnet:?xt=urn:btih:{info_hash}&dn={quote(name, safe='')}"


def with_web_seeds(magnet: str, urls: Sequence[str]) -> str:
    """Return the link with the addresses of servers that have the files of the torrent."""
    return magnet + "".join(f"&ws={quote(url, safe='')}" for url in urls)


def _info_hash(key: str, value: str) -> str | None:
    """Return the hash as 40 hexadecimal digits; that of version 2 is truncated, as in trackers."""
    kind, _, given = value.rpartition(":")
    if key.partition(".")[0] != "xt":
        return None
    if kind == "urn:btmh" and (found := _V2.fullmatch(given.lower())):
        return found[1][:40]
    if kind != "urn:btih":
        return None
    if _HEX.fullmatch(given.lower()):
        return given.lower()
    try:
        return base64.b32decode(given.upper()).hex() if len(given) == 32 else None
    except ValueError:
        return None
