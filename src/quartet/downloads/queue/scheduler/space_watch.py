"""Resumes downloads that were paused for lack of disk space once there is space."""

import asyncio
import logging
import os
from pathlib import Path

from quartet.downloads.queue import store
from quartet.downloads.queue.finish.done_folder import DoneFolder, part_path
from quartet.downloads.queue.scheduler_inbox import SchedulerInbox
from quartet.downloads.queue.types import StoppedDownload
from quartet.kernel.db import Database, Tx
from quartet.kernel.files import space

log = logging.getLogger("quartet.downloads.queue")

# For downloads of unknown size.
LEAST_FREE = 256 * 1024 * 1024


class SpaceWatch:
    def __init__(self, db: Database, inbox: SchedulerInbox, tmp: Path, done: DoneFolder) -> None:
        self._db = db
        self._inbox = inbox
        self._tmp = tmp
        self._done = done

    async def run_once(self) -> None:
        stopped = await self._db.read(store.stopped_for_space)
        if not stopped:
            return
        fitting = await asyncio.to_thread(self._fitting, stopped)
        if not fitting:
            return

        def work(tx: Tx) -> None:
            for id in fitting:
                store.resume_stopped(tx, id)
            tx.after_commit(self._inbox.wake)

        await self._db.write(work)
        log.info("resumed %d downloads, because there is disk space again", len(fitting))

    def _fitting(self, stopped: list[StoppedDownload]) -> list[int]:
        """Return the downloads that fit into the free space together."""
        self._tmp.mkdir(mode=0o700, parents=True, exist_ok=True)
        done = self._done.root.path
        free = {device: _free(folder) for device, folder in _devices(self._tmp, done).items()}
        fitting: list[int] = []
        for each in stopped:
            needs = self._needs(each, done)
            if all(free[device] >= needed for device, needed in needs.items()):
                fitting.append(each.id)
                for device, needed in needs.items():
                    free[device] -= needed
        return fitting

    def _needs(self, download: StoppedDownload, done: Path) -> dict[int, int]:
        """Return the bytes needed by device: for the rest of the part file and for a copy of it."""
        part, size = part_path(self._tmp, download.id), download.size or LEAST_FREE
        present = part.stat().st_blocks * 512 if part.exists() else 0
        tmp_device, done_device = self._tmp.stat().st_dev, done.stat().st_dev
        needs = {tmp_device: max(size - present, download.needed, 0)}
        if done_device != tmp_device:
            needs[done_device] = size
        return needs


def _devices(*folders: Path) -> dict[int, Path]:
    return {folder.stat().st_dev: folder for folder in folders}


def _free(folder: Path) -> int:
    fd = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        return space.free_space(fd)
    finally:
        os.close(fd)
