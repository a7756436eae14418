"""Runs one torrent: all files of a package that are wanted."""

import asyncio
import logging
import time
from collections.abc import Callable, Mapping
from pathlib import Path

from quartet.downloads.bittorrent.client import Event, TorrentClient
from quartet.downloads.bittorrent.types import (
    Add,
    Broken,
    Change,
    Completed,
    MetainfoArrived,
    TorrentStatus,
)
from quartet.downloads.options.store import options as read_options
from quartet.downloads.options.types import Options
from quartet.downloads.queue.failures import named, retry_delay
from quartet.downloads.queue.queue_services import QueueServices
from quartet.downloads.queue.torrents import store
from quartet.downloads.queue.torrents.arrival import TorrentArrival, tidy
from quartet.downloads.queue.torrents.store import TorrentJob
from quartet.downloads.queue.types import SPACE_ERRORS, Phase
from quartet.kernel.db import Tx
from quartet.kernel.errors import AppError, Problem, problem_of
from quartet.kernel.log import problem_text

log = logging.getLogger("quartet.downloads.queue")

KIB = 1024
# The priorities of downloads, from -2 to 2, as those of libtorrent.
PRIORITIES = {-2: 1, -1: 2, 0: 4, 1: 6, 2: 7}
# A torrent that receives nothing for this time gives its slot to another download.
STALLED_SECONDS = 30.0
# How often the progress is stored, which is shown after a crash until the torrent runs again.
SAVE_SECONDS = 15.0


def torrent_folder(tmp: Path, package_id: int) -> Path:
    """Return the working folder of a torrent."""
    return tmp / f"torrent-{package_id}"


