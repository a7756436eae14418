"""The running requests of one download."""

import time
from contextlib import suppress

from quartet.downloads.transfer.buckets import LimitBuckets
from quartet.downloads.transfer.curl import CurlRequest
from quartet.downloads.transfer.loop import CurlLoop
from quartet.downloads.transfer.remote_file import RemoteFile
from quartet.downloads.transfer.responses import ExpectedResponse, TransferError
from quartet.downloads.transfer.segments import Segment
from quartet.downloads.transfer.transfer import Transfer, TransferOwner
from quartet.downloads.transfer.types import Job
from quartet.kernel.errors import AppError, Problem

# Seconds after which a slow request is known to be slow.
_OBSERVED = 2.0
_MUCH_FASTER = 2


class ActiveRequests:
    def __init__(self, job: Job, loop: CurlLoop, limits: LimitBuckets) -> None:
        self._job = job
        self._loop = loop
        self._limits = limits
        # With the address that each request goes to.
        self._transfers: dict[Transfer, RemoteFile] = {}

    def __len__(self) -> int:
        return len(self._transfers)

    def __contains__(self, transfer: object) -> bool:
        return transfer in self._transfers

    def start(
        self,
        owner: TransferOwner,
        segment: Segment,
        source: RemoteFile,
        request: CurlRequest,
        expected: ExpectedResponse,
        hops: int = 0,
    ) -> None:
        buckets = self._limits.buckets_for(self._job.id, self._job.group)
        transfer = Transfer(owner, segment, request, expected, buckets, hops)
        try:
            self._loop.launch(transfer, request)
        except ValueError:  # a header or an address that cannot be sent
            raise TransferError("fatal", Problem("bad_address")) from None
        self._transfers[transfer] = source

    def source_of(self, transfer: Transfer) -> RemoteFile:
        return self._transfers[transfer]

    def count(self, source: RemoteFile) -> int:
        return [*self._transfers.values()].count(source)

    def remove(self, transfer: Transfer) -> RemoteFile:
        source = self._transfers.pop(transfer)
        source.received += transfer.received
        if not source.speed:
            # Short requests end before their speed is measured.
            source.speed = transfer.received / max(time.monotonic() - transfer.started, 0.001)
        return source

    def measure(self, now: float) -> None:
        """Measure the speed of each request, to find slow sources."""
        for transfer, source in self._transfers.items():
            transfer.speed.measure(now, transfer.received)
            source.speed = transfer.speed.value or source.speed

    def slowest(self, source: RemoteFile, now: float) -> Transfer | None:
        """Return the request of another source that this one could complete much earlier."""
        slow = [
            transfer
            for transfer, other in self._transfers.items()
            if other is not source
            and now - transfer.started >= _OBSERVED
            and transfer.speed.value * _MUCH_FASTER < source.speed
            and transfer.seconds_left >= _OBSERVED
        ]
        return max(slow, key=lambda each: each.seconds_left, default=None)

    def stop(self, transfer: Transfer) -> RemoteFile:
        """Stop one request and write what it has received."""
        self._loop.drop(transfer)
        transfer.flush()
        return self.remove(transfer)

    def stop_stalled(self, now: float) -> list[Transfer]:
        """Stop requests that make no progress, and return them."""
        found = []
        for transfer in list(self._transfers):
            if error := transfer.stalled(now, self._job.timeouts):
                transfer.failure = transfer.failure or error
                self._loop.drop(transfer)
                found.append(transfer)
        return found

    def flush(self) -> None:
        for transfer in self._transfers:
            transfer.flush()

    def throttle(self, transfer: Transfer, seconds: float) -> None:
        self._loop.call_later(seconds, lambda: self._resume(transfer))

    def update_limits(self) -> None:
        """Apply changed speed limits; paused requests check them again."""
        buckets = self._limits.buckets_for(self._job.id, self._job.group)
        for transfer in list(self._transfers):
            transfer.set_limits(buckets)
            if buckets:
                self._loop.stop_collecting(transfer)
            self._resume(transfer)

    def stop_all(self, source: RemoteFile | None = None) -> list[Segment]:
        """Stop all requests, or those to one source, write what they have received, and return
        their segments.
        """
        left = []
        for transfer, other in list(self._transfers.items()):
            if source is None or other is source:
                with suppress(AppError):
                    self.stop(transfer)
                self._transfers.pop(transfer, None)
                left.append(transfer.segment)
        return left

    def _resume(self, transfer: Transfer) -> None:
        if transfer.paused and transfer in self._transfers:
            transfer.paused = False
            self._loop.unpause(transfer)
