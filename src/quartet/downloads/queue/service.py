from collections.abc import Callable, Collection

from quartet.downloads.events import Changed
from quartet.downloads.packages.service import fits, found
from quartet.downloads.packages.store import exists
from quartet.downloads.queue import store
from quartet.downloads.queue.desk import Desk
from quartet.downloads.queue.types import DownloadChange
from quartet.downloads.settings import DownloadsSettings
from quartet.kernel.db import Tx
from quartet.kernel.errors import AppError
from quartet.kernel.service import Kernel


class Queue:
    """What people do with downloads. The list is the truth; the scheduler follows it."""

    def __init__(self, kernel: Kernel[DownloadsSettings], desk: Desk) -> None:
        self._db = kernel.db
        self._desk = desk

    async def start(self, package_id: int, ids: Collection[int] | None) -> None:
        await self._package(package_id, lambda tx: self._start(tx, package_id, ids))

    async def pause_package(self, package_id: int) -> None:
        await self._package(package_id, lambda tx: store.pause_package(tx.conn, package_id))

    async def resume_package(self, package_id: int) -> None:
        await self._package(package_id, lambda tx: store.resume_package(tx.conn, package_id))

    async def delete_package(self, package_id: int, *, files: bool) -> None:
        def work(tx: Tx) -> None:
            gone = store.files_of_package(tx.conn, package_id) if files else []
            self._leave(tx, store.package_ids(tx.conn, package_id), gone)
            store.delete_package(tx.conn, package_id)

        await self._package(package_id, work)

    async def pause_download(self, id: int) -> None:
        await self._download(id, lambda tx: store.pause_download(tx.conn, id))

    async def resume_download(self, id: int) -> None:
        await self._download(id, lambda tx: store.resume_download(tx.conn, id))

    async def change_download(self, id: int, given: DownloadChange) -> None:
        told = {"priority": given.priority, "speed_limit_kib": given.speed_limit_kib}
        values = {name: value for name, value in told.items() if value is not None}
        await self._download(id, lambda tx: store.change_download(tx.conn, id, values))

    async def delete_download(self, id: int, *, files: bool) -> None:
        def work(tx: Tx) -> None:
            self._leave(tx, {id}, store.files_of_download(tx.conn, id) if files else [])
            store.delete_download(tx.conn, id)

        await self._download(id, work)

    async def pause_all(self) -> None:
        await self._write(lambda tx: store.pause(tx.conn))

    async def resume_all(self) -> None:
        await self._write(lambda tx: store.resume_all(tx.conn))

    async def clear_finished(self) -> None:
        await self._write(lambda tx: store.delete_finished(tx.conn))

    def _start(self, tx: Tx, package_id: int, ids: Collection[int] | None) -> None:
        if ids is None or not store.is_collector(tx.conn, package_id):
            store.start_package(tx.conn, package_id)
            return
        chosen, members = set(ids), store.package_ids(tx.conn, package_id)
        found(chosen <= members, ids=sorted(chosen - members))
        if not chosen:
            raise AppError(400, "nothing_chosen")
        if chosen == members:
            store.start_package(tx.conn, package_id)
            return
        ready = chosen & store.startable(tx.conn, package_id)
        if not ready:
            raise AppError(409, "all_offline")
        store.start_package(tx.conn, store.split(tx.conn, package_id, ready))

    def _leave(self, tx: Tx, ids: Collection[int], files: Collection[str]) -> None:
        """What lies on the disk goes once the list no longer knows it."""
        tx.after_commit(lambda: self._desk.clear_away(ids, files))

    async def _package(self, package_id: int, act: Callable[[Tx], object]) -> None:
        def work(tx: Tx) -> None:
            found(exists(tx.conn, fits(package_id)), id=package_id)
            act(tx)

        await self._write(work)

    async def _download(self, id: int, act: Callable[[Tx], object]) -> None:
        def work(tx: Tx) -> None:
            found(bool(store.known(tx.conn, [fits(id)])), id=id)
            act(tx)

        await self._write(work)

    async def _write(self, act: Callable[[Tx], object]) -> None:
        def work(tx: Tx) -> None:
            act(tx)
            tx.emit(Changed("downloads"))
            tx.after_commit(self._desk.wake)

        await self._db.write(work)
