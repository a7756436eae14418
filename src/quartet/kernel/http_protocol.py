"""uvicorn's HTTP protocol with limits on request heads."""

import time
from collections.abc import Callable, Mapping
from typing import Any

from uvicorn._types import ASGI3Application
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol, RequestResponseCycle

from quartet.kernel.time_slicer import TimeSlicer

MAX_HEAD_BYTES = 64 * 1024
HEAD_SECONDS = 30.0

# Returns headers and body of a response that is available without waiting.
ImmediateResponse = Callable[[Mapping[str, Any]], tuple[bytes, bytes] | None]


class HttpProtocol(HttpToolsProtocol):
    """Limits the size and duration of request heads, which uvicorn does not.

    WebSocket upgrades are time-sliced, so that thousands of reconnecting clients do not block other
    requests.
    """

    # True also before the first byte.
    _in_head = True
    # Includes bytes received together with the head, possibly a whole body.
    _head_bytes = 0
    # When the periodic check first saw the incomplete head.
    _head_seen: float | None = None
    _turns = TimeSlicer()

    def __init__(self, immediate_response: ImmediateResponse, *state: Any) -> None:
        super().__init__(*state)
        self._at_hand = immediate_response

    def data_received(self, data: bytes) -> None:
        if self._in_head:
            self._head_bytes += len(data)
        super().data_received(data)
        if self._in_head and self._head_bytes > MAX_HEAD_BYTES:
            self._reject()

    def on_message_complete(self) -> None:
        # The following bytes belong to the next head.
        self._in_head = True
        super().on_message_complete()

    def on_headers_complete(self) -> None:
        if self._head_bytes > MAX_HEAD_BYTES and self._head_length() > MAX_HEAD_BYTES:
            raise ValueError("request head too large")
        self._in_head = False
        self._head_bytes = 0
        self._head_seen = None
        super().on_headers_complete()

    def _head_length(self) -> int:
        return len(self.url) + sum(len(name) + len(value) for name, value in self.headers)

    def _reject(self) -> None:
        if not self.transport.is_closing():
            self.send_400_response("Request head too large.")

    def close_if_head_is_late(self) -> None:
        """Close the connection if its request head takes too long.

        Called periodically for all connections; a timer per request would cost more.
        """
        # A response is in progress, or uvicorn's keep-alive timer is running.
        cycle: RequestResponseCycle | None = self.cycle
        busy = cycle is not None and not cycle.response_complete
        if not self._in_head or busy or self.timeout_keep_alive_task is not None:
            return
        now = time.monotonic()
        if self._head_seen is None:
            self._head_seen = now
        elif now - self._head_seen > HEAD_SECONDS:
            self.transport.close()

    def _start_asgi_task(self, cycle: RequestResponseCycle, app: ASGI3Application) -> None:
        # These cases need flow control or closing, so they take the normal route.
        if self.pipeline or self.flow.write_paused or not cycle.keep_alive:
            answer = None
        else:
            answer = self._at_hand(cycle.scope)
        if answer is None:
            super()._start_asgi_task(cycle, app)
            return
        ours = b"".join(b"%b: %b\r\n" % each for each in cycle.default_headers)
        self.transport.writelines((b"HTTP/1.1 200 OK\r\n", ours, *answer))
        cycle.response_started = cycle.response_complete = True
        cycle.on_response()

    def handle_websocket_upgrade(self) -> None:
        self._in_head = False
        self._turns.add(self._upgrade)

    def _upgrade(self) -> None:
        if not self.transport.is_closing():
            super().handle_websocket_upgrade()
