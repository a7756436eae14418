"""The running requests of one download."""

from contextlib import suppress

from quartet.downloads.transfer.buckets import LimitBuckets
from quartet.downloads.transfer.curl import CurlRequest
from quartet.downloads.transfer.loop import CurlLoop
from quartet.downloads.transfer.responses import ExpectedResponse, TransferError
from quartet.downloads.transfer.segments import Segment
from quartet.downloads.transfer.transfer import Transfer, TransferOwner
from quartet.downloads.transfer.types import Job
from quartet.kernel.errors import AppError, Problem


class ActiveRequests:
    def __init__(self, job: Job, loop: CurlLoop, limits: LimitBuckets) -> None:
        self._job = job
        self._loop = loop
        self._limits = limits
        self._transfers: set[Transfer] = set()

    def __len__(self) -> int:
        return len(self._transfers)

    def start(
        self,
        owner: TransferOwner,
        segment: Segment,
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
        self._transfers.add(transfer)

    def remove(self, transfer: Transfer) -> None:
        self._transfers.discard(transfer)

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
            self._resume(transfer)

    def stop_all(self) -> list[Segment]:
        """Stop all requests, write what they have received, and return their segments."""
        left = []
        for transfer in self._transfers:
            self._loop.drop(transfer)
            with suppress(AppError):
                transfer.flush()
            left.append(transfer.segment)
        self._transfers.clear()
        return left

    def _resume(self, transfer: Transfer) -> None:
        if transfer.paused and transfer in self._transfers:
            transfer.paused = False
            self._loop.unpause(transfer)
