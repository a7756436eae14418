"""The icons of hosts on disk; an empty file means that a host has none. Blocks."""

import os
from collections.abc import Collection, Sequence
from contextlib import suppress
from pathlib import Path
from time import time
from typing import NamedTuple
from urllib.parse import quote, unquote

from quartet.kernel.files import Root, write_atomic

MOST_HOSTS = 500
ICON_SECONDS = 30 * 86_400
MISSING_SECONDS = 86_400
_ENDING = ".icon"
# File names have at most 255 bytes.
_LONGEST_NAME = 240


class _StoredIcon(NamedTuple):
    file: Path
    found: os.stat_result


class IconFolder:
    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def hosts(self) -> dict[str, bool]:
        """Return the hosts that were asked, and whether each has an icon."""
        return {host: icon.found.st_size > 0 for host, icon in self._stored().items()}

    def read(self, host: str) -> bytes:
        """Return the icon, which is empty if there is none."""
        try:
            return (self._folder / _name(host)).read_bytes()
        except OSError:
            return b""

    def due(self, hosts: Sequence[str]) -> list[str]:
        """Return those of the hosts that have to be asked, and forget others if there are too many.

        At most MOST_HOSTS of the hosts are considered, the first ones.
        """
        wanted = [host for host in dict.fromkeys(hosts) if len(_name(host)) <= _LONGEST_NAME]
        wanted = wanted[:MOST_HOSTS]
        self._make_room(set(wanted))
        stored = self._stored()
        return [host for host in wanted if host not in stored or not _is_fresh(stored[host].found)]

    def write(self, host: str, picture: bytes) -> None:
        self._folder.mkdir(parents=True, exist_ok=True)
        write_atomic(Root(self._folder), _name(host), picture)

    def _make_room(self, wanted: Collection[str]) -> None:
        """Delete the oldest icons of other hosts, so that there is room for all of these."""
        stored = self._stored()
        others = [stored[host] for host in stored.keys() - wanted]
        others.sort(key=lambda icon: icon.found.st_mtime)
        excess = len(stored.keys() | wanted) - MOST_HOSTS
        for icon in others[: max(0, excess)]:
            icon.file.unlink(missing_ok=True)

    def _stored(self) -> dict[str, _StoredIcon]:
        """Return the icons by host; those that are removed in the meantime are left out."""
        stored = {}
        for file in self._folder.glob(f"*{_ENDING}"):
            with suppress(FileNotFoundError):
                stored[_host(file)] = _StoredIcon(file, file.stat())
        return stored


def _name(host: str) -> str:
    return quote(host, safe="") + _ENDING


def _host(file: Path) -> str:
    return unquote(file.name.removesuffix(_ENDING))


def _is_fresh(found: os.stat_result) -> bool:
    return time() - found.st_mtime < (ICON_SECONDS if found.st_size else MISSING_SECONDS)
