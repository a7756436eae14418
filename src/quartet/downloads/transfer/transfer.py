"""One request that writes into one segment of a part file."""

import time
from collections.abc import Callable, Iterator
from typing import Protocol

from quartet.downloads.transfer.buckets import Bucket
from quartet.downloads.transfer.curl import ABORT, PAUSE, CurlRequest, Handle
from quartet.downloads.transfer.curl_errors import error_of_curl
from quartet.downloads.transfer.encodings import Decoder, DecodingError, decoder_for
from quartet.downloads.transfer.headers import ResponseHead
from quartet.downloads.transfer.pages import page_text
from quartet.downloads.transfer.part_file import PartFile
from quartet.downloads.transfer.responses import (
    AcceptedResponse,
    ExpectedResponse,
    TransferError,
    check_ftp_response,
    check_response,
    file_changed,
    stalled,
    web_page,
)
from quartet.downloads.transfer.segments import Segment, Segments
from quartet.downloads.transfer.speed import SpeedMeter
from quartet.downloads.transfer.stalls import StallDetector
from quartet.downloads.transfer.types import Timeouts
from quartet.kernel.errors import AppError, Problem

_CHUNK = 128 * 1024  # libcurl passes at most 16 KiB at a time; fewer and larger writes are faster
_MOST_DROPPED = 64 * 1024
_MOST_TEXT = 4 * 1024


class TransferOwner(Protocol):
    """The download that a request belongs to."""

    part: PartFile
    segments: Segments

    def accept(self, transfer: "Transfer", response: AcceptedResponse) -> None: ...
    def confirm(self, transfer: "Transfer", response: AcceptedResponse) -> None: ...
    def ended(self, transfer: "Transfer", code: int, handle: Handle) -> None: ...
    def throttle(self, transfer: "Transfer", seconds: float) -> None: ...
    def permits(self, url: str, address: str) -> bool: ...


