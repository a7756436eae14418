import asyncio
from collections.abc import Callable
from typing import Any

import msgspec

from quartet.kernel.clock import now_ms
from quartet.kernel.db import Tx
from quartet.kernel.errors import AppError, Problem
from quartet.kernel.service import Kernel
from quartet.media.ids import LARGEST_ID
from quartet.media.naming.service import Formats
from quartet.media.roots.places import Places
from quartet.media.roots.service import Folders
from quartet.media.roots.texts import path_of, path_text
from quartet.media.roots.types import Folder
from quartet.media.watch import store
from quartet.media.watch.types import (
    NewWatchFolder,
    WatchDetected,
    WatchFolder,
    WatchFoldersChanged,
)


class WatchFolders:
    """Which folders are watched and how."""

    def __init__(self, kernel: Kernel[Any], folders: Folders, formats: Formats) -> None:
        self._db = kernel.db
        self._folders = folders
        self._formats = formats
        folders.guards.append(_refuse_folder)
        formats.guards.append(_refuse_format)
        # Why a folder cannot be watched at the moment; whoever watches says so.
        self.problems: dict[int, Problem] = {}
        # Called when the list has changed.
        self.listeners: list[Callable[[], None]] = []

    async def all(self) -> list[WatchFolder]:
        found = await self._db.read(store.every)
        return [msgspec.structs.replace(one, problem=self.problems.get(one.id)) for one in found]

    async def paths(self) -> frozenset[str]:
        """Folders that stay, also when they are empty."""
        return frozenset(path_of(one.path) for one in await self._db.read(store.every))

    async def named(self, wanted: int | str) -> WatchFolder:
        """By id, else by name without regard to case."""
        every = await self._db.read(store.every)
        named = [one for one in every if str(wanted).casefold() == one.name.casefold()]
        for one in [*(one for one in every if wanted == one.id), *named]:
            return one
        raise AppError(404, "watch_folder_not_found", name=str(wanted)[:100])

    async def add(self, given: NewWatchFolder) -> WatchFolder:
        given = await self._checked(given)

        def work(tx: Tx) -> int:
            _refuse_twin(tx, given)
            tx.emit(WatchFoldersChanged())
            return store.add(tx.conn, given, now_ms())

        return await self._changed(await self._db.write(work))

    async def change(self, id: int, given: NewWatchFolder) -> WatchFolder:
        given = await self._checked(given)

        def work(tx: Tx) -> None:
            before = _found(tx, id)
            _refuse_twin(tx, given, but=id)
            # What lies in another folder already stays there.
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
        self._tell()

    async def detected(self, id: int, path: str) -> None:
        def work(tx: Tx) -> None:
            store.detected(tx.conn, id, now_ms())
            tx.emit(WatchDetected(id, path_text(path)))

        await self._db.write(work)

    async def _changed(self, id: int) -> WatchFolder:
        self._tell()
        return await self._db.write(_found, id)

    def _tell(self) -> None:
        for listener in self.listeners:
            listener()

    async def _checked(self, given: NewWatchFolder) -> NewWatchFolder:
        """Everything inside the configured folders, and the folder itself there."""
        places = await self._folders.places()
        spot = places.spot(path_of(given.path))
        for target in given.targets.given:
            places.spot(path_of(target))
        for format in (given.formats.movie, given.formats.series):
            if format is not None:
                await self._formats.find(format)
        await asyncio.to_thread(spot.root.list, spot.parts)
        return msgspec.structs.replace(given, path=path_text(spot.path), name=given.name.strip())


def _found(tx: Tx, id: int) -> WatchFolder:
    folder = store.find(tx.conn, id) if 0 < id <= LARGEST_ID else None
    if folder is None:
        raise AppError(404, "watch_folder_not_found", name=str(id))
    return folder


def _refuse_folder(tx: Tx, folder: Folder, left: list[Folder]) -> None:
    """Without it something that is watched, or where that goes, would be outside."""
    gone, places = Places([folder]), Places(left)
    for one in store.every(tx.conn):
        for path in (one.path, *one.targets.given):
            if gone.inside(path_of(path)) and not places.inside(path_of(path)):
                raise AppError(409, "folder_watched", path=folder.path, name=one.name)


def _refuse_format(tx: Tx, id: str) -> None:
    for one in store.every(tx.conn):
        if id in (one.formats.movie, one.formats.series):
            raise AppError(409, "format_watched", name=one.name)


def _refuse_twin(tx: Tx, given: NewWatchFolder, but: int | None = None) -> None:
    for one in store.every(tx.conn):
        same = one.name.casefold() == given.name.casefold() or one.path == given.path
        if one.id != but and same:
            raise AppError(409, "watch_folder_known", name=one.name)
