"""The door: jobs in, outcomes out, everything else in threads behind it."""

import logging
import time
from collections.abc import Callable, Iterable
from threading import Condition

from quartet.downloads.transfer.buckets import EVERYTHING, Limits, many, one
from quartet.downloads.transfer.download import Download
from quartet.downloads.transfer.hops import Gate
from quartet.downloads.transfer.loop import Loop
from quartet.downloads.transfer.saver import Saver
from quartet.downloads.transfer.surroundings import Surroundings
from quartet.downloads.transfer.types import MIB, Job, Outcome, Snapshot
from quartet.kernel.errors import AppError

log = logging.getLogger("quartet.downloads.transfer")

_TICK = 0.5


class Engine:
    """Every method may be called from any thread and returns at once, but for `stop`.

    `on_done` is called from a thread of the engine, once for each job that was begun.
    """

    def __init__(
        self,
        on_done: Callable[[Outcome], None],
        *,
        allow_private: bool | Iterable[str] = False,
        reserve: int = 256 * MIB,
        save_every: float = 5.0,
        ca_file: str | None = None,
    ) -> None:
        self._on_done = on_done
        self._limits = Limits()
        self._saver = Saver()
        self._changed = Condition()
        self._running: dict[int, Download] = {}
        self._stopped = False
        self._loop = Loop()
        self._around = Surroundings(
            self._loop,
            self._limits,
            Gate(allow_private),
            self._saver,
            reserve,
            save_every,
            ca_file,
            self._report,
        )
        self._loop.start()
        self._loop.post(self._tick)

    def begin(self, job: Job) -> None:
        """Starts it, or goes on where its part and control file say."""
        with self._changed:
            if self._stopped:
                raise AppError(503, "transfer_stopped")
            if job.id in self._running:
                raise AppError(409, "transfer_running", id=job.id)
            download = self._running[job.id] = Download(job, self._around)
        self._loop.post(download.begin)

    def pause(self, id: int) -> None:
        """Stops and keeps what is there; reported when it is safe on the disk."""
        with self._changed:
            download = self._running.get(id)
        if download:
            self._loop.post(download.pause)

    def limit(
        self, bytes_per_second: float | None, *, id: int | None = None, group: int | None = None
    ) -> None:
        """For one download, for a group, or for all together; nothing takes the limit away."""
        scope = one(id) if id is not None else many(group) if group is not None else EVERYTHING
        self._limits.set(scope, bytes_per_second)
        for download in self._all():
            self._loop.post(download.limits_changed)

    def snapshots(self) -> list[Snapshot]:
        return [download.snapshot() for download in self._all()]

    def stop(self, seconds: float = 10.0) -> None:
        """Pauses everything and returns when all of it is saved and reported.

        A disk that takes longer is left behind: what it confirmed before stays true.
        """
        with self._changed:
            if self._stopped:
                return
            self._stopped = True
        for download in self._all():
            self._loop.post(download.pause)
        with self._changed:
            if not self._changed.wait_for(lambda: not self._running, seconds):
                return
        self._saver.stop()
        self._loop.stop()

    def _all(self) -> list[Download]:
        with self._changed:
            return list(self._running.values())

    def _tick(self) -> None:
        self._loop.later(_TICK, self._tick)
        now = time.monotonic()
        for download in self._all():
            download.tick(now)

    def _report(self, outcome: Outcome) -> None:
        with self._changed:
            del self._running[outcome.id]
            self._changed.notify_all()
        try:
            self._on_done(outcome)
        except Exception:  # its fault must not end a thread that serves all downloads
            log.exception("outcome of download %d", outcome.id)
