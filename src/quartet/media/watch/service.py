import asyncio
from collections.abc import Callable
from typing import Any

import msgspec

from quartet.kernel.clock import now_ms
from quartet.kernel.db import Tx
from quartet.kernel.errors import AppError, Problem
from quartet.kernel.service import Kernel
from quartet.media.naming.service import Formats
from quartet.media.roots.folder_access import FolderAccess
from quartet.media.roots.path_encoding import decode_path, encode_path
from quartet.media.roots.service import Folders
from quartet.media.roots.types import Folder
from quartet.media.types import LARGEST_ID
from quartet.media.watch import store
from quartet.media.watch.types import (
    NewWatchFolder,
    WatchDetected,
    WatchFolder,
    WatchFoldersChanged,
)


class WatchFolders:
    """The watch folders and their settings."""

    def __init__(self, kernel: Kernel[Any], folders: Folders, formats: Formats) -> None:
        self._db = kernel.db
        self._folders = folders
        self._formats = formats
        folders.guards.append(_refuse_folder)
        formats.guards.append(_refuse_format)
        # Why a folder cannot be read at the moment; set by the watcher.
        self.problems: dict[int, Problem] = {}
        # Called when the list has changed.
        self.listeners: list[Callable[[], None]] = []

    async def all(self) -> list[WatchFolder]:
        found = await self._db.read(store.every)
        return [msgspec.structs.replace(one, problem=self.problems.get(one.id)) for one in found]

    async def paths(self) -> frozenset[str]:
        """Return folders that must be kept even if they are empty."""
        return frozenset(decode_path(one.path) for one in await self._db.read(store.every))

    async def find_by_id_or_name(self, wanted: int | str) -> WatchFolder:
        """Find a folder by id, otherwise by name, ignoring case."""
        every = await self._db.read(store.every)
        named = [one for one in every if str(wanted).casefold() == one.name.casefold()]
        for one in [*(one for one in every if wanted == one.id), *named]:
            return one
        raise AppError(404, "watch_folder_not_found", name=str(wanted)[:100])

    async def add(self, given: NewWatchFolder) -> WatchFolder:
        given = await self._checked(given)

        def work(tx: Tx) -> int:
            _require_unique(tx, given)
            tx.emit(WatchFoldersChanged())
            return store.add(tx.conn, given, now_ms())

        return await self._changed(await self._db.write(work))

    async def change(self, id: int, given: NewWatchFolder) -> WatchFolder:
        given = await self._checked(given)

        def work(tx: Tx) -> None:
            before = _found(tx, id)
            _require_unique(tx, given, except_id=id)
            # Files that are already in a new folder are ignored.
            since = before.created_at if given.path == before.path else now_ms()
            store.change(tx.conn, id, given, since)
            tx.emit(WatchFoldersChanged())

        await self._db.write(work)
        return await self._changed(id)

    async def remove(self, id: int) -> None:
        def work(tx: Tx) -> None:
            _found(tx, id)
            store.remove(tx.conn, id)
            tx.emit(WatchFoldersChanged())

        await self._db.write(work)
        self._notify_listeners()

    async def detected(self, id: int, path: str) -> None:
        def work(tx: Tx) -> None:
            store.detected(tx.conn, id, now_ms())
            tx.emit(WatchDetected(id, encode_path(path)))

        await self._db.write(work)

    async def _changed(self, id: int) -> WatchFolder:
        self._notify_listeners()
        return await self._db.write(_found, id)

    def _notify_listeners(self) -> None:
        for listener in self.listeners:
            listener()

    async def _checked(self, given: NewWatchFolder) -> NewWatchFolder:
        """Require all paths inside the configured folders, and the watch folder to exist."""
        access = await self._folders.access()
        location = access.resolve(decode_path(given.path))
        for target in given.targets.given:
            access.resolve(decode_path(target))
        for format in given.formats.given:
            await self._formats.find(format)
        await asyncio.to_thread(location.root.list, location.parts)
        return msgspec.structs.replace(
            given, path=encode_path(location.path), name=given.name.strip()
        )


def _found(tx: Tx, id: int) -> WatchFolder:
    folder = store.find(tx.conn, id) if 0 < id <= LARGEST_ID else None
    if folder is None:
        raise AppError(404, "watch_folder_not_found", name=str(id))
    return folder


def _refuse_folder(tx: Tx, folder: Folder, left: list[Folder]) -> None:
    """Raise if a watch folder or one of its targets would no longer be in a configured folder."""
    gone, access = FolderAccess([folder]), FolderAccess(left)
    for one in store.every(tx.conn):
        for path in (one.path, *one.targets.given):
            if gone.contains(decode_path(path)) and not access.contains(decode_path(path)):
                raise AppError(409, "folder_watched", path=folder.path, name=one.name)


def _refuse_format(tx: Tx, id: str) -> None:
    for one in store.every(tx.conn):
        if id in one.formats.given:
            raise AppError(409, "format_watched", name=one.name)


def _require_unique(tx: Tx, given: NewWatchFolder, except_id: int | None = None) -> None:
    for one in store.every(tx.conn):
        same = one.name.casefold() == given.name.casefold() or one.path == given.path
        if one.id != except_id and same:
            raise AppError(409, "watch_folder_known", name=one.name)
