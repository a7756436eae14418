"""The requests of one download that are under way."""

from contextlib import suppress

from quartet.downloads.transfer.answers import Asked, Refused
from quartet.downloads.transfer.buckets import Limits
from quartet.downloads.transfer.curl import Request
from quartet.downloads.transfer.loop import Loop
from quartet.downloads.transfer.segments import Segment
from quartet.downloads.transfer.transfer import Owner, Transfer
from quartet.downloads.transfer.types import Job
from quartet.kernel.errors import AppError, Problem


class Crew:
    def __init__(self, job: Job, loop: Loop, limits: Limits) -> None:
        self._job = job
        self._loop = loop
        self._limits = limits
        self._transfers: set[Transfer] = set()

    def __len__(self) -> int:
        return len(self._transfers)

    def launch(
        self, owner: Owner, segment: Segment, request: Request, asked: Asked, hops: int = 0
    ) -> None:
        buckets = self._limits.binding(self._job.id, self._job.group)
        transfer = Transfer(owner, segment, request, asked, buckets, hops)
        try:
            self._loop.launch(transfer, request)
        except ValueError:  # a header or an address nobody can send
            raise Refused("fatal", Problem("bad_address")) from None
        self._transfers.add(transfer)

    def leave(self, transfer: Transfer) -> None:
        self._transfers.discard(transfer)

    def stalled(self, now: float) -> list[Transfer]:
        """Takes off those that wait for nothing."""
        found = []
        for transfer in list(self._transfers):
            if refusal := transfer.stalled(now, self._job.patience):
                transfer.refusal = transfer.refusal or refusal
                self._loop.drop(transfer)
                found.append(transfer)
        return found

    def flush(self) -> None:
        for transfer in self._transfers:
            transfer.flush()

    def throttle(self, transfer: Transfer, seconds: float) -> None:
        self._loop.later(seconds, lambda: self._resume(transfer))

    def rebind(self) -> None:
        """Other speed limits; who waits for the old ones asks again."""
        buckets = self._limits.binding(self._job.id, self._job.group)
        for transfer in list(self._transfers):
            transfer.bind(buckets)
            self._resume(transfer)

    def disband(self) -> list[Segment]:
        """Stops all of them and keeps what they have received; the segments they leave."""
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
