import asyncio
import logging
import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import msgspec

from quartet.kernel.db import Tx
from quartet.kernel.errors import AppError
from quartet.kernel.service import Kernel
from quartet.media.roots import store
from quartet.media.roots.allowed_folders import allowed_folder
from quartet.media.roots.browse import browse
from quartet.media.roots.folder_access import FolderAccess
from quartet.media.roots.machine_browse import browse_machine
from quartet.media.roots.path_encoding import decode_path, encode_path
from quartet.media.roots.path_map import PathMap
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
LIBRARIES: tuple[FolderKind, ...] = ("movies", "series", "music", "photos")

# Raises in the transaction that removes a folder if it is still in use; the list has the remaining
# folders.
RemovalGuard = Callable[[Tx, Folder, list[Folder]], None]


class Folders:
    """The configured folders; nothing outside of them is read or written."""

    def __init__(self, kernel: Kernel[MediaSettings]) -> None:
        self._db = kernel.db
        self._config = kernel.settings.data
        self._roots = kernel.settings.roots
        self.guards: list[RemovalGuard] = []
        self.path_map = PathMap.parse(kernel.settings.path_map)

    async def all(self) -> list[Folder]:
        return await self._db.read(store.all_folders)

    def all_sync(self) -> list[Folder]:
        """Return all folders; blocks."""
        return self._db.write_sync(lambda tx: store.all_folders(tx.conn))

    async def access(self) -> FolderAccess:
        """Return the configured folders as of now, for access to files."""
        return FolderAccess(await self.all())

    async def default(self, kind: FolderKind) -> Folder | None:
        """Return the default library of a kind."""
        return next((one for one in await self.all() if one.kind == kind and one.default), None)

    async def browse(self, text: str, cursor: str | None, limit: int) -> Browsed:
        return await asyncio.to_thread(browse, await self.access(), text, cursor, limit)

    async def browse_machine(self, text: str) -> Browsed:
        return await asyncio.to_thread(browse_machine, text, self._config)

    async def add(self, given: NewFolder) -> Folder:
        path = await asyncio.to_thread(allowed_folder, decode_path(given.path), self._config)

        def work(tx: Tx) -> Folder:
            id = _add(tx, path, given.kind, given.name)
            widths = {"poster_width": given.poster_width, "fanart_width": given.fanart_width}
            files = _extra_files(given.kind, given.nfo, given.subtitles)
            store.change(tx.conn, id, widths | files)
            return _saved(tx, id, wanted=id if given.default else None)

        return await self._db.write(work)

    async def change(self, id: int, given: FolderChange) -> Folder:
        def work(tx: Tx) -> Folder:
            folder = _found(tx, id)
            kind = given.kind or folder.kind
            if kind != folder.kind:
                _require_unique(tx, folder.path, kind, id)
            # After a change of kind the folder is not the default.
            default = folder.default and kind == folder.kind and given.default is not False
            name = given.name or folder.name
            nfo = folder.nfo if given.nfo is None else given.nfo
            subtitles = folder.subtitles if given.subtitles is None else given.subtitles
            values = {
                "name": name,
                "kind": kind,
                "default": default,
                "poster_width": given.poster_width or folder.poster_width,
                "fanart_width": given.fanart_width or folder.fanart_width,
            }
            store.change(tx.conn, id, values | _extra_files(kind, nfo, subtitles))
            return _saved(tx, id, wanted=id if given.default else None)

        return await self._db.write(work)

    async def remove(self, id: int) -> None:
        def work(tx: Tx) -> None:
            folder = _found(tx, id)
            left = [one for one in store.all_folders(tx.conn) if one.id != id]
            for guard in self.guards:
                guard(tx, folder, left)
            store.remove(tx.conn, id)
            _update_defaults(tx)

        await self._db.write(work)

    def run_first_start(self) -> None:
        """Set up folders from an older installation and APP_ROOTS, on the very first start only."""
        self._db.write_sync(self._begin)

    def _begin(self, tx: Tx) -> None:
        if not store.begin(tx.conn):
            return
        for path, kind in [
            *_legacy_folders(self._config),
            *((path, "folder") for path in self._roots),
        ]:
            try:
                _add(tx, allowed_folder(path, self._config), kind)
            except AppError as error:
                log.warning("cannot set up folder %s: %s", path, error)
        _update_defaults(tx)


def _add(tx: Tx, path: str, kind: FolderKind, name: str | None = None) -> int:
    text = encode_path(path)
    _require_unique(tx, text, kind)
    last = os.path.basename(path)  # noqa: PTH119 - keeps any bytes
    shown = name or encode_path(last)[:100]
    return store.add(tx.conn, text, shown, kind, os.path.ismount(path))


def _extra_files(kind: FolderKind, nfo: bool, subtitles: Sequence[str]) -> dict[str, Any]:
    """Only libraries of videos and music get files that were not in a release."""
    videos = kind in ("movies", "series")
    artwork = videos or kind == "music"
    return {"nfo": artwork and nfo, "subtitles": list(subtitles) if videos else []}


def _require_unique(tx: Tx, path: str, kind: FolderKind, id: int | None = None) -> None:
    """A folder may be a library of several kinds, but nothing else twice."""
    for one in store.all_folders(tx.conn):
        other = one.path == path and one.id != id
        if other and (one.kind == kind or "folder" in (one.kind, kind)):
            raise AppError(409, "folder_known", path=path)


def _found(tx: Tx, id: int) -> Folder:
    for folder in store.all_folders(tx.conn):
        if folder.id == id:
            return folder
    raise AppError(404, "not_found", id=id)


def _update_defaults(tx: Tx, wanted: int | None = None) -> None:
    store.set_defaults(tx.conn, default_ids(store.all_folders(tx.conn), wanted))
    tx.emit(FoldersChanged())


def _saved(tx: Tx, id: int, wanted: int | None) -> Folder:
    _update_defaults(tx, wanted)
    return _found(tx, id)


def _legacy_folders(config: Path) -> list[tuple[str, FolderKind]]:
    """Read an old settings file; its default target becomes a library for both kinds."""
    try:
        old = msgspec.json.decode((config / LEGACY_FILE).read_bytes(), type=Legacy)
    except FileNotFoundError:
        return []
    except (OSError, msgspec.MsgspecError) as error:
        log.warning("cannot import %s: %s", LEGACY_FILE, error)
        return []
    target = old.default_target
    found: list[tuple[str, FolderKind]] = []
    if target:
        found += [(target, "movies"), (target, "series")]
    return found + [(path, "folder") for path in old.allowed_roots if path != target]


def default_ids(folders: Sequence[Folder], wanted: int | None = None) -> list[int]:
    """Return the default library per kind: the wanted one, the current one or the first."""
    chosen = []
    for kind in LIBRARIES:
        libraries = [folder for folder in folders if folder.kind == kind]
        if libraries:
            best = min(libraries, key=lambda one: (one.id != wanted, not one.default, one.id))
            chosen.append(best.id)
    return chosen
