import asyncio
import logging
import os
import secrets
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import BinaryIO

from msgspec.structs import replace

from quartet.kernel.errors import AppError
from quartet.kernel.files import Root
from quartet.kernel.files.beneath import Parts
from quartet.kernel.files.opened_file import OpenedFile
from quartet.sync.config.service.folders import Folders
from quartet.sync.config.service.revisions import Revisions
from quartet.sync.hub.shared import SharedHub
from quartet.sync.hubfiles.browser import listing
from quartet.sync.hubfiles.browser.types import FileEntry, FileOrVersion, Listing, Uploaded
from quartet.sync.hubfiles.browser.zips import zip_pieces
from quartet.sync.hubfiles.folder_on_disk import VERSIONS, FolderOnDisk, path_parts, version_path
from quartet.sync.hubfiles.rescan import rescan

log = logging.getLogger("quartet.sync.files")


class HubBrowser:
    """Shows the files of the hub, sends them and stores uploaded ones.

    Contents are sent only by servers that have the disk of the hub.
    """

    def __init__(self, data: Path, revisions: Revisions, hub: SharedHub) -> None:
        self._data = data
        self._folders = Folders(revisions)
        self._hub = hub

    async def listing(self, folder_id: int, path: str, words: str) -> Listing:
        root, parts = self._disk(folder_id).files, _parts(path)
        if not parts and self._is_new(folder_id):
            return Listing([], False)
        if words.strip():
            return await asyncio.to_thread(listing.search, root, parts, words)
        return await asyncio.to_thread(listing.list_folder, root, parts)

    async def describe(self, folder_id: int, path: str) -> FileEntry:
        """Return a file or folder; an empty path is the whole folder."""
        folder, disk = self._folders.folder(folder_id), self._local_disk(folder_id)
        found = await asyncio.to_thread(listing.entry, disk.files, _parts(path))
        return found if path else replace(found, name=folder.label)

    async def open(self, folder_id: int, place: FileOrVersion) -> OpenedFile:
        disk = self._local_disk(folder_id)
        return await asyncio.to_thread(_opened, disk, path_parts(place.path), place.at)

    async def zip(self, folder_id: int, path: str) -> AsyncIterator[bytes]:
        """Return the pieces of an archive of a folder."""
        root, parts = self._local_disk(folder_id).files, _parts(path)
        # Fails now if the folder does not exist, and not in the middle of the answer.
        await asyncio.to_thread(root.list, parts)
        return _in_threads(zip_pieces(root, parts))

    def zip_name(self, folder_id: int, path: str) -> str:
        last = path.rpartition("/")[2] or self._folders.folder(folder_id).label
        return f"{last}.zip"

    async def upload(self, folder_id: int, path: str, pieces: AsyncIterator[bytes]) -> Uploaded:
        """Store a file; the current one with this name becomes a version."""
        disk, parts = self._local_disk(folder_id), path_parts(path)
        if self._is_new(folder_id):
            # The engine takes it over when it adds the folder.
            disk.files.path.mkdir(mode=0o700, parents=True, exist_ok=True)
        size = await _store(disk, parts, pieces)
        log.info("folder %d: %s uploaded: %d bytes", folder_id, path, size)
        folder = self._folders.folder(folder_id)
        await rescan(self._hub, folder.engine_folder_id, [path])
        return Uploaded(path, size)

    def _is_new(self, folder_id: int) -> bool:
        """Return True if the hub has not created the folder yet.

        A known folder that is missing may be on a disk that is not mounted.
        """
        known = self._hub.state().folders
        disk, folder = self._disk(folder_id), self._folders.folder(folder_id)
        return folder.engine_folder_id not in known and not disk.files.path.is_dir()

    def _disk(self, folder_id: int) -> FolderOnDisk:
        return FolderOnDisk(self._data, self._folders.folder(folder_id))

    def _local_disk(self, folder_id: int) -> FolderOnDisk:
        disk = self._disk(folder_id)
        # Servers may share the disk of the hub.
        if not self._hub.owned and not disk.files.path.is_dir():
            raise AppError(503, "files_elsewhere")
        return disk


def _parts(path: str) -> Parts:
    return path_parts(path) if path else ()


def _opened(disk: FolderOnDisk, parts: Parts, at: int | None) -> OpenedFile:
    file = disk.files.open(parts) if at is None else _version(disk, parts, at)
    return OpenedFile(file, parts[-1], os.fstat(file.fileno()).st_size)


def _version(disk: FolderOnDisk, parts: Parts, at: int) -> BinaryIO:
    kept = version_path(parts, at)
    places: tuple[tuple[Root, Parts], ...] = (
        (disk.archive, kept),
        (disk.files, (VERSIONS, *kept)),
    )
    for root, place in places:
        try:
            return root.open(place)
        except AppError as error:
            if error.code not in ("not_found", "not_a_folder"):
                raise
    raise AppError(404, "version_not_found", path="/".join(parts), at=at)


async def _in_threads(pieces: Iterator[bytes]) -> AsyncIterator[bytes]:
    while (piece := await asyncio.to_thread(next, pieces, None)) is not None:
        yield piece


async def _store(disk: FolderOnDisk, parts: Parts, pieces: AsyncIterator[bytes]) -> int:
    # The engine ignores such temporary names and removes them after a crash.
    part = (*parts[:-1], f".syncthing.quartet-{secrets.token_hex(8)}.tmp")
    if parts[:-1]:
        await asyncio.to_thread(disk.files.make_folder, parts[:-1])
    file = await asyncio.to_thread(disk.files.create, part)
    size = 0
    try:
        with file:
            async for piece in pieces:
                size += len(piece)
                await asyncio.to_thread(_write, disk.files, file, piece)
            await asyncio.to_thread(_sync, file)
        await asyncio.to_thread(disk.replace_file, part, parts)
    finally:
        await asyncio.to_thread(_remove, disk.files, part)
    return size


def _write(root: Root, file: BinaryIO, piece: bytes) -> None:
    root.require_space(len(piece))
    file.write(piece)


def _sync(file: BinaryIO) -> None:
    file.flush()
    os.fsync(file.fileno())


def _remove(root: Root, part: Parts) -> None:
    if root.exists(part):
        root.remove(part)
