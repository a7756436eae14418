"""A folder into which people drop containers and lists."""

import asyncio
import logging
import os
from typing import NamedTuple

from quartet.downloads.containers.service import LARGEST_FILE, Containers
from quartet.kernel.errors import AppError
from quartet.kernel.files import TEMPORARY_PREFIX, Entry, Root, move, unique_name

log = logging.getLogger("quartet.containers")

DONE, FAILED = "done", "failed"
# What browsers and copying programs call a file that is not complete yet.
_UNFINISHED = (".part", ".crdownload", ".tmp", ".partial")


class Seen(NamedTuple):
    inode: int
    size: int
    changed: int


class Watch:
    """A file counts as complete when it was the same at two looks, one pause apart.

    It is moved away after it has been read. If that fails, or the process ends in between, it is
    better to have a package twice than not at all; but the same file is not read again and again.
    """

    def __init__(self, root: Root, containers: Containers) -> None:
        self._root = root
        self._containers = containers
        self._before: dict[str, Seen] = {}
        self._read: dict[str, Seen] = {}

    async def look(self) -> None:
        there = await asyncio.to_thread(self._files)
        stable = [name for name, seen in there.items() if self._before.get(name) == seen]
        self._before = there
        self._read = {name: seen for name, seen in self._read.items() if there.get(name) == seen}
        for name in stable:
            if name not in self._read:
                await self._take(name, there[name])

    async def _take(self, name: str, seen: Seen) -> None:
        target = DONE
        try:
            content = await asyncio.to_thread(self._content, name)
            await self._containers.add(name, content)
        except AppError as error:
            log.warning("%s in the watched folder could not be read: %s", name, error)
            target = FAILED
        self._read[name] = seen
        await asyncio.to_thread(self._move, name, target)

    def _files(self) -> dict[str, Seen]:
        self._root.path.mkdir(parents=True, exist_ok=True)
        return {each.name: _seen(each) for each in self._root.list() if _is_meant(each)}

    def _content(self, name: str) -> bytes:
        with self._root.open((name,)) as file:
            return file.read(LARGEST_FILE + 1)

    def _move(self, name: str, target: str) -> None:
        self._root.make_folder(target)
        taken = {each.name for each in self._root.list(target)}
        move(self._root, (name,), (target, unique_name(name, taken)))


def _seen(entry: Entry) -> Seen:
    stat: os.stat_result = entry.stat
    return Seen(stat.st_ino, stat.st_size, stat.st_mtime_ns)


def _is_meant(entry: Entry) -> bool:
    name = entry.name.lower()
    hidden = name.startswith((".", TEMPORARY_PREFIX))
    return entry.is_file and not hidden and not name.endswith(_UNFINISHED)
