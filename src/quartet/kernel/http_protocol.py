"""One HTTP connection: what uvicorn makes of it, and what it would not do by itself."""

import time
from collections.abc import Callable, Mapping
from typing import Any

from uvicorn._types import ASGI3Application
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol, RequestResponseCycle

from quartet.kernel.time_slicer import TimeSlicer

MAX_HEAD_BYTES = 64 * 1024
HEAD_SECONDS = 30.0

# Headers and body of what an application can answer at once.
ImmediateResponse = Callable[[Mapping[str, Any]], tuple[bytes, bytes] | None]


class HttpProtocol(HttpToolsProtocol):
    """uvicorn lets the head of a request grow and take its time without end; this does not.

    And thousands of sockets that come back at once do not hold up what people ask.
    """

    # Also before anything has come.
    _in_head = True
    # With what came along with the head, which may be a whole body.
    _head_bytes = 0
    # When somebody first looked and found the head under way.
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
            self._refuse()

    def on_message_complete(self) -> None:
        # From here on whatever comes belongs to the next head.
        self._in_head = True
        super().on_message_complete()

    def on_headers_complete(self) -> None:
        if self._head_bytes > MAX_HEAD_BYTES and self._head_length() > MAX_HEAD_BYTES:
            raise ValueError("the head is too large")
        self._in_head = False
        self._head_bytes = 0
        self._head_seen = None
        super().on_headers_complete()

    def _head_length(self) -> int:
        return len(self.url) + sum(len(name) + len(value) for name, value in self.headers)

    def _refuse(self) -> None:
        if not self.transport.is_closing():
            self.send_400_response("Request head too large.")

    def let_go_if_silent(self) -> None:
        """Asked of all connections now and then: a timer for each request would cost more."""
        # An answer is under way, or uvicorn's own timer for the time between two requests.
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
        # Whoever has to wait for something takes the way through the application.
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
