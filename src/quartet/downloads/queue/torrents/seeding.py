"""Shares finished torrents until their limits or those of the settings are reached."""

import asyncio
import logging
import shutil
import time
from pathlib import Path

from quartet.downloads.bittorrent import store as bittorrent_store
from quartet.downloads.bittorrent.types import Add
from quartet.downloads.events import Changed
from quartet.downloads.options.store import options as read_options
from quartet.downloads.options.types import Options
from quartet.downloads.queue.queue_services import QueueServices
from quartet.downloads.queue.torrents import store as torrent_store
from quartet.downloads.queue.torrents.store import SeededTorrent
from quartet.downloads.queue.torrents.task import KIB, torrent_folder
from quartet.downloads.signal import Signal
from quartet.kernel.db import Database, Tx

log = logging.getLogger("quartet.downloads.queue")

CHECK_SECONDS = 5.0


class Seeding:
    """Seeds the files in the done folder; a torrent whose files are changed is stopped."""

    def __init__(self, db: Database, services: QueueServices) -> None:
        self._db = db
        self._services = services
        # Seeded torrents with the time of their last check.
        self._running: dict[int, float] = {}
        self._broken: set[int] = set()
        # Torrents whose files are being checked.
        self._held: set[int] = set()
        self.changed = Signal()

    @property
    def active(self) -> bool:
        return bool(self._running)

    async def wait(self) -> None:
        """Wait until there may be something to do."""
        await self.changed.wait(CHECK_SECONDS if self._running else None)

    async def run_once(self) -> None:
        options = await self._db.read(read_options)
        wanted = [
            each
            for each in await self._db.read(torrent_store.seeded)
            if each.torrent.package_id not in self._held
        ]
        for id in self._running.keys() - {each.torrent.package_id for each in wanted}:
            await self._end(id)
        for each in wanted:
            id = each.torrent.package_id
            if id in self._broken:
                self._broken.discard(id)
                await self._store(id, seeding=False)
                await self._end(id)
            elif id not in self._running:
                await self._start(each, options)
            else:
                await self._check(each, options)

    async def hold(self, package_id: int) -> None:
        """Seed a torrent no longer, until `release_hold` is called."""
        self._held.add(package_id)
        if self._running.pop(package_id, None) is not None:
            await self._services.torrents.remove(package_id)
        self.changed.set()

    def release_hold(self, package_id: int) -> None:
        self._held.discard(package_id)
        self.changed.set()

    def release(self, package_id: int) -> None:
        """Forget a torrent that is downloaded again."""
        self._running.pop(package_id, None)

    def broken(self, package_id: int) -> None:
        """Stop a torrent whose files can no longer be read."""
        if package_id in self._running:
            self._broken.add(package_id)
            self.changed.set()

    async def _start(self, seeded: SeededTorrent, options: Options) -> None:
        id, root = seeded.torrent.package_id, self._services.done.root.path
        paths = {index: root / file for index, (file, _) in seeded.files.items()}
        sizes = {index: size for index, (_, size) in seeded.files.items()}
        if is_reached(seeded, options, seeded.torrent.uploaded) or not await asyncio.to_thread(
            _all_exist, paths, sizes
        ):
            await self._store(id, seeding=False)
            return
        if id in self._held:
            return
        self._running[id] = time.monotonic()
        await self._services.torrents.add(
            Add(
                id=id,
                magnet=seeded.torrent.magnet,
                metainfo=seeded.torrent.metainfo,
                folder=str(torrent_folder(self._services.tmp, id)),
                priorities=dict.fromkeys(paths, 4),
                finished={index: str(path) for index, path in paths.items()},
                uploaded=seeded.torrent.uploaded,
                trackers=seeded.torrent.trackers,
                upload_limit=seeded.torrent.upload_limit_kib * KIB,
            )
        )
        log.info("torrent of package %d is seeded", id)

    async def _check(self, seeded: SeededTorrent, options: Options) -> None:
        id, now = seeded.torrent.package_id, time.monotonic()
        status = self._services.torrents.statuses.get(id)
        uploaded = max(seeded.torrent.uploaded, status.uploaded if status else 0)
        seconds = seeded.torrent.seeded_seconds + round(now - self._running[id])
        self._running[id] = now
        await self._store(id, uploaded=uploaded, seeded_seconds=seconds)
        if is_reached(seeded, options, uploaded, seconds) and id in self._running:
            await self._store(id, seeding=False)
            await self._end(id)

    async def _end(self, package_id: int) -> None:
        self._running.pop(package_id, None)
        await self._services.torrents.remove(package_id)
        folder = torrent_folder(self._services.tmp, package_id)
        await asyncio.to_thread(shutil.rmtree, folder, ignore_errors=True)
        log.info("torrent of package %d is no longer seeded", package_id)

    async def _store(self, package_id: int, **values: int) -> None:
        def work(tx: Tx) -> None:
            bittorrent_store.change(tx.conn, package_id, **values)
            if "seeding" in values:
                tx.emit(Changed("downloads", packages=[package_id]))

        await self._db.write(work)


def is_reached(
    seeded: SeededTorrent, options: Options, uploaded: int, seconds: int | None = None
) -> bool:
    """Return whether one of the limits is reached, or there are none."""
    own = seeded.torrent
    spent = own.seeded_seconds if seconds is None else seconds
    size = sum(size for _, size in seeded.files.values())
    # In the settings, 0 means without this limit.
    ratio = _limit(own.ratio_limit_percent, options.seed_ratio_percent)
    minutes = _limit(own.seed_limit_minutes, options.seed_minutes)
    if ratio is None and minutes is None:
        return not own.has_own_limits
    by_ratio = ratio is not None and uploaded * 100 >= size * ratio
    by_time = minutes is not None and spent >= minutes * 60
    return by_ratio or by_time


def _limit(own: int | None, general: int) -> int | None:
    """Return the limit that applies; None means unlimited."""
    if own is None:
        return general or None
    return own if own >= 0 else None


def _all_exist(paths: dict[int, Path], sizes: dict[int, int]) -> bool:
    return bool(paths) and all(
        path.is_file() and path.stat().st_size == sizes[index] for index, path in paths.items()
    )
