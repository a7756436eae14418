"""Gids: the identifiers of downloads for aria2 clients, 16 hexadecimal digits."""

import re

from quartet.downloads.aria2.types import RpcError

_GID = re.compile(r"[0-9a-fA-F]{1,16}")
_LARGEST_ID = 2**53
# Gids made from ids have these first digits, which no client would choose.
_PREFIX = "9a27"


def gid_of(id: int) -> str:
    """Return the gid of a download for which no client chose one."""
    return f"{_PREFIX}{id:012x}"


def id_in(gid: str) -> int | None:
    """Return the id from which a gid was made."""
    if not gid.startswith(_PREFIX):
        return None
    id = int(gid[len(_PREFIX) :], 16)
    return id if 0 < id < _LARGEST_ID else None


def checked_gid(value: object) -> str:
    if not isinstance(value, str) or not _GID.fullmatch(value):
        raise RpcError(f"Invalid GID {value}")
    return value.lower()


def new_gid(value: object) -> str:
    """Check a gid that a client chose for a new download."""
    gid = checked_gid(value)
    if len(gid) != 16 or not int(gid, 16):
        raise RpcError(f"Invalid GID {value}")
    return gid
