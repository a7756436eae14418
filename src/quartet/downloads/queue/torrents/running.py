"""The torrents that are running, for the scheduler."""

import asyncio
import logging
import shutil
from collections.abc import Callable, Collection, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from quartet.downloads.bittorrent.client import Event
from quartet.downloads.bittorrent.types import TorrentStatus
from quartet.downloads.options.types import Options
from quartet.downloads.queue.queue_services import QueueServices
from quartet.downloads.queue.torrents import store as torrent_store
from quartet.downloads.queue.torrents.metadata import MagnetMetadata
from quartet.downloads.queue.torrents.seeding import Seeding
from quartet.downloads.queue.torrents.task import KIB, TorrentTask, speeds, torrent_folder
from quartet.downloads.queue.types import ClaimedDownload, Phase, ProgressItem
from quartet.downloads.transfer import Snapshot
from quartet.kernel.db import Database

if TYPE_CHECKING:
    from quartet.downloads.queue.torrents.rechecks import Rechecks

log = logging.getLogger("quartet.downloads.queue")


class Torrents:
    """Each torrent has one task and takes one slot, however many files it has."""

    def __init__(self, db: Database, services: QueueServices, wake: Callable[[], None]) -> None:
        self._db = db
        self._services = services
        self._wake = wake
        self._tasks: dict[int, TorrentTask] = {}
        self._running: dict[int, asyncio.Task[None]] = {}
        self._bytes: dict[int, int] = {}
        self._speeds: dict[int, int] = {}
        self.seeding = Seeding(db, services)
        self.metadata = MagnetMetadata(db, services)
        self._rechecks: Rechecks | None = None
        services.torrents.on_event = self._on_event
        services.fetcher.torrent_snapshots = self.snapshots

    @property
    def tasks(self) -> Collection[TorrentTask]:
        return self._tasks.values()

    @property
    def active(self) -> bool:
        """Whether there are figures to show."""
        checked = self._rechecks is not None and self._rechecks.active
        return bool(self._tasks) or self.seeding.active or checked

    def recheck(self, package_id: int) -> None:
        """Check the files of a torrent; damaged pieces are fetched again."""
        if package_id in self._tasks:
            self._services.torrents.recheck(package_id)
            return
        if self._rechecks is None:
            # Loaded at the first use, because most users never need it.
            from quartet.downloads.queue.torrents.rechecks import Rechecks

            self._rechecks = Rechecks(self._db, self._services, self.seeding, self._wake)
        self._rechecks.start(package_id)
        # Shows the progress.
        self.seeding.changed.set()

    def runs(self, package_id: int) -> bool:
        return package_id in self._tasks

    def start(self, item: ClaimedDownload) -> None:
        if item.package_id in self._tasks:
            return
        self.seeding.release(item.package_id)
        task = TorrentTask(item.package_id, item.host, self._services)
        self._tasks[item.package_id] = task
        running = asyncio.create_task(self._run(task), name=f"torrent-{item.package_id}")
        self._running[item.package_id] = running
        running.add_done_callback(lambda _task: self._ended(item.package_id))

    async def _run(self, task: TorrentTask) -> None:
        await self.metadata.end(task.package_id)
        if self._rechecks:
            await self._rechecks.end(task.package_id)
        await task.run()

    @property
    def upload_speed(self) -> int:
        return sum(each.upload_speed for each in self._services.torrents.statuses.values())

    def refresh(self) -> None:
        self.seeding.changed.set()
        self.metadata.changed.set()
        for task in self._tasks.values():
            task.refresh()

    def configure(self, options: Options, limit_kib: int) -> None:
        """Set the limits and the proxy; the limit is the share of all torrents."""
        self._services.torrents.configure(
            download_limit=limit_kib * KIB,
            upload_limit=options.upload_limit_kib * KIB,
            proxy=options.proxy,
            dht=options.torrent_dht,
        )

    def snapshots(self) -> list[Snapshot]:
        return [
            _snapshot(task, id, done, self._speeds.get(id, 0))
            for task in self.tasks
            for id, done in task.bytes_done().items()
        ]

    def progress(self) -> list[ProgressItem]:
        """Return the progress of all files; call it about once a second."""
        items: list[ProgressItem] = []
        seen: dict[int, int] = {}
        self._speeds = {}
        for task in self.tasks:
            now = task.bytes_done()
            seen |= now
            speed = speeds(task, self._bytes, now)
            self._speeds |= speed
            items += [_item(task, id, done, speed.get(id, 0)) for id, done in now.items()]
        self._bytes = seen
        return items + (self._rechecks.progress() if self._rechecks else [])

    def suspend(self) -> None:
        """Return the running torrents to the queue, except those that were started now.

        Complete ones are still seeded.
        """
        for task in self.tasks:
            # The job is known after the first claim.
            if task.job and not task.started_now:
                task.suspend()

    async def stop(self) -> None:
        for task in self.tasks:
            task.stop()
        await self.metadata.close()
        if self._rechecks:
            await self._rechecks.close()
        if self._running:
            await asyncio.wait(self._running.values(), timeout=2)
        await self._services.torrents.stop()

    async def sweep(self) -> None:
        """Remove the working folders of deleted torrents."""
        folders = await asyncio.to_thread(_folders, self._services.tmp)
        known = await self._db.read(torrent_store.existing_packages, list(folders))
        await asyncio.to_thread(_remove, folders, known | self._tasks.keys())

    async def recover(self) -> None:
        """Remove working folders that a process left when it ended; no torrent runs yet."""
        folders = await asyncio.to_thread(_folders, self._services.tmp)
        unfinished = await self._db.read(torrent_store.unfinished_packages, list(folders))
        await asyncio.to_thread(_remove, folders, unfinished)

    async def end_of(self, package_ids: Collection[int]) -> None:
        """Wait until these torrents have ended."""
        while ending := [self._running[id] for id in package_ids if id in self._running]:
            await asyncio.wait(ending)

    def _ended(self, package_id: int) -> None:
        del self._tasks[package_id], self._running[package_id]
        self._wake()

    def _on_event(self, event: Event) -> None:
        if task := self._tasks.get(event.id):
            task.on_event(event)
        elif self._rechecks and self._rechecks.on_event(event):
            return
        elif not self.metadata.on_event(event):
            self.seeding.broken(event.id)


