import asyncio
import logging
import os
from collections.abc import Callable
from pathlib import Path

import msgspec

from quartet.kernel.db import Tx
from quartet.kernel.errors import AppError
from quartet.kernel.service import Kernel
from quartet.media.roots import store
from quartet.media.roots.allowed import allowed_folder
from quartet.media.roots.browse import browse
from quartet.media.roots.defaults import default_ids
from quartet.media.roots.pathmap import PathMap
from quartet.media.roots.places import Places
from quartet.media.roots.texts import path_of, path_text
from quartet.media.roots.types import (
    Browsed,
    Folder,
    FolderChange,
    FolderKind,
    FoldersChanged,
    Legacy,
    NewFolder,
)
from quartet.media.settings import MediaSettings

log = logging.getLogger("quartet.media.roots")

LEGACY_FILE = "settings.json"

# Refuses, in the transaction that would remove a folder, what others still need; `left` are those
# that stay.
Guard = Callable[[Tx, Folder, list[Folder]], None]


class Folders:
    """The configured folders; nothing is read or written outside of them."""

    def __init__(self, kernel: Kernel[MediaSettings]) -> None:
        self._db = kernel.db
        self._config = kernel.settings.data
        self._roots = kernel.settings.roots
        self.guards: list[Guard] = []
        self.path_map = PathMap.parse(kernel.settings.path_map)

    async def all(self) -> list[Folder]:
        return await self._db.read(store.all_folders)

    async def places(self) -> Places:
        """For everybody who touches files: the gate, as of now."""
        return Places(await self.all())

    async def default(self, kind: FolderKind) -> Folder | None:
        """The library matched movies or series go to."""
        return next((one for one in await self.all() if one.kind == kind and one.default), None)

    async def browse(self, text: str, cursor: str | None, limit: int) -> Browsed:
        return await asyncio.to_thread(browse, await self.places(), text, cursor, limit)

    async def add(self, given: NewFolder) -> Folder:
        path = await asyncio.to_thread(allowed_folder, path_of(given.path), self._config)

        def work(tx: Tx) -> Folder:
            id = _add(tx, path, given.kind, given.name)
            return _settled(tx, id, wanted=id if given.default else None)

        return await self._db.write(work)

    async def change(self, id: int, given: FolderChange) -> Folder:
        def work(tx: Tx) -> Folder:
            folder = _found(tx, id)
            kind = given.kind or folder.kind
            if kind != folder.kind:
                _refuse_twin(tx, folder.path, kind, id)
            # A new kind begins as an ordinary library of that kind.
            default = folder.default and kind == folder.kind and given.default is not False
            name = given.name or folder.name
            store.change(tx.conn, id, {"name": name, "kind": kind, "default": default})
            return _settled(tx, id, wanted=id if given.default else None)

        return await self._db.write(work)

    async def remove(self, id: int) -> None:
        def work(tx: Tx) -> None:
            folder = _found(tx, id)
            left = [one for one in store.all_folders(tx.conn) if one.id != id]
            for guard in self.guards:
                guard(tx, folder, left)
            store.remove(tx.conn, id)
            _settle(tx)

        await self._db.write(work)

    def first_start(self) -> None:
        """Folders of an older installation, and those of APP_ROOTS, the very first time only."""
        self._db.write_sync(self._begin)

    def _begin(self, tx: Tx) -> None:
        if not store.begin(tx.conn):
            return
        for path, kind in [*_legacy(self._config), *((path, "folder") for path in self._roots)]:
            try:
                _add(tx, allowed_folder(path, self._config), kind)
            except AppError as error:
                log.warning("folder %s was not set up: %s", path, error)
        _settle(tx)


def _add(tx: Tx, path: str, kind: FolderKind, name: str | None = None) -> int:
    text = path_text(path)
    _refuse_twin(tx, text, kind)
    last = os.path.basename(path)  # noqa: PTH119 - keeps any bytes
    shown = name or path_text(last)[:100]
    return store.add(tx.conn, text, shown, kind, os.path.ismount(path))


def _refuse_twin(tx: Tx, path: str, kind: FolderKind, id: int | None = None) -> None:
    """One folder may be a library of both kinds, and nothing twice."""
    for one in store.all_folders(tx.conn):
        other = one.path == path and one.id != id
        if other and (one.kind == kind or "folder" in (one.kind, kind)):
            raise AppError(409, "folder_known", path=path)


def _found(tx: Tx, id: int) -> Folder:
    for folder in store.all_folders(tx.conn):
        if folder.id == id:
            return folder
    raise AppError(404, "not_found", id=id)


def _settle(tx: Tx, wanted: int | None = None) -> None:
    store.set_defaults(tx.conn, default_ids(store.all_folders(tx.conn), wanted))
    tx.emit(FoldersChanged())


def _settled(tx: Tx, id: int, wanted: int | None) -> Folder:
    _settle(tx, wanted)
    return _found(tx, id)


def _legacy(config: Path) -> list[tuple[str, FolderKind]]:
    """Allowed roots become folders, the default target a library for movies and for series."""
    try:
        old = msgspec.json.decode((config / LEGACY_FILE).read_bytes(), type=Legacy)
    except FileNotFoundError:
        return []
    except (OSError, msgspec.MsgspecError) as error:
        log.warning("%s was not taken over: %s", LEGACY_FILE, error)
        return []
    target = old.default_target
    found: list[tuple[str, FolderKind]] = []
    if target:
        found += [(target, "movies"), (target, "series")]
    return found + [(path, "folder") for path in old.allowed_roots if path != target]
