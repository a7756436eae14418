"""A folder into which people drop containers and lists."""

import asyncio
import logging
import os

from quartet.downloads.containers import store
from quartet.downloads.containers.service import LARGEST_FILE, Containers
from quartet.downloads.containers.types import Seen
from quartet.kernel.db import Database, Tx
from quartet.kernel.errors import AppError
from quartet.kernel.files import TEMPORARY_PREFIX, Entry, Root, move, unique_name

log = logging.getLogger("quartet.containers")

DONE, FAILED = "done", "failed"
# What browsers and copying programs call a file that is not complete yet.
_UNFINISHED = (".part", ".crdownload", ".tmp", ".partial")


class Watch:
    """A file counts as complete when it was the same at two looks, one pause apart.

    It is moved away after it has been read. That it was read is written down together with its
    links: if the process ends in between, the next one only moves it.
    """

    def __init__(self, root: Root, containers: Containers, db: Database) -> None:
        self._root = root
        self._containers = containers
        self._db = db
        self._before: dict[str, Seen] = {}
        self._read: dict[str, Seen] | None = None

    async def look(self) -> None:
        if self._read is None:
            await self._tidy_up()
        there = await asyncio.to_thread(self._files)
        stable = [name for name, seen in there.items() if self._before.get(name) == seen]
        self._before = there
        read = self._read or {}
        self._read = {name: seen for name, seen in read.items() if there.get(name) == seen}
        for name in stable:
            if name not in self._read:
                await self._take(name, there[name])

    async def _tidy_up(self) -> None:
        """What the last process has read and not moved away."""
        self._read = await self._db.read(store.read_files)
        there = await asyncio.to_thread(self._files)
        for name, seen in self._read.items():
            if there.get(name) == seen:
                await asyncio.to_thread(self._move, name, DONE)

    async def _take(self, name: str, seen: Seen) -> None:
        target = DONE
        read = {**(self._read or {}), name: seen}

        def note(tx: Tx) -> None:
            store.keep(tx.conn, read)

        try:
            content = await asyncio.to_thread(self._content, name)
            await self._containers.add(name, content, note)
        except AppError as error:
            log.warning("%s in the watched folder could not be read: %s", name, error)
            target = FAILED
        self._read = read
        await asyncio.to_thread(self._move, name, target)
        left = self._read = {other: each for other, each in read.items() if other != name}
        await self._db.write(lambda tx: store.keep(tx.conn, left))

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
