import asyncio
import os
from collections.abc import Callable, Sequence
from functools import partial
from typing import Concatenate, ParamSpec, TypeVar

from quartet.downloads.archives import ArchiveSet, is_extractable
from quartet.downloads.archives.types import Parts
from quartet.downloads.done import editing, store
from quartet.downloads.done.folder_sizes import FolderSizes
from quartet.downloads.done.listing import FolderListing, find, folders, text_of
from quartet.downloads.done.types import FolderContents, FoundFile, KnownFiles
from quartet.downloads.events import Changed
from quartet.downloads.extraction.service import Extraction
from quartet.downloads.queue.finish.done_folder import DoneFolder
from quartet.downloads.settings import DownloadsSettings
from quartet.kernel.db import Tx
from quartet.kernel.errors import AppError
from quartet.kernel.files import Root
from quartet.kernel.files.opened_file import OpenedFile
from quartet.kernel.service import Kernel

T = TypeVar("T")
P = ParamSpec("P")


class DoneService:
    """Lists, deletes, moves and extracts finished files."""

    def __init__(
        self, kernel: Kernel[DownloadsSettings], done: DoneFolder, extraction: Extraction
    ) -> None:
        self._db = kernel.db
        self._done = done
        self._extraction = extraction
        self._current = extraction.current
        self._sizes = FolderSizes()
        self._size_lock = asyncio.Lock()

    async def folder(self, path: str) -> FolderContents:
        parts = editing.editable(path) if path else ()
        known = await self._db.read(store.known_files, text_of(parts))
        async with self._size_lock:
            return await self._in_thread(self._listing, parts, known)

    def _listing(self, root: Root, parts: Parts, known: KnownFiles) -> FolderContents:
        return FolderListing(root, parts, known, self._current, self._sizes).read()

    async def find(self, query: str) -> list[FoundFile]:
        return await self._in_thread(find, query)

    async def folders(self) -> list[str]:
        return await self._in_thread(folders)

    async def open(self, path: str) -> OpenedFile:
        return await self._in_thread(_opened, editing.editable(path))

    async def delete(self, paths: Sequence[str]) -> None:
        async with self._current.edits:
            await self._remove(await self._chosen(paths))

    async def delete_archives(self, paths: Sequence[str]) -> int:
        """Delete the archive of each file and all archives in each folder; return the count."""
        async with self._current.edits:
            archives = [
                one for parts in await self._chosen(paths) for one in await self._archives_at(parts)
            ]
            files = {(*one.folder, name): None for one in archives for name in one.parts}
            await self._remove(list(files))
        return len(files)

    async def extract(self, paths: Sequence[str]) -> None:
        chosen = await self._chosen(paths)
        archives = [one for parts in chosen for one in await self._archives_at(parts)]
        if not archives:
            raise AppError(422, "nothing_to_extract")
        await self._extraction.queue_archives(archives)

    async def move(self, paths: Sequence[str], to: str) -> None:
        async with self._current.edits:
            chosen = await self._chosen(paths)
            folder = await self._in_thread(editing.target, to, chosen, self._current)
            for parts in chosen:
                new = await self._in_thread(editing.move_into, parts, folder)
                if new != parts:
                    await self._update_database(partial(_moved, text_of(parts), text_of(new)))

    async def rename(self, path: str, name: str) -> str:
        async with self._current.edits:
            [parts] = await self._chosen([path])
            new = text_of(await self._in_thread(editing.rename, parts, name))
            if new != text_of(parts):
                await self._update_database(partial(_moved, text_of(parts), new))
        return new

    async def make_folder(self, path: str, name: str) -> str:
        async with self._current.edits:
            parts = await self._in_thread(editing.make_folder, path, name)
        await self._update_database(lambda _tx: None)
        return text_of(parts)

    async def _chosen(self, paths: Sequence[str]) -> list[Parts]:
        return await self._in_thread(editing.checked_paths, paths, self._current)

    async def _archives_at(self, parts: Parts) -> list[ArchiveSet]:
        """Return the archive a file belongs to, or all archives in a folder."""
        if not await self._in_thread(editing.is_folder, parts):
            sets = await self._extraction.sets_in(parts[:-1])
            if found := [one for one in sets if parts[-1] in one.parts]:
                return found
            raise AppError(422, "not_an_archive", name=parts[-1])
        found = []
        for folder in await self._in_thread(editing.folders_with_archives, parts):
            found += await self._extraction.sets_in(folder)
        return [one for one in found if is_extractable(one)]

    async def _remove(self, chosen: Sequence[Parts]) -> None:
        for parts in chosen:
            await self._in_thread(editing.remove, parts)
            await self._update_database(partial(_deleted, text_of(parts)))

    async def _in_thread(
        self, work: Callable[Concatenate[Root, P], T], *args: P.args, **kwargs: P.kwargs
    ) -> T:
        try:
            return await asyncio.to_thread(lambda: work(self._done.root, *args, **kwargs))
        except AppError as error:
            if error.code != "not_found":
                raise
            path = error.inputs.get("path", "")
            raise AppError(404, "server_files_notFoundAt", path=path) from error

    async def _update_database(self, change: Callable[[Tx], None]) -> None:
        """Update the database after a change of files, and notify browsers."""

        def write(tx: Tx) -> None:
            change(tx)
            tx.emit(Changed("files"))

        await self._db.write(write)


def _opened(root: Root, parts: Parts) -> OpenedFile:
    file = root.open(parts)
    return OpenedFile(file, text_of(parts[-1:]), os.fstat(file.fileno()).st_size)


def _deleted(path: str, tx: Tx) -> None:
    store.deleted(tx.conn, path)


def _moved(old: str, new: str, tx: Tx) -> None:
    store.moved(tx.conn, old, new)
    # Packages may have other folders now.
    tx.emit(Changed("downloads"))
