"""Watches a folder for container files and link lists."""

import asyncio
import logging
import os

from quartet.downloads.containers import store
from quartet.downloads.containers.service import LARGEST_FILE, Containers
from quartet.downloads.containers.types import FileStamp
from quartet.kernel.db import Database, Tx
from quartet.kernel.errors import AppError
from quartet.kernel.files import TEMPORARY_PREFIX, Entry, Root, move, unique_name

log = logging.getLogger("quartet.downloads.containers")

DONE, FAILED = "done", "failed"
# File extensions of incomplete downloads and copies.
_UNFINISHED = (".part", ".crdownload", ".tmp", ".partial")


class WatchFolder:
    """Adds files that did not change between two checks, and are thus complete.

    A file is moved away after it was read. That it was read is stored in the same transaction as
    its links: if the process ends in between, the next one only moves the file.
    """

    def __init__(self, root: Root, containers: Containers, db: Database) -> None:
        self._root = root
        self._containers = containers
        self._db = db
        self._last_seen: dict[str, FileStamp] = {}
        self._read: dict[str, FileStamp] | None = None

    async def check(self) -> None:
        if self._read is None:
            await self._move_read_files()
        found = await asyncio.to_thread(self._files)
        stable = [name for name, seen in found.items() if self._last_seen.get(name) == seen]
        self._last_seen = found
        read = self._read or {}
        self._read = {name: seen for name, seen in read.items() if found.get(name) == seen}
        for name in stable:
            if name not in self._read:
                await self._add(name, found[name])

    async def _move_read_files(self) -> None:
        """Move the files that the previous process has read but not moved."""
        self._read = await self._db.read(store.read_files)
        found = await asyncio.to_thread(self._files)
        for name, seen in self._read.items():
            if found.get(name) == seen:
                await asyncio.to_thread(self._move, name, DONE)

    async def _add(self, name: str, seen: FileStamp) -> None:
        target = DONE
        read = {**(self._read or {}), name: seen}

        def note(tx: Tx) -> None:
            store.replace_files(tx.conn, read)

        try:
            content = await asyncio.to_thread(self._content, name)
            await self._containers.add(name, content, note)
        except AppError as error:
            log.warning("cannot read %s in the watch folder: %s", name, error)
            target = FAILED
        self._read = read
        await asyncio.to_thread(self._move, name, target)
        left = self._read = {other: each for other, each in read.items() if other != name}
        await self._db.write(lambda tx: store.replace_files(tx.conn, left))

    def _files(self) -> dict[str, FileStamp]:
        self._root.path.mkdir(parents=True, exist_ok=True)
        return {each.name: _stamp(each) for each in self._root.list() if _is_candidate(each)}

    def _content(self, name: str) -> bytes:
        with self._root.open((name,)) as file:
            return file.read(LARGEST_FILE + 1)

    def _move(self, name: str, target: str) -> None:
        self._root.make_folder(target)
        taken = {each.name for each in self._root.list(target)}
        move(self._root, (name,), (target, unique_name(name, taken)))


def _stamp(entry: Entry) -> FileStamp:
    stat: os.stat_result = entry.stat
    return FileStamp(stat.st_ino, stat.st_size, stat.st_mtime_ns)


def _is_candidate(entry: Entry) -> bool:
    name = entry.name.lower()
    hidden = name.startswith((".", TEMPORARY_PREFIX))
    return entry.is_file and not hidden and not name.endswith(_UNFINISHED)