class Transfer:
    def __init__(
        self,
        owner: TransferOwner,
        segment: Segment,
        request: CurlRequest,
        expected: ExpectedResponse,
        buckets: tuple[Bucket, ...],
        hops: int = 0,
    ) -> None:
        self.segment = segment
        self.request = request
        self.expected = expected
        self.hops = hops
        self.head = ResponseHead()
        self._head_lines: list[bytes] = []
        # libcurl only adds the lines to the list: a call in Python for each of them would cost more
        # than reading them together.
        self.header: Callable[[bytes], None] = self._head_lines.append
        self.paused = False
        self.response: AcceptedResponse | None = None
        self.failure: TransferError | None = None
        self.forbidden = False
        self._host_key = ""
        self._owner = owner
        self._buckets = buckets
        self._overlap = segment.position - expected.start
        # Whether libcurl only adds the body to `_collected`, which is processed afterwards.
        self.collecting = False
        self._collected: list[bytes] = []
        self._buffer: list[bytes] = []
        self._buffered = 0
        self._flush_at = 0
        self._fast_path = False  # no checks are left: use the fast path
        self._discarded = bytearray()
        self._decoder: Decoder | None = None
        self._first = segment.position
        self.started = time.monotonic()
        self._stalls = StallDetector(self.started, self._first)
        self.speed = SpeedMeter(self.started)

    def receive(self, data: bytes) -> int | None:
        if not self._fast_path:
            return self._receive_checked(data)
        self._buffer.append(data)
        self._buffered += len(data)
        return None if self._buffered < self._flush_at else self._write()

    @property
    def may_collect(self) -> bool:
        """Whether no piece of the body needs an answer, and enough of it is left."""
        if not self._fast_path:
            return False
        left = self.segment.left
        return left is None or left > _CHUNK

    def collect(self) -> Callable[[bytes], None]:
        """Return what libcurl calls from now on: a method in Python for each 16 KiB would cost more
        than everything else that Python does for a download.
        """
        self.collecting = True
        return self._collected.append

    def process_collected(self) -> bool:
        """Process what was collected; return False if the request must end."""
        if not self._collected:
            return True
        self._buffer += self._collected
        self._buffered += sum(map(len, self._collected))
        self._collected.clear()
        return self._buffered < self._flush_at or self._write() is None

    def size(self, left: int) -> None:
        """Note the size that an SFTP server names before it sends the first byte."""
        if self.response is None and left > 0:
            self.head.ftp_size = self.expected.start + left

    def host_key(self, fingerprint: str) -> None:
        """Note the key of an SFTP server that is not the stored one."""
        self._host_key = fingerprint

    def permits(self, address: str) -> bool:
        if self.request.proxy or self._owner.permits(self.request.url, address):
            return True
        self.forbidden = True
        return False

    def ended(self, code: int, handle: Handle) -> None:
        self._read_head()
        self._owner.ended(self, code, handle)

    def set_limits(self, buckets: tuple[Bucket, ...]) -> None:
        """Replace the speed limits."""
        self._buckets = buckets
        self._update_fast_path()

    def flush(self) -> None:
        """Write the buffer, cut off at the segment's end, which may have moved."""
        left = self.segment.left
        if left is not None and self._buffered > left:
            self._buffer = [b"".join(self._buffer)[:left]] if left else []
            self._buffered = left
        if self._buffered:
            self._owner.part.write(self._buffer, self.segment.position)
            self._owner.segments.record_written(self.segment, self._buffered)
            self._buffer.clear()
            self._buffered = 0
        self._update_fast_path()

    def outcome(self, code: int) -> TransferError | None:
        """Return None if the response was complete, otherwise what went wrong."""
        try:
            if self.request.is_ftp and self.response is None and code == 0:
                self._accept(check_ftp_response(self.head, self.expected))
            self.flush()
        except TransferError as failure:
            self.failure = failure
        except AppError as error:
            self.failure = _local_error(error)
        if self.failure:
            return self._with_text(self.failure)
        if self._is_complete(code):
            return None
        return error_of_curl(
            code,
            self.response is not None,
            is_sftp=self.request.is_sftp,
            host_key=self._host_key,
            proxied=bool(self.request.proxy),
        )

    def stalled(self, now: float, timeouts: Timeouts) -> TransferError | None:
        """Return an error if the server takes too long to respond or sends too slowly."""
        if self.paused:
            self._stalls.restart(now, self._progress)
            return None
        # The body may come much later than the head.
        self._read_head()
        if self.response is None and self.failure is None:
            if now - self._stalls.since > timeouts.connect + timeouts.answer:
                return error_of_curl(28, received=False)
            return None
        seconds = self._stalls.stalled(now, self._progress, timeouts)
        return None if seconds is None else stalled(seconds)

    @property
    def received(self) -> int:
        """Return how many new bytes the request has brought."""
        return self._progress - self._first

    @property
    def seconds_left(self) -> float:
        """Return how long the rest of the segment takes at the measured speed."""
        return (self.segment.left or 0) / max(self.speed.value, 1.0)

    @property
    def _progress(self) -> int:
        return self.segment.position + self._buffered

    def _read_head(self) -> None:
        """Check the head of the response if it has arrived since the last call."""
        if not self._head_lines:
            return
        lines = self._head_lines.copy()
        self._head_lines.clear()
        if self.response or self.failure:
            return  # a trailer cannot change anything
        try:
            if self.head.feed(lines) and not self.head.redirects:
                self._accept(check_response(self.head, self.expected, self.request.url))
        except TransferError as failure:
            self.failure = failure
        except AppError as error:
            self.failure = _local_error(error)

    def _accept(self, response: AcceptedResponse) -> None:
        self._owner.accept(self, response)
        self.response = response
        if response.encoding:
            self._decoder = decoder_for(response.encoding)
        self._stalls.restart(time.monotonic(), self._progress)
        self._confirm()

    def _confirm(self) -> None:
        """Confirm the response once there are no bytes left to compare."""
        if self.response and not self._overlap:
            self._owner.confirm(self, self.response)
        self._update_fast_path()

    def _update_fast_path(self) -> None:
        left = self.segment.left
        self._flush_at = _CHUNK if left is None else min(_CHUNK, left)
        self._fast_path = bool(self.response) and not (
            self._overlap or self._buckets or self.failure or self._decoder
        )

    def _receive_checked(self, data: bytes) -> int | None:
        self._read_head()
        try:
            if self.response is None and self.request.is_ftp:
                self._accept(check_ftp_response(self.head, self.expected))
            if self.response is None or self.failure:
                return self._discard(data)
            return self._receive_limited(data)
        except TransferError as failure:
            self.failure = failure
        except AppError as error:
            self.failure = _local_error(error)
        return ABORT

    def _receive_limited(self, data: bytes) -> int | None:
        wait = max((bucket.wait() for bucket in self._buckets), default=0.0)
        if wait > 0:
            self.flush()  # keeps the shown progress current
            self.paused = True
            self._owner.throttle(self, wait)
            return PAUSE
        for bucket in self._buckets:
            bucket.take(len(data))
        data = self._compare(data) if self._overlap else data
        if self._decoder is None:
            return self._keep(data)
        answers = (self._keep(piece) for piece in _decoded(self._decoder, data))
        return next((answer for answer in answers if answer is not None), None)

    def _keep(self, data: bytes) -> int | None:
        self._buffer.append(data)
        self._buffered += len(data)
        return None if self._buffered < self._flush_at else self._write()

    def _compare(self, data: bytes) -> bytes:
        """Compare the overlapping bytes with the file and return the rest."""
        again = data[: self._overlap]
        if self._owner.part.read(len(again), self.segment.position - self._overlap) != again:
            raise file_changed()
        self._overlap -= len(again)
        self._confirm()
        return data[len(again) :]

    def _write(self) -> int | None:
        surplus = self.segment.left is not None and self._buffered > self.segment.left
        try:
            self.flush()
        except AppError as error:
            self.failure = _local_error(error)
            return ABORT
        if self.segment.complete and (surplus or self._continues()):
            return ABORT
        return None

    def _continues(self) -> bool:
        """Return whether the response continues after the segment, whose tail was split off."""
        response = self.response
        return response is None or response.end is None or response.end != self.segment.end

    def _is_complete(self, code: int) -> bool:
        if self.segment.complete and not self._overlap:
            return True
        if self.response is None or self._overlap or code != 0:
            return False
        if self._decoder and not self._decoder.complete:
            return False
        if self.response.end is None:
            self._owner.segments.set_size(self.segment.position)
            return True
        # Some servers send only a part of a range; the rest is requested again.
        return self.segment.position >= self.response.end

    def _discard(self, data: bytes) -> int | None:
        if self.failure and self.failure.kind == "local":
            return ABORT
        self._discarded += data
        is_page = self.failure is not None and _is_web_page(self.failure)
        most = _MOST_TEXT if is_page else _MOST_DROPPED
        return ABORT if len(self._discarded) > most else None

    def _with_text(self, failure: TransferError) -> TransferError:
        return web_page(page_text(bytes(self._discarded))) if _is_web_page(failure) else failure


def _is_web_page(failure: TransferError) -> bool:
    return failure.problem.code == "web_page"


def _decoded(decoder: Decoder, data: bytes) -> Iterator[bytes]:
    try:
        yield from decoder.feed(data)
    except DecodingError:
        raise TransferError("broken", Problem("closed_early")) from None


def _local_error(error: AppError) -> TransferError:
    return TransferError("local", Problem(error.code, error.inputs))
