"""uvicorn's HTTP protocol with limits on request heads and bodies."""

import time
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from uvicorn._types import ASGI3Application
from uvicorn.protocols.http.httptools_impl import (
    STATUS_LINE,
    HttpToolsProtocol,
    RequestResponseCycle,
)

from quartet.kernel.time_slicer import TimeSlicer

MAX_HEAD_BYTES = 64 * 1024
HEAD_SECONDS = 30.0
# A body may take BODY_SECONDS in total. After BODY_GRACE_SECONDS at least BODY_WINDOW_BYTES must
# arrive in each window, so that a stalled client is disconnected within two windows.
BODY_SECONDS = 900.0
BODY_GRACE_SECONDS = 30.0
BODY_WINDOW_SECONDS = 15.0
BODY_WINDOW_BYTES = 15 * 1024

# Returns headers and body of a response that is available without waiting.
ImmediateResponse = Callable[[Mapping[str, Any]], tuple[bytes, bytes] | None]


class BodyTimer:
    """Measures how fast the body of one request arrives."""

    __slots__ = ("_started", "_window_bytes", "_window_started", "bytes")

    def __init__(self) -> None:
        self.bytes = 0
        self._started: float | None = None
        self._window_started = 0.0
        self._window_bytes = 0

    def is_late(self, now: float) -> bool:
        """Return whether the client is too slow; called periodically."""
        if self._started is None:
            self._started = self._window_started = now
        if now - self._window_started < BODY_WINDOW_SECONDS:
            return now - self._started > BODY_SECONDS
        if self.bytes - self._window_bytes < BODY_WINDOW_BYTES:
            return now - self._started > BODY_GRACE_SECONDS
        self.start_window(now)
        return now - self._started > BODY_SECONDS

    def start_window(self, now: float) -> None:
        self._window_started, self._window_bytes = now, self.bytes


class HttpProtocol(HttpToolsProtocol):
    """Limits the size and duration of request heads and bodies, which uvicorn does not.

    WebSocket upgrades are time-sliced, so that thousands of reconnecting clients do not block other
    requests.
    """

    # True also before the first byte.
    _in_head = True
    # Includes bytes received together with the head, possibly a whole body.
    _head_bytes = 0
    # When the periodic check first saw the incomplete head.
    _head_seen: float | None = None
    # Set while a body is incomplete.
    _body: BodyTimer | None = None
    _time_slicer = TimeSlicer()

    def __init__(self, immediate_response: ImmediateResponse, *state: Any) -> None:
        super().__init__(*state)
        self._immediate_response = immediate_response

    def data_received(self, data: bytes) -> None:
        if self._in_head:
            self._head_bytes += len(data)
        super().data_received(data)
        if self._in_head and self._head_bytes > MAX_HEAD_BYTES:
            self._reject()

    def on_message_complete(self) -> None:
        # The following bytes belong to the next head.
        self._in_head = True
        self._body = None
        super().on_message_complete()

    def on_headers_complete(self) -> None:
        if self._head_bytes > MAX_HEAD_BYTES and self._head_length() > MAX_HEAD_BYTES:
            raise ValueError("request head too large")
        self._in_head = False
        self._head_bytes = 0
        self._head_seen = None
        self._body = BodyTimer()
        super().on_headers_complete()

    def on_body(self, body: bytes) -> None:
        if self._body is not None:
            self._body.bytes += len(body)
        super().on_body(body)

    def _head_length(self) -> int:
        return len(self.url) + sum(len(name) + len(value) for name, value in self.headers)

    def _reject(self) -> None:
        if not self.transport.is_closing():
            self.send_400_response("Request head too large.")

    def close_if_late(self) -> bool:
        """Close the connection if the client takes too long to send its request.

        Called periodically for all connections; a timer per request would cost more.
        """
        now = time.monotonic()
        late = self._is_body_late(self._body, now) if self._body else self._is_head_late(now)
        if not late or self.transport.is_closing():
            return False
        if self._body is not None and not self.cycle.response_started:
            self.transport.write(_REQUEST_TIMEOUT)
        self.transport.close()
        return True

    def _is_head_late(self, now: float) -> bool:
        # A response is in progress, or uvicorn's keep-alive timer is running.
        cycle: RequestResponseCycle | None = self.cycle
        busy = cycle is not None and not cycle.response_complete
        if not self._in_head or busy or self.timeout_keep_alive_task is not None:
            return False
        if self._head_seen is None:
            self._head_seen = now
        return now - self._head_seen > HEAD_SECONDS

    def _is_body_late(self, body: BodyTimer, now: float) -> bool:
        if self.flow.read_paused or self.cycle.waiting_for_100_continue:
            # The client waits for the application.
            body.start_window(now)
            return False
        return body.is_late(now)

    def _start_asgi_task(self, cycle: RequestResponseCycle, app: ASGI3Application) -> None:
        answer = None if self.pipeline else self._immediate_response(cycle.scope)
        if answer is not None and write_response(cycle, 200, *answer):
            return
        # For a complete response; see `Edge`.
        cycle.scope["write_response"] = partial(write_response, cycle)  # type: ignore[typeddict-unknown-key]
        super()._start_asgi_task(cycle, app)

    def handle_websocket_upgrade(self) -> None:
        self._in_head = False
        self._body = None
        self._time_slicer.add(self._upgrade)

    def _upgrade(self) -> None:
        if not self.transport.is_closing():
            super().handle_websocket_upgrade()


# Copying a larger body behind its head takes longer than sending two buffers at once.
_COPIED_BYTES = 16 * 1024


def write_response(cycle: RequestResponseCycle, status: int, head: bytes, body: bytes) -> bool:
    """Write a complete response with one system call; uvicorn needs two and checks each header.

    Return False if the response needs flow control or closing, which uvicorn does.
    """
    unusual = cycle.flow.write_paused or cycle.disconnected or not cycle.keep_alive
    if unusual or cycle.response_started or cycle.scope["method"] == "HEAD":
        return False
    default_headers = [b"%b: %b\r\n" % each for each in cycle.default_headers]
    start = b"".join((STATUS_LINE[status], *default_headers, head))
    try:
        if len(body) > _COPIED_BYTES:
            cycle.transport.writelines((start, body))
        else:
            cycle.transport.write(start + body)
    except RuntimeError:
        # uvloop raises if the client has disconnected; uvicorn notices that later.
        return False
    cycle.response_started = cycle.response_complete = True
    cycle.waiting_for_100_continue = False
    cycle.message_event.set()
    cycle.on_response()
    return True


_REQUEST_TIMEOUT = b"HTTP/1.1 408 Request Timeout\r\nconnection: close\r\ncontent-length: 0\r\n\r\n"
