"""Fetches the metadata of magnet links in the link grabber, so that their files are shown."""

import asyncio
import logging
import shutil

from quartet.downloads.bittorrent.client import Event
from quartet.downloads.bittorrent.types import Add, Broken, MetainfoArrived
from quartet.downloads.events import Changed
from quartet.downloads.queue.queue_services import QueueServices
from quartet.downloads.queue.torrents import store as torrent_store
from quartet.downloads.queue.torrents.package_tasks import PackageTasks
from quartet.downloads.queue.torrents.task import torrent_folder
from quartet.downloads.signal import Signal
from quartet.kernel.db import Database, Tx
from quartet.kernel.errors import AppError, Problem, problem_of

log = logging.getLogger("quartet.downloads.queue")

# How long to search for peers of a magnet link, and how many links to search for at once.
SECONDS = 120.0
MOST = 4

Result = MetainfoArrived | Broken


class MagnetMetadata:
    """Asks peers for the metadata only; nothing else is downloaded."""

    def __init__(self, db: Database, services: QueueServices) -> None:
        self._db = db
        self._services = services
        self._waiting: dict[int, asyncio.Future[Result | None]] = {}
        self.changed = Signal()
        self._tasks = PackageTasks("metadata", lambda _id: self.changed.set())

    async def run_once(self) -> None:
        """Start what is wanted, and stop what was deleted or started."""
        wanted = await self._db.read(torrent_store.without_metadata)
        for id in self._waiting.keys() - wanted.keys():
            self._stop(id)
        for id in list(wanted.keys() - set(self._tasks))[: MOST - len(self._tasks)]:
            self._tasks.start(id, self._fetch(id, wanted[id]))

    async def end(self, package_id: int) -> None:
        """Stop before the queue runs this torrent."""
        self._stop(package_id)
        await self._tasks.end(package_id, cancel=False)

    async def close(self) -> None:
        await self._tasks.close()

    def on_event(self, event: Event) -> bool:
        """Return whether the event belongs to a magnet link whose metadata is fetched."""
        waiting = self._waiting.get(event.id)
        if waiting and not waiting.done() and isinstance(event, MetainfoArrived | Broken):
            waiting.set_result(event)
        return waiting is not None

    def _stop(self, id: int) -> None:
        if (waiting := self._waiting.get(id)) and not waiting.done():
            waiting.set_result(None)

    async def _fetch(self, id: int, magnet: str) -> None:
        waiting = self._waiting[id] = asyncio.get_running_loop().create_future()
        folder = torrent_folder(self._services.tmp, id)
        result: Result | None = None
        try:
            await self._services.torrents.add(Add(id=id, magnet=magnet, folder=str(folder)))
            async with asyncio.timeout(SECONDS):
                result = await waiting
        except TimeoutError:
            result = Broken(id, Problem("metadata_missing"))
        except AppError as error:
            result = Broken(id, problem_of(error))
        finally:
            del self._waiting[id]
        await self._services.torrents.remove(id)
        await asyncio.to_thread(shutil.rmtree, folder, ignore_errors=True)
        if result:
            await self._store(id, result)

    async def _store(self, id: int, result: Result) -> None:
        def work(tx: Tx) -> None:
            if isinstance(result, MetainfoArrived):
                torrent_store.set_metainfo(tx.conn, id, result.content, result.metainfo)
                torrent_store.checked(tx.conn, id, "online", None)
            else:
                torrent_store.checked(tx.conn, id, "unknown", result.problem)
            tx.emit(Changed("downloads"))

        await self._db.write(work)
        found = isinstance(result, MetainfoArrived)
        log.info("metadata of package %d %s", id, "arrived" if found else "not found")
