import asyncio
import logging
from collections.abc import Callable, Collection, Sequence
from pathlib import Path

import msgspec

from quartet.downloads.bittorrent.store import torrent
from quartet.downloads.events import Changed
from quartet.downloads.input_cleanup import clean_text
from quartet.downloads.packages.service import require_found, valid_id
from quartet.downloads.packages.states import Status
from quartet.downloads.packages.store import exists
from quartet.downloads.queue import store, store_start_now, store_stop
from quartet.downloads.queue.fetcher import Fetcher
from quartet.downloads.queue.finish.done_folder import part_path
from quartet.downloads.queue.scheduler_inbox import SchedulerInbox
from quartet.downloads.queue.torrents import store as torrent_store
from quartet.downloads.queue.types import DownloadChange, DownloadDetails, SegmentShown
from quartet.downloads.settings import DownloadsSettings
from quartet.downloads.transfer import Snapshot, saved_spans
from quartet.kernel.db import Database, Tx
from quartet.kernel.errors import AppError
from quartet.kernel.files import safe_name
from quartet.kernel.service import Kernel

log = logging.getLogger("quartet.downloads.queue")


_ANYTHING_CHANGED = Changed("downloads")


class Queue:
    """Changes the queue in the database; the scheduler acts on the changes."""

    def __init__(self, kernel: Kernel[DownloadsSettings], inbox: SchedulerInbox) -> None:
        self._db = kernel.db
        self._inbox = inbox

    async def start(self, package_id: int, ids: Collection[int] | None) -> None:
        await self._package(package_id, lambda tx: self._start(tx, package_id, ids))

    async def pause_package(self, package_id: int) -> None:
        """Pause the downloads of a package, or end the seeding of its torrent."""

        def work(tx: Tx) -> None:
            store.pause_package(tx.conn, package_id)
            torrent_store.stop_seeding(tx.conn, package_id)

        await self._package(package_id, work)

    async def resume_package(self, package_id: int) -> None:
        def work(tx: Tx) -> None:
            torrent_store.resume_seeding(tx.conn, package_id)
            store.resume_package(tx.conn, package_id)

        await self._package(package_id, work)

    async def start_package_now(self, package_id: int) -> None:
        """Start a package beyond the slots, also from the link grabber."""
        await self._package(
            package_id, lambda tx: store_start_now.start_package(tx.conn, package_id)
        )
        log.info("package %d starts without waiting for a slot", package_id)

    async def start_package_in_turn(self, package_id: int) -> None:
        """Make a package need slots again; its running downloads continue."""
        await self._package(
            package_id, lambda tx: store_start_now.start_in_turn(tx.conn, package_id)
        )

    async def delete_package(self, package_id: int, *, files: bool) -> None:
        def work(tx: Tx) -> None:
            gone = store.files_of_package(tx.conn, package_id) if files else []
            self._delete_files(tx, store.package_ids(tx.conn, package_id), gone)
            store.delete_package(tx.conn, package_id)

        await self._package(package_id, work)
        log.info("package %d removed (%s)", package_id, "with files" if files else "files kept")

    async def pause_download(self, id: int) -> None:
        await self._download(id, lambda tx: store.pause_download(tx.conn, id))

    async def resume_download(self, id: int) -> None:
        await self._download(id, lambda tx: store.resume_download(tx.conn, id))

    async def start_download_now(self, id: int) -> None:
        await self._download(id, lambda tx: store_start_now.start_download(tx.conn, id))
        log.info("download %d starts without waiting for a slot", id)

    async def change_download(self, id: int, given: DownloadChange) -> None:
        given_values = {"priority": given.priority, "speed_limit_kib": given.speed_limit_kib}
        values = {name: value for name, value in given_values.items() if value is not None}

        def work(tx: Tx) -> None:
            if given.name is not None:
                _rename(tx, id, given.name)
            store.change_download(tx.conn, id, values)

        await self._download(id, work)

    async def delete_download(self, id: int, *, files: bool) -> None:
        def work(tx: Tx) -> None:
            self._delete_files(tx, {id}, store.files_of_download(tx.conn, id) if files else [])
            store.delete_download(tx.conn, id)

        await self._download(id, work)
        log.info("download %d removed (%s)", id, "with files" if files else "files kept")

    async def pause_all(self) -> None:
        """Pause all downloads and end the seeding of all torrents, so that nothing is uploaded."""

        def work(tx: Tx) -> None:
            store_stop.cancel(tx.conn)
            store.pause(tx.conn)
            torrent_store.stop_all_seeding(tx.conn)

        await self._write(work)

    async def stop_after_running(self) -> None:
        """Let the running downloads end and start no others; then everything is paused."""
        await self._write(lambda tx: store_stop.ask(tx.conn))
        log.info("the queue stops after the running downloads")

    async def cancel_stop(self) -> None:
        await self._write(lambda tx: store_stop.cancel(tx.conn))
        log.info("the queue does not stop after the running downloads")

    async def resume_all(self) -> None:
        def work(tx: Tx) -> None:
            store_stop.cancel(tx.conn)
            torrent_store.resume_all_seeding(tx.conn)
            store.resume_all(tx.conn)

        await self._write(work)

    async def clear(self, *statuses: Status) -> None:
        """Remove the downloads in these states from the list; finished files stay."""

        def work(tx: Tx) -> None:
            ids = store.delete_ended(tx.conn, statuses)
            ids += torrent_store.delete_ended(tx.conn, statuses)
            self._delete_files(tx, ids, [])

        await self._write(work)
        log.info("%s downloads removed from the list", " and ".join(statuses))

    def _start(self, tx: Tx, package_id: int, ids: Collection[int] | None) -> None:
        if ids is None or not store.is_collector(tx.conn, package_id):
            store.start_package(tx.conn, package_id)
            return
        chosen, members = set(ids), store.package_ids(tx.conn, package_id)
        require_found(chosen <= members, ids=sorted(chosen - members))
        if not chosen:
            raise AppError(400, "nothing_chosen")
        if chosen == members:
            store.start_package(tx.conn, package_id)
            return
        if torrent(tx.conn, package_id):
            torrent_store.select_files(tx.conn, package_id, chosen)
            store.start_package(tx.conn, package_id)
            return
        ready = chosen & store.startable(tx.conn, package_id)
        if not ready:
            raise AppError(409, "all_offline")
        store.start_package(tx.conn, store.split(tx.conn, package_id, ready))

    def _delete_files(self, tx: Tx, ids: Collection[int], files: Collection[str]) -> None:
        """Have the files deleted after the commit, when the database no longer refers to them."""
        tx.after_commit(lambda: self._inbox.delete_files(ids, files))

    async def _package(self, package_id: int, act: Callable[[Tx], object]) -> None:
        def work(tx: Tx) -> None:
            require_found(exists(tx.conn, valid_id(package_id)), id=package_id)
            act(tx)

        await self._write(work)

    async def _download(self, id: int, act: Callable[[Tx], object]) -> None:
        def work(tx: Tx) -> None:
            require_found(bool(store.existing(tx.conn, [valid_id(id)])), id=id)
            act(tx)

        await self._write(work, Changed("downloads", downloads=[id]))

    async def _write(self, act: Callable[[Tx], object], event: Changed = _ANYTHING_CHANGED) -> None:
        def work(tx: Tx) -> None:
            act(tx)
            tx.emit(event)
            tx.after_commit(self._inbox.wake)

        await self._db.write(work)


