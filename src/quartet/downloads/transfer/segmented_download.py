"""Runs one job from its first request to its last byte."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager

from quartet.downloads.transfer import checkpoint
from quartet.downloads.transfer.active_requests import ActiveRequests
from quartet.downloads.transfer.checkpoint import Checkpoint
from quartet.downloads.transfer.checkpointer import Checkpointer
from quartet.downloads.transfer.curl import Handle
from quartet.downloads.transfer.engine_context import EngineContext
from quartet.downloads.transfer.part_file import PartFile
from quartet.downloads.transfer.remote_file import RemoteFile
from quartet.downloads.transfer.responses import AcceptedResponse, TransferError
from quartet.downloads.transfer.retries import Retries
from quartet.downloads.transfer.segments import Segments
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
        self._remote = RemoteFile(job, context.redirects, context.ca_file)
        self._requests = ActiveRequests(job, context.loop, context.limits)
        self._max_requests = max(1, job.connections)
        self._allowed = 1
        self._restarts = 0
        self._retries = Retries(job.timeouts)
        self._checkpointer = Checkpointer(
            job, context.checkpoint_writer, context.save_every, context.report
        )
        self._ended = False
        self._opened = False
        self._emptying = False
        self._size_announced = False
        self._speed = SpeedMeter()

    # Called by the engine

    def begin(self) -> None:
        with self._fail_on_error():
            self._context.redirects.check(self.job.url)
            self.part = PartFile(self.job.part, self._context.reserve, self.job.cipher)
            self._opened = True
            self._restore()
            self._advance()

    def pause(self) -> None:
        self._end(Paused(self.job.id))

    def limits_changed(self) -> None:
        self._requests.update_limits()

    def tick(self, now: float) -> None:
        """Handle timeouts, flush buffers and save a checkpoint; called a few times per second."""
        if not self._opened or self._ended:
            return
        with self._fail_on_error():
            for transfer in self._requests.stop_stalled(now):
                self._request_ended(transfer, 0)
            self._requests.flush()
            if self.segments.size is None:
                self.part.require_space(0)
        self._speed.measure(now, self.segments.done)
        if not self._ended:
            self._checkpointer.save_if_due(now, self.part, self._checkpoint())

    def snapshot(self) -> Snapshot:
        segments = self.segments.shown()
        done = sum(position - start for start, position, _ in segments)
        return Snapshot(
            self.job.id,
            done,
            self.segments.size,
            self._speed.value,
            len(self._requests),
            self._remote.name,
            segments,
        )

    # Called by requests, inside libcurl's callbacks

    def accept(self, transfer: Transfer, response: AcceptedResponse) -> None:
        """Allocate the file before the first byte is written, to notice a full disk early."""
        if self._remote.known is None:
            # A compressed body says nothing about the size of the file.
            self._size_announced = response.size is not None or bool(response.encoding)
            self._allocate(response.size)

    def confirm(self, transfer: Transfer, response: AcceptedResponse) -> None:
        """Accept the response as matching the existing bytes; further requests may start now."""
        transfer.segment.doubted = False
        if not self._remote.proven:
            self._remote.learn(transfer, response)
            self._allowed = self._max_requests if self._may_split(transfer) else 1
            log.debug(
                "download %d: the server sends %s bytes, in up to %d segments",
                self.job.id,
                "unknown" if self.segments.size is None else self.segments.size,
                self._allowed,
            )
            self._context.loop.post(self._advance_later)

    def throttle(self, transfer: Transfer, seconds: float) -> None:
        self._requests.throttle(transfer, seconds)

    def permits(self, url: str, address: str) -> bool:
        return self._context.redirects.permits(url, address)

    # Requests and retries

    def ended(self, transfer: Transfer, code: int, handle: Handle) -> None:
        with self._fail_on_error():
            if transfer.head.redirects and transfer.failure is None:
                self._follow(transfer, handle)
            else:
                self._request_ended(transfer, code)

    def _restore(self) -> None:
        state = checkpoint.load(self.job.part)
        if state is None:
            checkpoint.remove_checkpoint(self.job.part)
            self.part.empty()
            return
        self.segments = Segments(state.identity.size, state.spans)
        self._remote.known = state.identity
        self._size_announced = True

    def _allocate(self, size: int | None) -> None:
        if size is None:
            self.part.require_space(0)
            return
        self.part.allocate(size)
        self.segments.set_size(size)

    def _may_split(self, transfer: Transfer) -> bool:
        return self._remote.known is not None and not transfer.request.is_ftp

    def _advance(self) -> None:
        """Finish the job, or start requests up to the allowed number of connections."""
        if self._ended or self._emptying or self._retries.waiting:
            return
        if self.segments.complete and not self._requests:
            self._finish()
            return
        self._requests.flush()
        # Until the server has shown that it supports ranges, use one request.
        wanted = self._allowed if self._remote.proven else 1
        while len(self._requests) < wanted:
            segment = self.segments.take_idle() or self.segments.split_largest(self.job.min_segment)
            if segment is None:
                return
            self._requests.start(self, segment, *self._remote.request_for(segment, self.segments))

    def _advance_later(self) -> None:
        with self._fail_on_error():
            self._advance()

    def _follow(self, transfer: Transfer, handle: Handle) -> None:
        self._requests.remove(transfer)
        request = self._remote.follow(transfer, handle)
        self._requests.start(self, transfer.segment, request, transfer.expected, transfer.hops + 1)

    def _request_ended(self, transfer: Transfer, code: int) -> None:
        self._requests.remove(transfer)
        failure = transfer.outcome(code)
        self.segments.release(transfer.segment)
        if transfer.forbidden and transfer.response is None:
            failure = self._context.redirects.forbidden(transfer.request.url)
        if failure is None:
            self._retries.reset()
            self._advance()
        else:
            self._handle_failure(transfer, failure)

    def _handle_failure(self, transfer: Transfer, failure: TransferError) -> None:
        if failure.kind == "fatal":
            self._fail(failure)
        elif failure.kind == "changed":
            # If the file changed during the download, several servers may have different copies, so
            # use one connection.
            self._restart(
                failure, ranged=True, connections=1 if self._remote.proven else self._max_requests
            )
        elif failure.kind == "broken":
            self._retry(transfer, failure)
        elif self._requests:
            # The other requests succeed, so the server only wants fewer connections.
            self._allowed = len(self._requests)
        elif failure.kind == "ignored":
            self._without_ranges(failure)
        elif self._remote.return_to_first_url():
            self._advance()
        else:
            self._fail(failure)

    def _without_ranges(self, failure: TransferError) -> None:
        if self._remote.drop_condition():
            self._advance()
        else:
            self._restart(failure, ranged=False, connections=1)

    def _retry(self, transfer: Transfer, failure: TransferError) -> None:
        transfer.segment.doubted = True
        delay = self._retries.next_delay(self.segments.done)
        if self._remote.known is None or (delay is None and not self._requests):
            self._fail(failure)
        elif delay is None:
            self._retries.reset()
            self._allowed = len(self._requests)
        else:
            self._context.loop.call_later(delay, self._advance_later)

    def _restart(self, failure: TransferError, *, ranged: bool, connections: int) -> None:
        """Start over from the first byte, because the existing bytes belong to another version."""
        self._restarts += 1
        if self._restarts > _MAX_RESTARTS:
            self._fail(failure)
            return
        self._stop_requests()
        self._max_requests = connections
        self._retries.reset()
        self.segments = Segments(None)
        self._remote.reset(ranged=ranged)
        self._emptying = True
        # The old checkpoint must be gone before the first new byte is written.
        self._checkpointer.remove(lambda: self._context.loop.post(self._restart_emptied))

    def _restart_emptied(self) -> None:
        if not self._ended:
            with self._fail_on_error():
                self.part.empty()
                self._emptying = False
                self._advance()

    def _stop_requests(self) -> None:
        for segment in self._requests.stop_all():
            self.segments.release(segment)

    # Checkpoints and the end of the job

    def _checkpoint(self) -> Checkpoint | None:
        if self._remote.known is None or self.segments.size is None:
            return None
        return Checkpoint(self._remote.known, self.segments.spans())

    def _finish(self) -> None:
        known, size = self.job.known_size, self.segments.done
        if not self._size_announced and known is not None and size < known:
            problem = Problem("incomplete", {"written": size, "total": known})
            self._fail(TransferError("broken", problem))
        else:
            self._end(Finished(self.job.id, size, self._remote.name))

    def _fail(self, failure: TransferError) -> None:
        outcome = Failed(
            self.job.id, failure.problem, not failure.final, failure.retry_after, failure.offline
        )
        self._end(outcome)

    @contextmanager
    def _fail_on_error(self) -> Iterator[None]:
        """Turn any exception into a failure of this download, without affecting others."""
        try:
            yield
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
            self._checkpointer.end(outcome, self.part if self._opened else None, self._checkpoint())
