"""One hub per service and process: publishes events, exchanges them with other processes, feeds
streams.
"""

import asyncio
import itertools
import logging
import secrets
from collections.abc import Callable
from contextlib import suppress
from typing import Self

from quartet.kernel.events.fanout import Fanout, Mailbox
from quartet.kernel.events.outbox import Outbox, split_lines
from quartet.kernel.events.transport import Transport
from quartet.kernel.events.types import (
    Event,
    Frame,
    Resync,
    encode_event,
    frame_from_wire,
    resync_frame,
)

log = logging.getLogger("quartet.events")

OUTBOX_LINES = 10_000
FIRST_RETRY = 0.25
LAST_RETRY = 10.0
FLUSH_SECONDS = 0.5

# Called with the subject of a signal; "" means that signals may have been lost.
Act = Callable[[str], object]


class EventHub:
    """Publishes and receives events.

    Without the backend, each process serves only its own listeners.
    """

    def __init__(self, backend: Transport, *, history: int = 1024, queue: int = 256) -> None:
        self._backend = backend.backend
        self._channel = backend.channel
        self._max_bytes = backend.max_bytes
        self._queue = queue
        self._origin = secrets.token_hex(4)
        self._numbers = itertools.count(1)
        self._fanout = Fanout(history, start=self._next_id())
        self._outbox = Outbox(OUTBOX_LINES, backend.max_bytes)
        self._online = False
        self._first_attempt = asyncio.Event()
        self._pump: asyncio.Task[None] | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._ended = asyncio.Event()
        self._signal_handlers: dict[str, list[Act]] = {}

    @property
    def closed(self) -> bool:
        return self._ended.is_set()

    def on(self, topic: str, act: Act) -> None:
        """Call `act` for every `Signal` of this topic; it must neither block nor fail."""
        self._signal_handlers.setdefault(topic, []).append(act)

    async def wait_closed(self) -> None:
        """Wait until the hub closes; for streams that must end with it."""
        await self._ended.wait()

    @property
    def streams(self) -> int:
        return len(self._fanout)

    async def start(self) -> None:
        """Connect to the backend; returns after the first attempt, successful or not."""
        self._loop = asyncio.get_running_loop()
        self._pump = asyncio.create_task(self._run(), name="events")
        await self._first_attempt.wait()

    def publish(self, event: Event) -> None:
        """Publish to the listeners of all processes; call this on the event loop."""
        frame = encode_event(self._next_id(), event)
        if not self._online:
            self._deliver(frame)
            return
        line = frame.to_wire()
        if self._outbox.full:
            self._outbox.clear()
            line = resync_frame(frame.id).to_wire()
        elif len(line) > self._max_bytes:
            line = resync_frame(frame.id).to_wire()
        self._outbox.put(line)

    def publish_locally(self, event: Event) -> None:
        """Publish to the listeners of this process only; call this on the event loop."""
        self._deliver(encode_event(self._next_id(), event))

    def publish_threadsafe(self, event: Event) -> None:
        """Publish from any thread; ignored while the event loop is not running."""
        if self._loop is not None:
            with suppress(RuntimeError):
                self._loop.call_soon_threadsafe(self.publish, event)

    def subscribe(self, last_event_id: str | None = None) -> "Subscription":
        return Subscription(self, self._fanout, self._queue, last_event_id)

    def close(self) -> None:
        """End all current and future streams."""
        self._ended.set()
        self._fanout.wake_all()

    async def stop(self) -> None:
        self.close()
        if self._pump is None:
            return
        # Send the remaining events to the other processes.
        with suppress(TimeoutError):
            await asyncio.wait_for(self._outbox.all_sent(), FLUSH_SECONDS)
        self._pump.cancel()
        await asyncio.wait([self._pump])
        self._pump = None
        self._online = False

    def _next_id(self) -> str:
        return f"{self._origin}-{next(self._numbers)}"

    async def _run(self) -> None:
        delay = FIRST_RETRY
        while True:
            try:
                await self._run_session()
            except Exception as error:  # noqa: BLE001 - whatever a client library raises
                if self._online:
                    delay = FIRST_RETRY
                    self._go_offline()
                log.warning("event backend lost, retrying in %g s: %s", delay, _first_line(error))
            self._first_attempt.set()
            await asyncio.sleep(delay)
            delay = min(delay * 2, LAST_RETRY)

    async def _run_session(self) -> None:
        try:
            await self._backend.on_startup()
            await self._backend.subscribe([self._channel])
            self._go_online()
            async with asyncio.TaskGroup() as both:
                both.create_task(self._receive())
                both.create_task(self._send())
        finally:
            # A backend that failed to start may also fail to stop.
            with suppress(Exception):
                await self._backend.on_shutdown()

    def _go_online(self) -> None:
        self._online = True
        if self._first_attempt.is_set():
            # Events may have been lost on both sides while the backend was unavailable.
            self.publish(Resync())
        self._first_attempt.set()

    def _go_offline(self) -> None:
        self._online = False
        self._outbox.clear()
        self.publish(Resync())

    async def _receive(self) -> None:
        async for _channel, message in self._backend.stream_events():
            for line in split_lines(message):
                self._deliver(frame_from_wire(line))

    def _deliver(self, frame: Frame) -> None:
        if (signal := frame.signal) is not None:
            for act in self._signal_handlers.get(signal.topic, ()):
                act(signal.about)
            return
        if frame.is_resync:
            # Signals may have been lost too.
            for act in [each for acts in self._signal_handlers.values() for each in acts]:
                act("")
        self._fanout.receive(frame)

    async def _send(self) -> None:
        while True:
            await self._backend.publish(await self._outbox.next_message(), [self._channel])
            self._outbox.message_sent()


class Subscription:
    """The frames for one listener, from entering the context until it exits or the hub closes."""

    def __init__(
        self, hub: EventHub, fanout: Fanout, queue: int, last_event_id: str | None
    ) -> None:
        self._hub = hub
        self._fanout = fanout
        self._wake = asyncio.Event()
        self._mailbox = Mailbox(queue, self._wake.set)
        self.last_event_id = last_event_id
        self._ended = False

    @property
    def closed(self) -> bool:
        return self._ended or self._hub.closed

    @property
    def position(self) -> str:
        """The id of the latest event, read or unread."""
        return self._fanout.position

    def end(self) -> None:
        """End this stream only."""
        self._ended = True
        self._wake.set()

    async def __aenter__(self) -> Self:
        self._fanout.attach(self._mailbox, self.last_event_id)
        return self

    async def __aexit__(self, *_error: object) -> None:
        self._fanout.detach(self._mailbox)

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> Frame:
        await self._wait(None)
        if self.closed:
            raise StopAsyncIteration
        return self._mailbox.take()

    async def batch(self, seconds: float | None = None) -> list[Frame]:
        """Return all waiting frames; none after `seconds` without events or if the hub closed."""
        await self._wait(seconds)
        return self._mailbox.take_all()

    async def _wait(self, seconds: float | None) -> None:
        if self._mailbox or self.closed:
            return
        self._wake.clear()
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._wake.wait()


def _first_line(error: BaseException) -> str:
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return next(iter(str(error).splitlines()), type(error).__name__)
