"""Runs one job from its first request to its last byte."""

import logging
import time
from collections.abc import Callable

from quartet.downloads.transfer import checkpoint
from quartet.downloads.transfer.active_requests import ActiveRequests
from quartet.downloads.transfer.assignment import Assignment
from quartet.downloads.transfer.checkpointer import Checkpointer
from quartet.downloads.transfer.curl import Handle
from quartet.downloads.transfer.engine_context import EngineContext
from quartet.downloads.transfer.part_file import PartFile
from quartet.downloads.transfer.remote_file import RemoteFile
from quartet.downloads.transfer.responses import (
    AcceptedResponse,
    TransferError,
    file_changed,
)
from quartet.downloads.transfer.segments import Segments
from quartet.downloads.transfer.sources import Sources
from quartet.downloads.transfer.speed import SpeedMeter
from quartet.downloads.transfer.transfer import Transfer
from quartet.downloads.transfer.types import (
    Failed,
    Finished,
    Job,
    Outcome,
    Paused,
    Snapshot,
)
from quartet.kernel.errors import AppError, Problem

log = logging.getLogger("quartet.downloads.transfer")

_MAX_RESTARTS = 2


class SegmentedDownload:
    """Runs in the loop's thread; only `snapshot` may be called from other threads."""

    def __init__(self, job: Job, context: EngineContext) -> None:
        self.job = job
        self.segments = Segments(None)
        self.part: PartFile
        self._context = context
        self._sources = Sources(job, context.redirects, context.trust)
        self._requests = ActiveRequests(job, context.loop, context.limits)
        self._assignment = Assignment(job, self._sources, self._requests)
        self._max_requests = max(1, job.connections)
        self._restarts = 0
        self._checkpointer = Checkpointer(
            job, context.checkpoint_writer, context.save_every, context.report
        )
        self._ended = False
        self._opened = False
        self._emptying = False
        self._size_announced = False
        self._speed = SpeedMeter()
        self._name: str | None = None

    # Called by the engine

    def begin(self) -> None:
        self._fail_on_error(self._begin)

    def pause(self) -> None:
        self._end(Paused(self.job.id))

    def limits_changed(self) -> None:
        self._requests.update_limits()

    def tick(self, now: float) -> None:
        """Handle timeouts, flush buffers and save a checkpoint; called a few times per second."""
        if not self._opened or self._ended:
            return
        self._fail_on_error(lambda: self._check_progress(now))
        self._speed.measure(now, self.segments.done)
        if not self._ended:
            self._checkpointer.save_if_due(now, self.part, self._sources.checkpoint(self.segments))

    @property
    def speed(self) -> float:
        return self._speed.value

    @property
    def unmeasured(self) -> int:
        """The bytes of the last moment, which are not in the speed yet."""
        return self._speed.unmeasured(self.segments.done)

    def snapshot(self) -> Snapshot:
        segments = self.segments.shown()
        done = sum(position - start for start, position, _ in segments)
        return Snapshot(
            self.job.id,
            done,
            self.segments.size,
            self.speed,
            len(self._requests),
            self._name,
            segments,
        )

    # Called by requests, inside libcurl's callbacks

    def accept(self, transfer: Transfer, response: AcceptedResponse) -> None:
        """Allocate the file before the first byte is written, to notice a full disk early."""
        if self._sources.lead.known is None:
            if self._sources.several and self._has_other_size(response):
                raise file_changed()
            # A compressed body says nothing about the size of the file.
            self._size_announced = response.size is not None or bool(response.encoding)
            self._allocate(response.size)

    def confirm(self, transfer: Transfer, response: AcceptedResponse) -> None:
        """Accept the response as matching the existing bytes; further requests may start now."""
        transfer.segment.doubted = False
        source = self._requests.source_of(transfer)
        if not source.proven:
            source.learn(transfer, response)
            self._name = self._name or source.name
            may_split = source.known is not None and not transfer.request.is_ftp
            source.allowed = self._max_requests if may_split else 1
            log.debug(
                "download %d: the server sends %s bytes, in up to %d segments",
                self.job.id,
                "unknown" if self.segments.size is None else self.segments.size,
                source.allowed,
            )
            if self._may_start_more:
                self._context.loop.post(self._advance_later)

    def throttle(self, transfer: Transfer, seconds: float) -> None:
        self._requests.throttle(transfer, seconds)

    def permits(self, url: str, address: str) -> bool:
        return self._context.redirects.permits(url, address)

    # Requests and retries

    def ended(self, transfer: Transfer, code: int, handle: Handle) -> None:
        if transfer.head.redirects and transfer.failure is None:
            self._fail_on_error(lambda: self._follow(transfer, handle))
        else:
            self._fail_on_error(lambda: self._request_ended(transfer, code))

    def _begin(self) -> None:
        self._sources.check()
        self.part = PartFile(self.job.part, self._context.reserve, self.job.cipher)
        self._opened = True
        self._restore()
        self._speed.measure(time.monotonic(), self.segments.done)
        self._advance()

    def _check_progress(self, now: float) -> None:
        for transfer in self._requests.stop_stalled(now):
            if transfer in self._requests:
                self._request_ended(transfer, 0)
        self._requests.flush()
        if self.segments.size is None:
            self.part.require_space(0)
        if self._sources.several:
            self._requests.measure(now)
            self._advance()

    def _restore(self) -> None:
        state = None if self.part.new else checkpoint.load(self.job.part)
        if state is None:
            checkpoint.remove_checkpoint(self.job.part)
            if not self.part.new:
                self.part.empty()
            return
        self.segments = Segments(state.identity.size, state.spans)
        self._sources.restore(state)
        self._size_announced = True

    def _allocate(self, size: int | None) -> None:
        if size is None:
            self.part.require_space(0)
            return
        self.part.allocate(size)
        self.segments.set_size(size)

    def _has_other_size(self, response: AcceptedResponse) -> bool:
        return None not in (self.job.known_size, response.size) and (
            self.job.known_size != response.size
        )

    @property
    def _may_start_more(self) -> bool:
        return self._sources.several or (
            self._max_requests > 1 and self.segments.can_split(self.job.min_segment)
        )

    def _advance(self) -> None:
        """Finish the job, or start requests up to the allowed number of connections."""
        if self._ended or self._emptying:
            return
        # With several sources, the others may still compare bytes.
        if self.segments.complete and (self._sources.several or not self._requests):
            self._finish()
            return
        self._requests.flush()
        self._assignment.start_requests(self, self._max_requests)

    def _advance_later(self) -> None:
        self._fail_on_error(self._advance)

    def _follow(self, transfer: Transfer, handle: Handle) -> None:
        source = self._requests.remove(transfer)
        try:
            request = source.follow(transfer, handle)
        except TransferError as failure:
            self.segments.release(transfer.segment)
            self._drop(source, failure)
            return
        self._requests.start(
            self, transfer.segment, source, request, transfer.expected, transfer.hops + 1
        )

    def _request_ended(self, transfer: Transfer, code: int) -> None:
        failure = transfer.outcome(code)
        source = self._requests.remove(transfer)
        self.segments.release(transfer.segment)
        if transfer.forbidden and transfer.response is None:
            failure = self._context.redirects.forbidden(transfer.request.url)
        if failure is None:
            source.retries.reset()
            self._advance()
        elif failure.kind == "broken":
            transfer.segment.doubted = True
            self._retry(source, failure)
        else:
            self._handle_failure(source, failure)

    def _handle_failure(self, source: RemoteFile, failure: TransferError) -> None:
        running = self._requests.count(source)
        if failure.kind == "local":
            self._fail(failure)
        elif running and failure.kind in ("status", "ignored"):
            # The other requests succeed, so the server only wants fewer connections.
            source.allowed = running
        elif self._can_ask_otherwise(source, failure):
            self._advance()
        elif self._sources.several or failure.kind in ("status", "fatal"):
            self._drop(source, failure)
        elif failure.kind == "ignored":
            self._restart(failure, ranged=False, connections=1)
        else:
            # If the file changed during the download, several servers may have different copies, so
            # use one connection.
            connections = 1 if source.proven else self._max_requests
            self._restart(failure, ranged=True, connections=connections)

    def _can_ask_otherwise(self, source: RemoteFile, failure: TransferError) -> bool:
        """Prepare another request to the same source, if there is another way to ask it."""
        if failure.kind == "status":
            return source.return_to_first_url()
        return failure.kind == "ignored" and source.drop_condition()

    def _retry(self, source: RemoteFile, failure: TransferError) -> None:
        delay = source.retries.next_delay(source.received)
        running = self._requests.count(source)
        if self._sources.lead.known is None or (delay is None and not running):
            self._drop(source, failure)
        elif delay is None:
            source.retries.reset()
            source.allowed = running
        else:
            self._context.loop.call_later(delay, self._advance_later)
            # Another source may continue at once.
            self._advance()

    def _drop(self, source: RemoteFile, failure: TransferError) -> None:
        """Continue without a source, or fail if it was the last one."""
        for segment in self._requests.stop_all(source):
            self.segments.release(segment)
        if not self._sources.drop(source, failure):
            self._fail(self._sources.failure)
        elif self._sources.lead.known is None and self.segments.size is not None:
            self._start_over(ranged=True)
        else:
            self.segments.doubt()
            self._advance()

    def _restart(self, failure: TransferError, *, ranged: bool, connections: int) -> None:
        """Start over from the first byte, because the existing bytes belong to another version."""
        self._restarts += 1
        if self._restarts > _MAX_RESTARTS:
            self._fail(failure)
            return
        self._max_requests = connections
        self._start_over(ranged=ranged)

    def _start_over(self, *, ranged: bool) -> None:
        self._stop_requests()
        self.segments = Segments(None)
        self._sources.reset(ranged=ranged)
        self._emptying = True
        # The old checkpoint must be gone before the first new byte is written.
        self._checkpointer.remove(lambda: self._context.loop.post(self._restart_emptied))

    def _restart_emptied(self) -> None:
        if not self._ended:
            self._fail_on_error(self._begin_emptied)

    def _begin_emptied(self) -> None:
        self.part.empty()
        self._emptying = False
        self._advance()

    def _stop_requests(self) -> None:
        for segment in self._requests.stop_all():
            self.segments.release(segment)

    # Checkpoints and the end of the job

    def _finish(self) -> None:
        known, size = self.job.known_size, self.segments.done
        if not self._size_announced and known is not None and size < known:
            problem = Problem("incomplete", {"written": size, "total": known})
            self._fail(TransferError("broken", problem))
        else:
            self._end(Finished(self.job.id, size, self._name))

    def _fail(self, failure: TransferError) -> None:
        outcome = Failed(
            self.job.id, failure.problem, not failure.final, failure.retry_after, failure.offline
        )
        self._end(outcome)

    def _fail_on_error(self, action: Callable[[], None]) -> None:
        """Turn any exception into a failure of this download, without affecting others."""
        try:
            action()
        except TransferError as failure:
            self._fail(failure)
        except AppError as error:
            self._fail(TransferError("fatal", Problem(error.code, error.inputs)))
        except Exception:
            log.exception("transfer of download %d failed", self.job.id)
            self._fail(TransferError("fatal", Problem("internal")))

    def _end(self, outcome: Outcome) -> None:
        if not self._ended:
            self._ended = True
            self._stop_requests()
            state = self._sources.checkpoint(self.segments)
            self._checkpointer.end(outcome, self.part if self._opened else None, state)
