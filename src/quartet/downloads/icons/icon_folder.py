"""The icons of hosts on disk; an empty file means that a host has none. Blocks."""

from collections.abc import Collection, Sequence
from pathlib import Path
from time import time
from urllib.parse import quote, unquote

from quartet.kernel.files import Root, write_atomic

MOST_HOSTS = 500
ICON_SECONDS = 30 * 86_400
MISSING_SECONDS = 86_400
_ENDING = ".icon"
# File names have at most 255 bytes.
_LONGEST_NAME = 240


class IconFolder:
    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def hosts(self) -> dict[str, bool]:
        """Return the hosts that were asked, and whether each has an icon."""
        return {_host(file): file.stat().st_size > 0 for file in self._files()}

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
        fresh = {_host(file) for file in self._files() if _is_fresh(file)}
        return [host for host in wanted if host not in fresh]

    def write(self, host: str, picture: bytes) -> None:
        self._folder.mkdir(parents=True, exist_ok=True)
        write_atomic(Root(self._folder), _name(host), picture)

    def _make_room(self, wanted: Collection[str]) -> None:
        """Delete the oldest icons of other hosts, so that there is room for all of these."""
        stored = {_host(file): file for file in self._files()}
        others = [stored[host] for host in stored.keys() - wanted]
        others.sort(key=lambda file: file.stat().st_mtime)
        excess = len(stored.keys() | wanted) - MOST_HOSTS
        for file in others[: max(0, excess)]:
            file.unlink(missing_ok=True)

    def _files(self) -> list[Path]:
        return list(self._folder.glob(f"*{_ENDING}"))


def _name(host: str) -> str:
    return quote(host, safe="") + _ENDING


def _host(file: Path) -> str:
    return unquote(file.name.removesuffix(_ENDING))


def _is_fresh(file: Path) -> bool:
    found = file.stat()
    return time() - found.st_mtime < (ICON_SECONDS if found.st_size else MISSING_SECONDS)
