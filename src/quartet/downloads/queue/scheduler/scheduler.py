"""Keeps the running downloads in line with the queue in the database."""

import asyncio
import logging
import time
from collections.abc import Collection, Coroutine, Mapping
from contextlib import suppress
from datetime import datetime
from math import inf
from typing import Any

from quartet.downloads.bittorrent.magnets import is_torrent_host
from quartet.downloads.events import Changed
from quartet.downloads.options.schedule import is_paused, limit_at, seconds_to_change
from quartet.downloads.options.types import Options
from quartet.downloads.queue import store, store_stop
from quartet.downloads.queue.download_task import DownloadTask
from quartet.downloads.queue.finish import store as finish_store
from quartet.downloads.queue.finish.done_folder import part_path
from quartet.downloads.queue.finish.fsync import this_boot
from quartet.downloads.queue.queue_services import QueueServices
from quartet.downloads.queue.scheduler import store as scheduler_store
from quartet.downloads.queue.scheduler.claims import Claims, starts_before_claim
from quartet.downloads.queue.scheduler.free_slots import MAX_TASKS, free_slots
from quartet.downloads.queue.scheduler.part_files import part_files, saved_bytes
from quartet.downloads.queue.scheduler.upcoming import UpcomingDownloads
from quartet.downloads.queue.scheduler_inbox import Leftovers, SchedulerInbox
from quartet.downloads.queue.torrents.running import Torrents
from quartet.downloads.queue.torrents.task import torrent_folder
from quartet.downloads.queue.types import (
    ActiveDownload,
    ClaimedDownload,
    FinishedFile,
    QueueSnapshot,
)
from quartet.downloads.signal import Signal
from quartet.downloads.transfer import discard
from quartet.kernel.clock import now_ms
from quartet.kernel.db import Database, Tx

log = logging.getLogger("quartet.downloads.queue")

# Tasks that are still running after this time are cancelled.
CLOSE_SECONDS = 3.0
# How often running downloads are searched during a pause of the schedule.
PAUSED_SECONDS = 30.0
# How often to look whether a torrent receives nothing and gives up its slot.
STALL_CHECK_SECONDS = 5.0
# How often the schedule is compared with the clock at least.
CLOCK_SECONDS = 60.0