def _rename(tx: Tx, id: int, name: str) -> None:
    name = clean_text(name)
    if not name or safe_name(name) != name:
        raise AppError(400, "name_invalid", name=name)
    if not store.rename(tx.conn, id, name):
        raise AppError(409, "download_finished", id=id)


class DetailsReader:
    def __init__(self, db: Database, fetcher: Fetcher, tmp: Path) -> None:
        self._db = db
        self._fetcher = fetcher
        self._tmp = tmp

    async def read(self, id: int) -> DownloadDetails:
        found = await self._db.read(store.download, valid_id(id))
        if found is None:
            raise AppError(404, "not_found", id=id)
        download, hash_value = found
        running = self._fetcher.snapshots().get(id)
        if running:
            download = msgspec.structs.replace(download, bytes_done=running.bytes_done)
        return DownloadDetails(
            download=download,
            hash_value=hash_value,
            connections=running.connections if running else 0,
            segments=await self._segments(id, running),
            attempts=await self._db.read(store.attempts_of, id),
        )

    async def _segments(self, id: int, running: Snapshot | None) -> list[SegmentShown]:
        """Return the segments of a running download from memory, otherwise from its checkpoint."""
        spans: Sequence[tuple[int, int, int | None]]
        if running:
            spans = running.segments
        else:
            spans = await asyncio.to_thread(saved_spans, part_path(self._tmp, id))
        return [SegmentShown(start, end, position - start) for start, position, end in spans]
