"""Checks the finished files of torrents where they are, and fetches damaged ones again."""

import asyncio
import logging
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from quartet.downloads.bittorrent.client import Event
from quartet.downloads.bittorrent.types import Add, Broken, FilesChecked
from quartet.downloads.events import Changed
from quartet.downloads.queue.finish import store as finish_store
from quartet.downloads.queue.queue_services import QueueServices
from quartet.downloads.queue.torrents import store as torrent_store
from quartet.downloads.queue.torrents.arrival import RESUME
from quartet.downloads.queue.torrents.package_tasks import PackageTasks
from quartet.downloads.queue.torrents.seeding import Seeding
from quartet.downloads.queue.torrents.store import TorrentContent
from quartet.downloads.queue.torrents.task import torrent_folder
from quartet.downloads.queue.types import ProgressItem
from quartet.kernel.db import Database
from quartet.kernel.errors import AppError
from quartet.kernel.log import problem_text

log = logging.getLogger("quartet.downloads.queue")

Result = FilesChecked | Broken


class Rechecks:
    """Runs while the torrent is not downloaded; `wake` starts the queue."""

    def __init__(
        self, db: Database, services: QueueServices, seeding: Seeding, wake: Callable[[], None]
    ) -> None:
        self._db = db
        self._services = services
        self._seeding = seeding
        self._wake = wake
        self._tasks = PackageTasks("recheck", self._ended)
        self._waiting: dict[int, asyncio.Future[Result]] = {}
        self._contents: dict[int, TorrentContent] = {}

    @property
    def active(self) -> bool:
        return len(self._tasks) > 0

    def start(self, package_id: int) -> None:
        if package_id not in self._tasks:
            self._tasks.start(package_id, self._run(package_id))

    async def end(self, package_id: int) -> None:
        """Stop before the queue runs this torrent."""
        await self._tasks.end(package_id, cancel=True)

    async def close(self) -> None:
        await self._tasks.close()

    def on_event(self, event: Event) -> bool:
        """Return whether the event belongs to a torrent whose files are checked."""
        waiting = self._waiting.get(event.id)
        if waiting and not waiting.done() and isinstance(event, FilesChecked | Broken):
            waiting.set_result(event)
        return waiting is not None

    def progress(self) -> list[ProgressItem]:
        """Return how far each file was checked."""
        statuses = self._services.torrents.statuses
        return [
            ProgressItem(
                id=file.id,
                bytes_done=min(statuses[package_id].done.get(index, 0), file.size),
                size=file.size,
                speed=0,
                phase="checking",
                eta=None,
            )
            for package_id, content in self._contents.items()
            if package_id in statuses
            for index, file in content.files.items()
        ]

    def _ended(self, package_id: int) -> None:
        # Also shows the state of the files again.
        self._services.writes.changed(Changed("downloads", packages=[package_id]))

    async def _run(self, package_id: int) -> None:
        folder = torrent_folder(self._services.tmp, package_id)
        # Without it, the next start checks the unfinished files.
        await asyncio.to_thread((folder / RESUME).unlink, missing_ok=True)
        content = await self._db.read(torrent_store.content, package_id)
        found = await asyncio.to_thread(self._existing, content) if content else None
        if found is None or not found.files:
            return
        self._contents[package_id] = found
        await self._seeding.hold(package_id)
        try:
            await self._check(package_id, found, folder)
        finally:
            del self._contents[package_id]
            self._seeding.release_hold(package_id)

    async def _check(self, package_id: int, content: TorrentContent, folder: Path) -> None:
        log.info("torrent of package %d is checked: %d files", package_id, len(content.files))
        waiting = self._waiting[package_id] = asyncio.get_running_loop().create_future()
        try:
            await self._services.torrents.add(self._command(package_id, content, folder))
            result = await waiting
        finally:
            del self._waiting[package_id]
            await self._services.torrents.remove(package_id)
            await asyncio.to_thread(_remove_if_empty, folder)
        if isinstance(result, Broken):
            reason = problem_text(result.problem)
            log.warning("torrent of package %d cannot be checked: %s", package_id, reason)
            return
        log.info("torrent of package %d was checked: %d damaged", package_id, len(result.damaged))
        if result.damaged:
            await self._fetch_again(content, result.damaged, folder)

    def _command(self, package_id: int, content: TorrentContent, folder: Path) -> Add:
        root = self._services.done.root.path
        return Add(
            id=package_id,
            magnet=content.torrent.magnet,
            metainfo=content.torrent.metainfo,
            folder=str(folder),
            priorities=dict.fromkeys(content.files, 4),
            finished={index: str(root / each.file) for index, each in content.files.items()},
            uploaded=content.torrent.uploaded,
            check=True,
            trackers=[],
        )

    def _existing(self, content: TorrentContent) -> TorrentContent:
        """Leave out files that the user has moved away."""
        root = self._services.done.root.path
        files = {
            index: each for index, each in content.files.items() if (root / each.file).is_file()
        }
        return content._replace(files=files)

    async def _fetch_again(self, content: TorrentContent, damaged: list[int], folder: Path) -> None:
        """Return damaged files to the working folder, so that only wrong pieces are fetched."""

        def move() -> None:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            for index in damaged:
                with suppress(AppError):
                    self._services.done.move_out(content.files[index].file, folder / str(index))

        await asyncio.to_thread(move)
        ids = [content.files[index].id for index in damaged]
        await self._services.writes.do(lambda tx: finish_store.requeue(tx.conn, ids), ids)
        self._wake()


def _remove_if_empty(folder: Path) -> None:
    with suppress(OSError):
        folder.rmdir()
