"""The door: jobs in, outcomes out, everything else in threads behind it."""

import logging
import time
from collections.abc import Callable, Iterable
from functools import partial
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
        threads: int = 1,
        allow_private: bool | Iterable[str] = False,
        reserve: int = 256 * MIB,
        save_every: float = 5.0,
        ca_file: str | None = None,
    ) -> None:
        self._on_done = on_done
        self._limits = Limits()
        self._saver = Saver()
        self._changed = Condition()
        self._running: dict[int, tuple[Loop, Download]] = {}
        self._stopped = False
        gate = Gate(allow_private)
        self._lanes = [
            Surroundings(
                Loop(f"transfer-{number}"),
                self._limits,
                gate,
                self._saver,
                reserve,
                save_every,
                ca_file,
                self._report,
            )
            for number in range(threads)
        ]
        for lane in self._lanes:
            lane.loop.start()
            lane.loop.post(partial(self._tick, lane.loop))

    def begin(self, job: Job) -> None:
        """Starts it, or goes on where its part and control file say."""
        with self._changed:
            if self._stopped:
                raise AppError(503, "transfer_stopped")
            if job.id in self._running:
                raise AppError(409, "transfer_running", id=job.id)
            lane = min(self._lanes, key=self._load)
            download = Download(job, lane)
            self._running[job.id] = (lane.loop, download)
        lane.loop.post(download.begin)

    def pause(self, id: int) -> None:
        """Stops and keeps what is there; reported when it is safe on the disk."""
        self._tell(id, Download.pause)

    def cancel(self, id: int) -> None:
        """Stops and removes what is there; reported when it is gone."""
        self._tell(id, Download.cancel)

    def limit(
        self, bytes_per_second: float | None, *, id: int | None = None, group: int | None = None
    ) -> None:
        """For one download, for a group, or for all together; nothing takes the limit away."""
        scope = one(id) if id is not None else many(group) if group is not None else EVERYTHING
        self._limits.set(scope, bytes_per_second)
        for loop, download in self._all():
            loop.post(download.limits_changed)

    def snapshots(self) -> list[Snapshot]:
        return [download.snapshot() for _, download in self._all()]

    def stop(self, seconds: float = 10.0) -> None:
        """Pauses everything and returns when all of it is saved and reported.

        A disk that takes longer is left behind: what it confirmed before stays true.
        """
        with self._changed:
            if self._stopped:
                return
            self._stopped = True
        for loop, download in self._all():
            loop.post(download.pause)
        with self._changed:
            if not self._changed.wait_for(lambda: not self._running, seconds):
                return
        self._saver.stop()
        for lane in self._lanes:
            lane.loop.stop()

    def _all(self) -> list[tuple[Loop, Download]]:
        with self._changed:
            return list(self._running.values())

    def _load(self, lane: Surroundings) -> int:
        return sum(loop is lane.loop for loop, _ in self._running.values())

    def _tell(self, id: int, act: Callable[[Download], None]) -> None:
        with self._changed:
            found = self._running.get(id)
        if found:
            loop, download = found
            loop.post(partial(act, download))

    def _tick(self, loop: Loop) -> None:
        loop.later(_TICK, partial(self._tick, loop))
        now = time.monotonic()
        for where, download in self._all():
            if where is loop:
                download.tick(now)

    def _report(self, outcome: Outcome) -> None:
        with self._changed:
            del self._running[outcome.id]
            self._changed.notify_all()
        try:
            self._on_done(outcome)
        except Exception:  # its fault must not end a thread that serves all downloads
            log.exception("outcome of download %d", outcome.id)
