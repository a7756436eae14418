"""Decides which source fetches which bytes of a file."""

import time

from quartet.downloads.transfer.active_requests import ActiveRequests
from quartet.downloads.transfer.remote_file import OVERLAP, RemoteFile
from quartet.downloads.transfer.responses import stalled
from quartet.downloads.transfer.segments import Segment, Segments
from quartet.downloads.transfer.sources import Sources
from quartet.downloads.transfer.transfer import TransferOwner
from quartet.downloads.transfer.types import Job

# A source that has nothing to do gets smaller segments than another request to a busy one.
_FINER = 4


class Assignment:
    def __init__(self, job: Job, sources: Sources, requests: ActiveRequests) -> None:
        self._job = job
        self._sources = sources
        self._requests = requests

    def start_requests(self, owner: TransferOwner, most: int) -> None:
        """Start requests until `most` are running or nothing is left to request."""

        def start(source: RemoteFile) -> bool:
            return self._start(owner, source)

        if not self._sources.several:
            only = self._sources.lead
            while not only.retries.waiting and len(self._requests) < min(most, only.allowed):
                if not start(only):
                    return
            return
        while any(map(start, self._sources.free(self._requests.count, most))):
            pass

    def _start(self, owner: TransferOwner, source: RemoteFile) -> bool:
        """Start a request to this source; return whether there was something to request."""
        lead, segments = self._sources.lead, owner.segments
        if source is lead or source.proven or lead.known is None:
            segment = self._segment_for(source, segments)
            if segment:
                request = source.request_for(segment, segments)
                self._requests.start(owner, segment, source, *request)
            return segment is not None
        # Another source first has to send bytes that exist, if it could help at all.
        sample = segments.sample(OVERLAP) if segments.can_split(self._smallest(source)) else None
        if sample:
            request = source.comparison_of(sample, lead.known)
            self._requests.start(owner, sample, source, *request)
        return sample is not None

    def _segment_for(self, source: RemoteFile, segments: Segments) -> Segment | None:
        return (
            segments.take_idle()
            or segments.split_largest(self._smallest(source))
            or (self._taken_over(source, segments) if self._sources.several else None)
        )

    def _smallest(self, source: RemoteFile) -> int:
        """Return the smallest segment that is worth a request to this source."""
        if self._sources.several and not self._requests.count(source):
            return self._job.min_segment // _FINER
        return self._job.min_segment

    def _taken_over(self, source: RemoteFile, segments: Segments) -> Segment | None:
        """Take the segment of a much slower source."""
        transfer = self._requests.slowest(source, time.monotonic())
        if transfer is None:
            return None
        slow = self._requests.stop(transfer)
        if not transfer.received and slow.retries.next_delay(slow.received) is None:
            self._sources.drop(slow, stalled(time.monotonic() - transfer.started))
        if transfer.segment.complete:
            segments.release(transfer.segment)
            return None
        return transfer.segment