def _size(task: TorrentTask, id: int) -> int | None:
    downloads = task.job.downloads if task.job else ()
    return next((each.size for each in downloads if each.id == id), None)


def _snapshot(task: TorrentTask, id: int, done: int, speed: int) -> Snapshot:
    peers, size = task.status.peers if task.status else 0, _size(task, id)
    return Snapshot(id, done, size, speed, peers, None, ((0, done, size),))


def _item(task: TorrentTask, id: int, done: int, speed: int) -> ProgressItem:
    size = _size(task, id)
    phase = task.phase or (_phase(task.status) if task.status else None)
    eta = None if size is None or not speed else -(-max(size - done, 0) // speed)
    return ProgressItem(id=id, bytes_done=done, size=size, speed=speed, phase=phase, eta=eta)


def _phase(status: TorrentStatus) -> Phase | None:
    if status.state in ("metadata", "checking"):
        return status.state
    return None if status.peers or status.download_speed else "peers"


def _folders(tmp: Path) -> dict[int, Path]:
    ids = (path.name.removeprefix("torrent-") for path in tmp.glob("torrent-*"))
    return {int(id): torrent_folder(tmp, int(id)) for id in ids if id.isdecimal()}


def _remove(folders: Mapping[int, Path], kept: Collection[int]) -> None:
    for package_id, folder in folders.items():
        if package_id not in kept:
            shutil.rmtree(folder, ignore_errors=True)
