"""What follows when an archive is unpacked or could not be."""

import asyncio
from collections.abc import Collection, Sequence
from contextlib import suppress

from quartet.downloads.archives import ArchiveSet
from quartet.downloads.events import Changed
from quartet.downloads.extraction import store
from quartet.downloads.extraction.sets import files_of, first_path
from quartet.downloads.extraction.types import State
from quartet.downloads.options import store as options_store
from quartet.downloads.queue.finishing import DoneFolder
from quartet.downloads.queue.store import delete_download
from quartet.kernel.db import Database, Tx
from quartet.kernel.errors import AppError, Problem
from quartet.kernel.files.paths import to_parts


class Ending:
    def __init__(self, db: Database, done: DoneFolder) -> None:
        self._db = db
        self._done = done

    async def failed(self, path: str, problem: Problem) -> None:
        def work(tx: Tx) -> None:
            store.settle(tx.conn, path, "failed", error=problem)
            _tell(tx)

        await self._db.write(work)

    async def unpacked(self, archive: ArchiveSet, owner: int | None, password: str | None) -> None:
        """`owner` is the package of an archive that a person picked, too."""
        path, files = first_path(archive), files_of(archive)

        def work(tx: Tx) -> State | None:
            delete = options_store.options(tx.conn).delete_archives
            state: State = "clearing" if delete else "unpacked"
            if not store.settle(tx.conn, path, state, files=files):
                return None
            if password is not None:
                _learn(tx, password, worth_adding=password != archive.stem)
            return state

        state = await self._db.write(work)
        if state is not None:
            await self._clear(path, files, owner, delete=state == "clearing")

    async def go_on(self) -> None:
        """Deletes what was about to be deleted when the process ended."""
        for left in await self._db.read(store.unpacked, "clearing"):
            await self._clear(left.path, left.files, left.package_id, delete=True)

    async def waits(self, package_id: int) -> None:
        def work(tx: Tx) -> None:
            store.set_package(tx.conn, package_id, "pending")
            _tell(tx)

        await self._db.write(work)

    async def package(self, package_id: int, problems: Sequence[Problem]) -> None:
        """Nothing of this package is left to do."""

        def work(tx: Tx) -> None:
            errors = [*store.errors_of(tx.conn, package_id), *problems]
            if errors:
                store.set_package(tx.conn, package_id, "failed", errors[0])
            else:
                any_unpacked = store.unpacked(tx.conn, "unpacked", package_id)
                store.set_package(tx.conn, package_id, "done" if any_unpacked else None)
                store.forget_package(tx.conn, package_id)
            _tell(tx)

        await self._db.write(work)

    async def _clear(
        self, path: str, files: Sequence[str], owner: int | None, *, delete: bool
    ) -> None:
        if delete:
            await asyncio.to_thread(self._delete, files)

        def work(tx: Tx) -> None:
            store.settle(tx.conn, path, "unpacked", files=files)
            if not store.serves_package(tx.conn, path, owner):
                store.forget(tx.conn, [path])
            _let_go(tx, files, deleted=delete)
            _tell(tx)

        await self._db.write(work)

    def _delete(self, files: Collection[str]) -> None:
        root = self._done.root
        for file in files:
            with suppress(AppError):
                root.remove(to_parts(file))


def _let_go(tx: Tx, files: Collection[str], *, deleted: bool) -> None:
    """The list no longer needs the parts, or at least must not point at what is gone."""
    if options_store.options(tx.conn).remove_archive_downloads:
        for id in store.downloads_of_files(tx.conn, files):
            delete_download(tx.conn, id)
    elif deleted:
        store.files_are_gone(tx.conn, files)


def _learn(tx: Tx, password: str, *, worth_adding: bool) -> None:
    """A password that worked comes first next time; the name of an archive fits only that one."""
    known = options_store.passwords(tx.conn)
    if password in known or worth_adding:
        learnt = [password, *(each for each in known if each != password)]
        options_store.replace_passwords(tx.conn, learnt)
        tx.emit(Changed("settings"))


def _tell(tx: Tx) -> None:
    tx.emit(Changed("downloads"))
    tx.emit(Changed("files"))
