"""Entry point of the transfer engine: takes jobs and reports their outcomes."""

import logging
import time
from collections.abc import Callable, Iterable
from threading import Condition

from quartet.downloads.transfer.buckets import ALL_JOBS, LimitBuckets, group_scope, job_scope
from quartet.downloads.transfer.checkpointer import CheckpointWriter
from quartet.downloads.transfer.curl import TrustFiles
from quartet.downloads.transfer.engine_context import EngineContext
from quartet.downloads.transfer.loop import CurlLoop
from quartet.downloads.transfer.redirects import RedirectPolicy
from quartet.downloads.transfer.segmented_download import SegmentedDownload
from quartet.downloads.transfer.speed import SpeedMeter
from quartet.downloads.transfer.types import MIB, Job, Outcome, Snapshot
from quartet.kernel.errors import AppError

log = logging.getLogger("quartet.downloads.transfer")

_TICK = 0.5


class Engine:
    """Thread-safe; every method except `stop` returns at once.

    `on_done` is called from a thread of the engine, once for each job.
    """

    def __init__(
        self,
        on_done: Callable[[Outcome], None],
        *,
        allow_private: bool | Iterable[str] = False,
        reserve: int = 256 * MIB,
        save_every: float = 5.0,
        ca_file: str | None = None,
        known_hosts: str | None = None,
        ssh_key: str | None = None,
    ) -> None:
        self._on_done = on_done
        self._limits = LimitBuckets()
        self._checkpoint_writer = CheckpointWriter()
        self._changed = Condition()
        self._running: dict[int, SegmentedDownload] = {}
        self._stopped = False
        # What downloads received after their last measurement, which small files never have.
        self._ended_bytes = 0
        self._ended_speed = SpeedMeter()
        self._loop = CurlLoop()
        self._context = EngineContext(
            self._loop,
            self._limits,
            RedirectPolicy(allow_private),
            self._checkpoint_writer,
            reserve,
            save_every,
            TrustFiles(ca_file, known_hosts, ssh_key),
            self._report,
        )
        self._loop.start()
        self._loop.post(self._tick)

    def begin(self, job: Job) -> None:
        """Start a job, or resume it from its part file and checkpoint."""
        with self._changed:
            if self._stopped:
                raise AppError(503, "transfer_stopped")
            if job.id in self._running:
                raise AppError(409, "transfer_running", id=job.id)
            download = self._running[job.id] = SegmentedDownload(job, self._context)
        self._loop.post(download.begin)

    def pause(self, id: int) -> None:
        """Stop a job and keep its bytes; reported after the checkpoint is written."""
        with self._changed:
            download = self._running.get(id)
        if download:
            self._loop.post(download.pause)

    def limit(
        self, bytes_per_second: float | None, *, id: int | None = None, group: int | None = None
    ) -> None:
        """Limit one download, a group or all downloads together; None removes the limit."""
        scope = (
            job_scope(id)
            if id is not None
            else group_scope(group)
            if group is not None
            else ALL_JOBS
        )
        self._limits.set(scope, bytes_per_second)
        for download in self._all():
            self._loop.post(download.limits_changed)

    def snapshots(self) -> list[Snapshot]:
        return [download.snapshot() for download in self._all()]

    @property
    def speed(self) -> float:
        """Bytes per second, including downloads that have just ended."""
        return self._ended_speed.value + sum(download.speed for download in self._all())

    def stop(self, seconds: float = 10.0) -> None:
        """Pause all jobs and wait until all of them are saved and reported.

        Gives up after `seconds` if the disk is too slow; the last written checkpoints stay valid.
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
        self._checkpoint_writer.stop()
        self._loop.stop()

    def _all(self) -> list[SegmentedDownload]:
        with self._changed:
            return list(self._running.values())

    def _tick(self) -> None:
        self._loop.call_later(_TICK, self._tick)
        now = time.monotonic()
        for download in self._all():
            download.tick(now)
        self._ended_speed.measure(now, self._ended_bytes)

    def _report(self, outcome: Outcome) -> None:
        """Report an outcome once all sockets that are ready have been processed.

        The thread that learns of it would otherwise run at once and make this one wait.
        """
        self._loop.post(lambda: self._report_now(outcome))

    def _report_now(self, outcome: Outcome) -> None:
        with self._changed:
            self._ended_bytes += self._running.pop(outcome.id).unmeasured
            self._changed.notify_all()
        try:
            self._on_done(outcome)
        except (
            Exception
        ):  # an error in the callback must not end a thread that serves all downloads
            log.exception("callback for the outcome of download %d failed", outcome.id)
