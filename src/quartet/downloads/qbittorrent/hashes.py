"""Hashes: the identifiers of packages for qBittorrent clients, 40 hexadecimal digits."""

import re

_HASH = re.compile(r"[0-9a-f]{40}")
_LARGEST_ID = 2**53
# "quartet" in hexadecimal; the hash of a torrent never starts like this.
_PREFIX = "71756172746574" + "0" * 10


def hash_of(package_id: int) -> str:
    """Return the hash of a package for which none is stored."""
    return f"{_PREFIX}{package_id:016x}"


def id_in(hash: str) -> int | None:
    """Return the package id from which a hash was made."""
    if not _HASH.fullmatch(hash) or not hash.startswith(_PREFIX):
        return None
    id = int(hash[len(_PREFIX) :], 16)
    return id if 0 < id < _LARGEST_ID else None
