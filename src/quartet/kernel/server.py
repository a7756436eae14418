"""Runs one or several applications in one process and ends them in order.

At the first SIGTERM or SIGINT readiness ends, and for `drain` seconds all else goes on, so that a
load balancer looks elsewhere first. Then live streams are closed, no more connections are accepted,
requests may finish for a moment, and each application shuts down. A second signal ends it on the
spot.
"""

import asyncio
import logging
import os
import signal
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from types import FrameType
from typing import Any

import uvicorn
from uvicorn._types import ASGI3Application
from uvicorn.loops.auto import auto_loop_factory
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol, RequestResponseCycle
from uvicorn.server import ServerState

from quartet.kernel.listening import Listener
from quartet.kernel.memory import give_back_large_blocks
from quartet.kernel.pauses import keep_short
from quartet.kernel.systemd import notify_systemd
from quartet.kernel.turns import Turns

log = logging.getLogger("quartet.server")

EXIT_OK = 0
EXIT_ADDRESS = 2  # cannot listen there: in use, not ours, or no address at all
EXIT_START = 3  # an application did not start; the log says why
EXIT_STOP = 4  # an application did not shut down as it should; the log says why
EXIT_SIGNAL = 128  # plus the number of the signal that came second

DRAIN_SECONDS = 1.0
CUT_SECONDS = 0.25
POLL_SECONDS = 0.005
KEEP_ALIVE_SECONDS = 75
PING_SECONDS = 30.0
SILENCE_SECONDS = 90.0
MAX_HEAD_BYTES = 64 * 1024
MAX_MESSAGE_BYTES = 1024 * 1024

# Headers and body of what an application can answer at once.
AtHand = Callable[[Mapping[str, Any]], tuple[bytes, bytes] | None]


@dataclass(frozen=True)
class Served:
    """An application and where it listens.

    A second address of the same application, or a small one beside it that lives and dies with
    it, is one more `Served` with `lifespan=False`.
    """

    name: str
    app: Callable[..., Any]
    host: str = "127.0.0.1"
    port: int = 0
    before_stop: Callable[[], None] = lambda: None
    lifespan: bool = True
    at_hand: AtHand = lambda _scope: None


# Called when all listen, with the ports that were really taken.
Ready = Callable[[Sequence[Served]], None]


class Stop:
    """Asks the server to end; the first one to ask decides the exit code."""

    def __init__(self) -> None:
        self.asked = asyncio.Event()
        self.exit_code = EXIT_OK

    def request(self, exit_code: int = EXIT_OK) -> None:
        if not self.asked.is_set():
            self.exit_code = exit_code
            self.asked.set()


def run(
    apps: Sequence[Served],
    *,
    ready: Ready | None = None,
    stop: Stop | None = None,
    drain: float = 0,
) -> int:
    """Serves until it is told to stop; the result is the exit code of the process."""
    give_back_large_blocks()
    with asyncio.Runner(loop_factory=auto_loop_factory()) as runner:
        return runner.run(serve(apps, ready=ready, stop=stop, drain=drain))


async def serve(
    apps: Sequence[Served],
    *,
    ready: Ready | None = None,
    stop: Stop | None = None,
    drain: float = 0,
) -> int:
    stop = stop or Stop()
    servers = [_Server(served) for served in apps]
    try:
        with _signals(stop):
            try:
                for server in servers:
                    await server.bind()
                for server in servers:
                    await server.begin()
                pauses = asyncio.create_task(keep_short())
                notify_systemd("READY=1")
                if ready is not None:
                    ready([server.listening() for server in servers])
                await stop.asked.wait()
                pauses.cancel()
                await asyncio.sleep(drain)
            finally:
                notify_systemd("STOPPING=1")
                await _stop(servers)
    except _CannotServe as error:
        sys.stderr.write(f"quartet: {error}\n")
        return error.exit_code
    return stop.exit_code


class _CannotServe(Exception):
    def __init__(self, exit_code: int, message: str) -> None:
        super().__init__(message)
        self.exit_code = exit_code


class _Protocol(HttpToolsProtocol):
    """uvicorn lets the head of a request grow without end; this does not.

    And thousands of sockets that come back at once do not hold up what people ask.
    """

    _in_head = True
    _head_bytes = 0
    _turns = Turns()

    def __init__(self, at_hand: AtHand, *state: Any) -> None:
        super().__init__(*state)
        self._at_hand = at_hand

    def data_received(self, data: bytes) -> None:
        if self._in_head:
            self._head_bytes += len(data)
            if self._head_bytes > MAX_HEAD_BYTES:
                self.send_400_response("Request head too large.")
                return
        super().data_received(data)

    def on_message_begin(self) -> None:
        self._in_head = True
        super().on_message_begin()

    def on_headers_complete(self) -> None:
        self._in_head = False
        self._head_bytes = 0
        super().on_headers_complete()

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
        self._turns.add(self._upgrade)

    def _upgrade(self) -> None:
        if not self.transport.is_closing():
            super().handle_websocket_upgrade()


