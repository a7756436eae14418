from typing import NamedTuple

import msgspec


class HostIcons(msgspec.Struct, frozen=True):
    """The hosts that have been asked for an icon, and whether each has one."""

    hosts: dict[str, bool]


class Icon(NamedTuple):
    picture: bytes
    media_type: str