class Scheduler:
    def __init__(self, db: Database, inbox: SchedulerInbox, services: QueueServices) -> None:
        self._db = db
        self._inbox = inbox
        self._services = services
        self._tasks: dict[int, DownloadTask] = {}
        self._running_tasks: dict[int, asyncio.Task[None]] = {}
        self._background: set[asyncio.Task[None]] = set()
        # The last state read from the database; valid until `wake` or until `_next_read`.
        self._snapshot: QueueSnapshot | None = None
        self._next_read = inf
        # How many torrents have a share of the limit.
        self._sharing_torrents = 0
        # Whether the queue stops after the running downloads.
        self._stopping = False
        # With which the running downloads were started.
        self._proxy: str | None = None
        self._upcoming = UpcomingDownloads(db)
        self._claims = Claims(services.writes)
        # A path is only reserved for a download that is active.
        services.finisher.before_reserving = self._claims.flush
        self.torrents = Torrents(db, services, inbox.wake)
        # Set when a task starts.
        self.task_started = Signal()

    @property
    def tasks(self) -> Collection[DownloadTask]:
        return self._tasks.values()

    async def run_once(self) -> float | None:
        """Run one scheduling pass; return the seconds until the next one is due, or None."""
        for left in self._inbox.leftovers():
            self._run_in_background(self._delete_leftovers(left))
        now = now_ms()
        # Cleared until this pass succeeds, so that a failed pass re-reads the queue.
        snapshot, self._snapshot = self._snapshot, None
        seconds = self._next_read - time.monotonic()
        if snapshot is None or self._inbox.was_woken() or seconds <= 0:
            self._upcoming.clear()
            # Otherwise, a download that has just started would look as if it had been paused.
            await self._claims.settle()
            snapshot = await self._db.read(scheduler_store.snapshot, list(self._tasks), now)
            self._stopping = snapshot.stopping
            self._next_read = time.monotonic() + _seconds_to_next_read(snapshot)
            await self._sync_tasks(snapshot.running)
            self.torrents.refresh()
            self._share_limit(snapshot)
            if self._stopping and not snapshot.running:
                await self._stop_if_ended()
        paused = is_paused(snapshot.options, _now())
        await self._interrupt(snapshot, paused=paused)
        started = await self._start_more(snapshot, now, paused=paused) if snapshot.due else []
        shared = bool(self.torrents.tasks) and limit_at(snapshot.options, _now())
        if started and shared:
            self._inbox.wake()
        self._snapshot = snapshot
        seconds = self._next_read - time.monotonic()
        if paused:
            # A download whose question was answered may have started in the meantime.
            seconds = min(seconds, PAUSED_SECONDS)
        if self.torrents.tasks:
            # One that receives nothing gives up its slot and its share of the limit.
            seconds = min(seconds, STALL_CHECK_SECONDS)
            if self._torrents_at_work() != self._sharing_torrents:
                self._inbox.wake()
        return None if seconds == inf else max(seconds, 0.0)

    async def _stop_if_ended(self) -> None:
        """Pause everything that is left when the last download before the stop has ended."""

        def work(tx: Tx) -> bool:
            stopped = store_stop.stop_if_ended(tx.conn)
            if stopped:
                tx.emit(Changed("downloads"))
                tx.after_commit(self._inbox.wake)
            return stopped

        if await self._db.write(work):
            log.info("the running downloads have ended; all others are paused")

    @staticmethod
    def _started_now(task: DownloadTask, snapshot: QueueSnapshot) -> bool:
        active = snapshot.running.get(task.item.id)
        return active.started_now if active else task.item.started_now

    async def _interrupt(self, snapshot: QueueSnapshot, *, paused: bool) -> None:
        """Return downloads to the queue that the schedule pauses or that need the new proxy."""
        if paused:
            self.torrents.suspend()
        if snapshot.options.proxy != self._proxy:
            # Their connections would stay without it. Those of torrents are closed elsewhere.
            await self._suspend(self.tasks, "%d downloads start again with the new proxy")
        elif paused:
            others = [task for task in self.tasks if not self._started_now(task, snapshot)]
            await self._suspend(others, "the schedule pauses %d downloads")
        self._proxy = snapshot.options.proxy

    async def _suspend(self, tasks: Collection[DownloadTask], message: str) -> None:
        """Return running downloads to the queue; the message is logged with their number.

        Those that wait for an answer or are being moved are left alone.
        """
        await self._claims.settle()
        running = [task for task in tasks if task.holds_slot and not task.stopped]
        ids = [task.item.id for task in running if task.file is None]
        if not ids:
            return
        await self._services.writes.do(
            lambda tx: [store.wait(tx.conn, id, None) for id in ids], ids
        )
        for task in running:
            task.stop_gracefully()
        log.info(message, len(ids))

    def _torrents_at_work(self) -> int:
        return sum(task.holds_slot for task in self.torrents.tasks)

    def _share_limit(self, snapshot: QueueSnapshot) -> None:
        """Divide the speed limit between torrents and other downloads, by their numbers."""
        limit = limit_at(snapshot.options, _now())
        torrents = self._sharing_torrents = self._torrents_at_work()
        others = sum(task.holds_slot for task in self.tasks)
        share = limit * torrents // (torrents + others) if others else limit
        rest = limit - share if torrents and others else limit
        # 0 would mean no limit.
        share = max(share, 1) if limit else 0
        self._services.fetcher.limit(rest, snapshot.limits)
        self.torrents.configure(snapshot.options, share)

    async def _sync_tasks(self, listed: Mapping[int, ActiveDownload]) -> None:
        for id, task in self._tasks.items():
            if id not in listed:
                task.stop_gracefully()
        for id, active in listed.items():
            if id not in self._tasks and not self.torrents.runs(active.package_id):
                await self._recover(active)
                self._inbox.wake()

    async def _recover(self, active: ActiveDownload) -> None:
        """Requeue a download of an ended process, or finish it if its file had arrived."""
        if active.file is not None and await asyncio.to_thread(
            self._file_arrived, active, active.file
        ):
            result = await self._services.finisher.mark_finished(active.id)
            log.info("download %d finished by the previous process: %s", active.id, active.file)
            if not result.settled:
                finished = FinishedFile(active.id, active.package_id, active.file, active.hash_ok)
                self._run_in_background(self._services.post_download.run_all([finished]))
        else:
            await self._services.writes.do(
                lambda tx: store.wait(tx.conn, active.id, None), [active.id]
            )
            log.debug("download %d was interrupted by the end of its process", active.id)

    def _file_arrived(self, active: ActiveDownload, file: str) -> bool:
        tmp, done = self._services.tmp, self._services.done
        part = part_path(tmp, active.id)
        if active.torrent_file is not None:
            part = torrent_folder(tmp, active.package_id) / str(active.torrent_file)
        if not done.has_file(part, file, active.size):
            return False
        discard(part)
        if active.unsynced == this_boot():
            return True
        # The machine went down before the disk confirmed the file, so it is fetched again.
        done.remove(file)
        return False

    async def _start_more(
        self, snapshot: QueueSnapshot, now: int, *, paused: bool
    ) -> list[ClaimedDownload]:
        options = snapshot.options
        picked = await self._pick(snapshot, now, paused=paused)
        if not picked:
            return []
        # Before the first byte: a small file would arrive before the next pass.
        self._services.fetcher.limit_starting(item.speed_limits for item in picked)
        early = [item for item in picked if starts_before_claim(item)]
        for item in early:
            self._start(item, options, self._claims.put(item))
        others = [item for item in picked if not starts_before_claim(item)]
        claimed = await self._claims.now(others) if others else []
        for item in claimed:
            if is_torrent_host(item.host):
                self.torrents.start(item)
                self.task_started.set()
            else:
                self._start(item, options)
        return early + claimed

    async def _pick(
        self, snapshot: QueueSnapshot, now: int, *, paused: bool
    ) -> list[ClaimedDownload]:
        """Return the downloads to start: first those that need no free slot."""
        slots = free_slots(snapshot.options, self.tasks, self.torrents.tasks)
        picked: list[ClaimedDownload] = []
        if snapshot.started_now_due and slots.beyond > 0:
            picked = await self._upcoming.started_now(slots, now)
            slots = slots.after(picked)
        if slots.free > 0 and not paused:
            picked += await self._upcoming.pick(slots, now, only_before_stop=snapshot.stopping)
        return picked

    def _start(
        self, item: ClaimedDownload, options: Options, claim: asyncio.Future[bool] | None = None
    ) -> None:
        id = item.id
        task = DownloadTask(item, self._services, options, self._inbox.slot_free, claim=claim)
        self._tasks[id] = task
        self._running_tasks[id] = asyncio.create_task(task.run(), name=f"download-{id}")
        self._running_tasks[id].add_done_callback(lambda _task: self._ended(id))
        self.task_started.set()

    def _ended(self, id: int) -> None:
        crowded = len(self._tasks) >= MAX_TASKS
        task = self._tasks.pop(id)
        del self._running_tasks[id]
        # In all other cases the slot was refilled when the transfer ended. A failed download may
        # have a retry time, which is written only now.
        if task.holds_slot or task.stopped or crowded or not task.moved or self._stopping:
            self._inbox.wake()

    def _run_in_background(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(work)
        self._background.add(task)
        task.add_done_callback(self._background.discard)

    async def _delete_leftovers(self, left: Leftovers) -> None:
        """Delete the files of deleted downloads once their tasks have ended."""
        ids = set(left.ids)
        while leaving := [self._running_tasks[id] for id in ids & self._running_tasks.keys()]:
            await asyncio.wait(leaving)

        def remove() -> None:
            for id in ids:
                discard(part_path(self._services.tmp, id))
            for file in left.files:
                self._services.done.remove(file)

        await asyncio.to_thread(remove)
        await self.torrents.sweep()

    async def recover(self) -> None:
        """Finish the work of a process that ended, and remove part files of unknown downloads."""
        self._run_in_background(
            self._services.post_download.run_all(await self._db.read(finish_store.unsettled))
        )
        parts = await asyncio.to_thread(part_files, self._services.tmp)
        known = await self._db.read(store.existing, parts.keys())
        for id in parts.keys() - known:
            await asyncio.to_thread(discard, parts[id])
        done = await asyncio.to_thread(saved_bytes, {id: parts[id] for id in known})
        await self._services.writes.do(lambda tx: store.set_bytes_done(tx.conn, done), list(done))
        await self.torrents.recover()

    async def close(self) -> None:
        """Stop all tasks; their downloads are resumed after the next start."""
        for task in self._tasks.values():
            task.stop()
        await asyncio.gather(self._services.fetcher.stop(), self.torrents.stop())
        with suppress(Exception):
            # Downloads without a claim are queued, so there is nothing to lose.
            await self._claims.settle()
        if tasks := {*self._running_tasks.values(), *self._background}:
            _, stuck = await asyncio.wait(tasks, timeout=CLOSE_SECONDS)
            for running in stuck:
                running.cancel()
        await self._services.writes.settle()


def _now() -> datetime:
    # Schedules use local time.
    return datetime.now().astimezone()


def _seconds_to_next_read(snapshot: QueueSnapshot) -> float:
    """Return the seconds until the queue must be read again."""
    change = seconds_to_change(snapshot.options.schedule, _now())
    # The clock may be set, or the machine may sleep.
    waits = [None if change is None else min(change, CLOCK_SECONDS)]
    if snapshot.stopping:
        # If the search of a link fails, nothing wakes the scheduler.
        waits.append(CLOCK_SECONDS)
    if snapshot.retry_at is not None:
        waits.append(max(0.0, snapshot.retry_at / 1000 - time.time()))
    return min((wait for wait in waits if wait is not None), default=inf)