class TorrentTask:
    """Keeps a torrent in line with its downloads in the database, until none is active."""

    def __init__(self, package_id: int, host: str, services: QueueServices) -> None:
        self.package_id = package_id
        self.host = host
        self.job: TorrentJob | None = None
        self.phase: Phase | None = None
        self._services = services
        self._client: TorrentClient = services.torrents
        # As in the settings; a torrent runs for so long that they may change.
        self._options = Options()
        self._events: asyncio.Queue[Event | None] = asyncio.Queue()
        self._stopped = False
        self._suspended = False
        # The bytes of the files in the database.
        self._stored: dict[int, int] = {}
        self._last_received = time.monotonic()
        self._folder = torrent_folder(services.tmp, package_id)

    def refresh(self) -> None:
        """Have the downloads read again, because they may have been changed."""
        self._events.put_nowait(None)

    def on_event(self, event: Event) -> None:
        self._events.put_nowait(event)

    def stop(self) -> None:
        """Stop, because the service ends."""
        self._stopped = True
        self.refresh()

    @property
    def started_now(self) -> bool:
        """Whether a pause of the schedule does not apply, because one of its files was started."""
        return any(each.started_now for each in self.job.active) if self.job else False

    def suspend(self) -> None:
        """Stop, and return the downloads to the queue."""
        if self.phase != "moving" and not self._suspended:
            self._suspended = True
            self.refresh()

    @property
    def status(self) -> TorrentStatus | None:
        return self._client.statuses.get(self.package_id)

    @property
    def holds_slot(self) -> bool:
        """Whether the torrent is at work; one without peers lets other downloads start."""
        now, status = time.monotonic(), self.status
        if status and (status.download_speed or status.state == "checking"):
            self._last_received = now
        return self.phase != "moving" and now - self._last_received < STALLED_SECONDS

    def bytes_done(self) -> dict[int, int]:
        """Return the bytes of the active downloads by id."""
        status = self.status
        done = status.done if status else {}
        return {
            each.id: min(done.get(each.torrent_file, each.bytes_done), each.size or 0)
            if each.torrent_file is not None
            else 0
            for each in (self.job.active if self.job else ())
        }

    async def run(self) -> None:
        try:
            await self._run()
        except AppError as error:
            await self._fail(problem_of(error))
        except Exception as error:
            log.exception("torrent of package %d failed", self.package_id)
            await self._client.remove(self.package_id)
            await self._fail(problem_of(error))

    async def _run(self) -> None:
        job = await self._claim()
        if job is None:
            # Deleted before it could start; the sweep leaves the folders of tasks to them.
            await asyncio.to_thread(tidy, self._folder, keep=False)
        if job is None or not job.active:
            return
        # It may have been seeded so far.
        await self._client.remove(self.package_id)
        await self._write(store.stop_seeding)
        await self._client.add(self._command(job))
        log.info("torrent of package %d started: %d files", self.package_id, len(job.active))
        while True:
            event = await self._next_event()
            if self._stopped:
                await self._save()
                return
            if self._suspended and not isinstance(event, Completed):
                await self._suspend()
                return
            match event:
                case Completed(_, uploaded):
                    await self._finish(uploaded)
                    return
                case Broken(_, problem):
                    await self._fail(problem)
                    return
                case MetainfoArrived(_, content, metainfo):
                    await self._write(store.set_metainfo, content, metainfo)
                    log.info(
                        "torrent of package %d has %d files", self.package_id, len(metainfo.files)
                    )
            if not await self._update():
                return

    async def _next_event(self) -> Event | None:
        """Return what happened; None means that the downloads may have been changed."""
        while True:
            try:
                async with asyncio.timeout(SAVE_SECONDS):
                    return await self._events.get()
            except TimeoutError:
                await self._save_changes()

    async def _save_changes(self) -> None:
        """Store the progress that is new; open pages know it already."""
        status, done = self.status, self.bytes_done()
        new = {id: now for id, now in done.items() if now != self._stored.get(id, 0)}
        if status and new:
            await self._services.writes.do(
                lambda tx: store.save_progress(tx.conn, self.package_id, new, status.uploaded), ()
            )
            self._stored |= new

    async def _claim(self) -> TorrentJob | None:
        def work(tx: Tx) -> tuple[TorrentJob | None, Options]:
            return store.claim(tx.conn, self.package_id), read_options(tx.conn)

        self.job, self._options = await self._services.writes.do(work, ())
        return self.job

    async def _update(self) -> bool:
        """Apply changes of the downloads; return False if none is wanted any more."""
        before = self.bytes_done()
        job = await self._claim()
        if job and job.active:
            self._client.change(
                Change(
                    id=self.package_id,
                    priorities=_priorities(job),
                    sequential=job.torrent.sequential,
                    download_limit=job.limit * KIB,
                ),
                job.torrent.metainfo,
            )
            return True
        uploaded = self.status.uploaded if self.status else 0
        if job is not None:
            await self._write(store.save_progress, before, uploaded)
        await self._client.remove(self.package_id)
        if job is None:
            await asyncio.to_thread(tidy, self._folder, keep=False)
        log.info("torrent of package %d stopped", self.package_id)
        return False

    def _command(self, job: TorrentJob) -> Add:
        return Add(
            id=self.package_id,
            magnet=job.torrent.magnet,
            metainfo=job.torrent.metainfo,
            folder=str(self._folder),
            priorities=_priorities(job),
            sequential=job.torrent.sequential,
            download_limit=job.limit * KIB,
            trackers=job.torrent.trackers,
            upload_limit=job.torrent.upload_limit_kib * KIB,
        )

    async def _save(self) -> None:
        uploaded = self.status.uploaded if self.status else 0
        await self._write(store.save_progress, self.bytes_done(), uploaded)

    async def _suspend(self) -> None:
        await self._save()
        await self._client.remove(self.package_id)
        await self._write(store.requeue)
        log.info("torrent of package %d paused by the schedule", self.package_id)

    async def _finish(self, uploaded: int) -> None:
        """Move all complete files to the done folder."""
        self.phase = "moving"
        job = await self._claim()
        await self._write(store.save_progress, {}, uploaded)
        if job is None:
            await asyncio.to_thread(tidy, self._folder, keep=False)
            return
        await TorrentArrival(self.package_id, self._folder, self._services, self._options).move(
            job.active
        )
        log.info("torrent of package %d finished: %d files", self.package_id, len(job.active))
        await self._write(store.start_seeding, self._options)
        await asyncio.to_thread(tidy, self._folder, keep=self._has_more(job))

    def _has_more(self, job: TorrentJob) -> bool:
        return any(each.status in ("queued", "paused", "failed") for each in job.downloads)

    async def _fail(self, problem: Problem) -> None:
        job = self.job
        if job is None:
            return
        problem = named(problem, job.target_dir)
        done, ids = self.bytes_done(), [each.id for each in job.active]
        attempts = max((each.attempts for each in job.active), default=0) + 1
        act, values = "wait", {"attempts": attempts}
        if problem.code in (*SPACE_ERRORS, "torrents_unavailable"):
            act = "stop"
        elif attempts > self._options.max_retries:
            act = "fail"
        else:
            values["retry_at"] = int((time.time() + retry_delay(attempts)) * 1000)
        await self._write(store.save_progress, done, 0)
        await self._services.writes.do(
            lambda tx: store.end(tx.conn, ids, problem, act, **values), ids
        )
        log.info("torrent of package %d failed: %s", self.package_id, problem_text(problem))

    async def _write(self, action: Callable[..., None], *arguments: object) -> None:
        """Change the database; all downloads of the package may have changed."""
        ids = [each.id for each in self.job.downloads] if self.job else ()
        await self._services.writes.do(lambda tx: action(tx.conn, self.package_id, *arguments), ids)


def _priorities(job: TorrentJob) -> dict[int, int]:
    return {
        each.torrent_file: PRIORITIES.get(each.priority, 4)
        for each in job.active
        if each.torrent_file is not None
    }


def speeds(task: TorrentTask, before: Mapping[int, int], now: Mapping[int, int]) -> dict[int, int]:
    """Return the speed by download: that of the torrent, divided by what each file has gained."""
    total = task.status.download_speed if task.status else 0
    gained = {id: max(0, done - before.get(id, done)) for id, done in now.items()}
    if not (sum_gained := sum(gained.values())):
        first = next(iter(now), None)
        return {} if first is None else {first: total}
    return {id: total * each // sum_gained for id, each in gained.items()}