class _Server(uvicorn.Server):
    """One application. Starting is uvicorn's, stopping is ours: see `_stop`."""

    def __init__(self, served: Served) -> None:
        config = uvicorn.Config(
            served.app,
            interface="asgi3",
            ws="websockets-sansio",
            ws_max_size=MAX_MESSAGE_BYTES,
            # Messages are small and listeners may be many.
            ws_per_message_deflate=False,
            # Who has said nothing for 90 seconds, not even a pong, is gone.
            ws_ping_interval=PING_SECONDS,
            ws_ping_timeout=SILENCE_SECONDS - PING_SECONDS,
            lifespan="on" if served.lifespan else "off",
            log_config=None,
            access_log=False,
            server_header=False,
            proxy_headers=False,
            timeout_keep_alive=KEEP_ALIVE_SECONDS,
        )
        super().__init__(config)
        self.served = served
        self.listener = Listener()
        self._ticks: asyncio.Task[None] | None = None

    def listening(self) -> Served:
        return replace(self.served, port=self.listener.port)

    async def bind(self) -> None:
        """Done before anything starts, so that a second process ends before it does harm."""
        try:
            await self.listener.bind(self.served.host, self.served.port)
        except (OSError, ValueError) as error:
            # Python adds the address to the words of the system; we say it ourselves.
            number = getattr(error, "errno", None) or 0
            reason = os.strerror(number) if number > 0 else str(error)
            where = f"{self.served.name} cannot listen on {self.served.host}:{self.served.port}"
            raise _CannotServe(EXIT_ADDRESS, f"{where}: {reason}") from error

    async def begin(self) -> None:
        self.config.load()
        self.lifespan = self.config.lifespan_class(self.config)
        try:
            # The sockets are ours.
            await self.startup(sockets=[])
        except SystemExit as error:
            raise _CannotServe(EXIT_START, f"{self.served.name} did not start") from error
        self.listener.open(self._connection)
        self._ticks = asyncio.create_task(self._tick())

    def _connection(self) -> asyncio.Protocol:
        return _Protocol(self.served.at_hand, self.config, self.server_state, self.lifespan.state)

    async def _tick(self) -> None:
        """Keeps the Date header right; uvicorn's own loop would wake ten times a second."""
        while True:
            await self.on_tick(0)
            await asyncio.sleep(1)

    def stop_accepting(self) -> None:
        self.listener.close()
        for connection in list(self.server_state.connections):
            # One that is about to close by itself may complain.
            with suppress(Exception):
                connection.shutdown()

    async def end(self) -> bool:
        if self._ticks is not None:
            self._ticks.cancel()
        if self.started:
            await self.lifespan.shutdown()
            return not self.lifespan.should_exit
        return True


async def _stop(servers: Sequence[_Server]) -> None:
    for server in servers:
        try:
            server.served.before_stop()
        except Exception:
            log.exception("%s: what comes before the stop failed", server.served.name)
    for server in servers:
        server.stop_accepting()
    await _drain(servers)
    failed = [server.served.name for server in reversed(servers) if not await server.end()]
    if failed:
        raise _CannotServe(EXIT_STOP, f"{', '.join(failed)} did not shut down as it should")


async def _drain(servers: Sequence[_Server]) -> None:
    """Requests may finish; then connections nobody reads from are cut, then handlers cancelled."""
    states = [server.server_state for server in servers]
    if await _quiet(states, DRAIN_SECONDS):
        return
    for connection in [each for state in states for each in state.connections]:
        connection.transport.abort()
    if await _quiet(states, CUT_SECONDS):
        return
    tasks = [task for state in states for task in state.tasks]
    log.warning("%d requests did not end in time and are cancelled", len(tasks))
    for task in tasks:
        task.cancel()
    await _quiet(states, CUT_SECONDS)


async def _quiet(states: Sequence[ServerState], seconds: float) -> bool:
    deadline = time.monotonic() + seconds
    while any(state.connections or state.tasks for state in states):
        if time.monotonic() > deadline:
            return False
        await asyncio.sleep(POLL_SECONDS)
    return True


@contextmanager
def _signals(stop: Stop) -> Iterator[None]:
    loop = asyncio.get_running_loop()
    seen: list[int] = []

    def handle(number: int, _frame: FrameType | None) -> None:
        if seen:
            os._exit(EXIT_SIGNAL + number)
        seen.append(number)
        loop.call_soon_threadsafe(stop.request)

    before = {number: signal.signal(number, handle) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
