"""Runs one or more applications in one process and shuts them down in order.

After the first SIGTERM or SIGINT, readiness fails and everything else continues for `drain`
seconds, so that a load balancer can switch over. Then live streams are closed, no connections are
accepted, running requests get a moment to finish, and each application shuts down. A second signal
exits immediately. SIGHUP means the same if the terminal was closed; without a terminal it asks for
the settings to be read again.
"""

import asyncio
import logging
import os
import signal
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from types import FrameType
from typing import Any

import uvicorn
from uvicorn.loops.auto import auto_loop_factory
from uvicorn.server import ServerState

from quartet.kernel.http_protocol import HttpProtocol, ImmediateResponse
from quartet.kernel.listener import Listener, cannot_listen
from quartet.kernel.process_tuning import limit_gc_pauses, return_freed_memory, trim_memory
from quartet.kernel.systemd import notify_systemd

log = logging.getLogger("quartet.server")

EXIT_OK = 0
EXIT_ADDRESS = 2  # cannot listen: address in use, not local, or invalid
EXIT_START = 3  # an application failed to start; the log has the reason
EXIT_STOP = 4  # an application failed to shut down; the log has the reason
EXIT_RELOAD = 5  # not an exit: the caller starts again with new settings
EXIT_SIGNAL = 128  # plus the number of the second signal

DRAIN_SECONDS = 1.0
CUT_SECONDS = 0.25
POLL_SECONDS = 0.005
TICK_SECONDS = 1.0
KEEP_ALIVE_SECONDS = 75
PING_SECONDS = 30.0
SILENCE_SECONDS = 90.0
MAX_MESSAGE_BYTES = 1024 * 1024


@dataclass(frozen=True)
class ServedApp:
    """An application and its listening address.

    A second address of the same application, or a helper application without its own lifespan, is
    another `ServedApp` with `lifespan=False`.
    """

    name: str
    app: Callable[..., Any]
    host: str = "127.0.0.1"
    port: int = 0
    before_stop: Callable[[], None] = lambda: None
    lifespan: bool = True
    immediate_response: ImmediateResponse = lambda _scope: None
    # Listens at this address already.
    listener: Listener | None = None


# Called when all applications listen, with the actual ports.
Ready = Callable[[Sequence[ServedApp]], None]
# Called on the event loop after SIGHUP; returns whether the process may start again.
Reload = Callable[[], bool]


class Stop:
    """Requests a shutdown; the first request sets the exit code, but each replaces a reload."""

    def __init__(self) -> None:
        self.asked = asyncio.Event()
        self.exit_code = EXIT_OK

    def request(self, exit_code: int = EXIT_OK) -> None:
        if not self.asked.is_set() or self.exit_code == EXIT_RELOAD:
            self.exit_code = exit_code
            self.asked.set()


def run(
    apps: Sequence[ServedApp],
    *,
    ready: Ready | None = None,
    stop: Stop | None = None,
    drain: float = 0,
    reload: Reload | None = None,
) -> int:
    """Serve until a stop is requested; return the exit code of the process."""
    return_freed_memory()
    with asyncio.Runner(loop_factory=auto_loop_factory()) as runner:
        return runner.run(serve(apps, ready=ready, stop=stop, drain=drain, reload=reload))


async def serve(
    apps: Sequence[ServedApp],
    *,
    ready: Ready | None = None,
    stop: Stop | None = None,
    drain: float = 0,
    reload: Reload | None = None,
) -> int:
    stop = stop or Stop()
    servers = [_Server(served) for served in apps]
    try:
        with _signals(stop, reload):
            try:
                for server in servers:
                    await server.bind()
                for server in servers:
                    await server.start()
                pauses = asyncio.create_task(limit_gc_pauses())
                notify_systemd("READY=1")
                if ready is not None:
                    ready([server.listening() for server in servers])
                await stop.asked.wait()
                pauses.cancel()
                await asyncio.sleep(drain)
            finally:
                notify_systemd("RELOADING=1" if stop.exit_code == EXIT_RELOAD else "STOPPING=1")
                await _stop(servers)
    except _CannotServe as error:
        sys.stderr.write(f"quartet: {error}\n")
        return error.exit_code
    return stop.exit_code


class _CannotServe(Exception):
    def __init__(self, exit_code: int, message: str) -> None:
        super().__init__(message)
        self.exit_code = exit_code


class _Server(uvicorn.Server):
    """One application. uvicorn does the start-up; `_stop` does the shutdown."""

    def __init__(self, served: ServedApp) -> None:
        config = uvicorn.Config(
            served.app,
            interface="asgi3",
            # Named, so that it is imported only when a server starts.
            ws="quartet.kernel.websocket_protocol:WebSocketProtocol",
            ws_max_size=MAX_MESSAGE_BYTES,
            # Messages are small, and there may be many listeners.
            ws_per_message_deflate=False,
            # Disconnect clients that sent nothing for 90 seconds, not even a pong.
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
        self.listener = served.listener or Listener()
        self._tick_task: asyncio.Task[None] | None = None

    def listening(self) -> ServedApp:
        return replace(self.served, port=self.listener.port)

    async def bind(self) -> None:
        """Bind before anything starts, so that a second process exits before it does harm."""
        if self.served.listener is not None:
            return
        try:
            await asyncio.to_thread(self.listener.listen, self.served.host, self.served.port)
        except (OSError, ValueError) as error:
            problem = cannot_listen(self.served.name, self.served.host, self.served.port, error)
            raise _CannotServe(EXIT_ADDRESS, str(problem)) from error

    async def start(self) -> None:
        self.config.load()
        self.lifespan = self.config.lifespan_class(self.config)
        try:
            # The listener owns the sockets.
            await self.startup(sockets=[])
        except SystemExit as error:
            raise _CannotServe(EXIT_START, f"{self.served.name} did not start") from error
        self.listener.open(self._connection)
        self._tick_task = asyncio.create_task(self._tick())

    def _connection(self) -> asyncio.Protocol:
        return HttpProtocol(
            self.served.immediate_response, self.config, self.server_state, self.lifespan.state
        )

    async def _tick(self) -> None:
        """Update the Date header every second; uvicorn's own loop would wake ten times a second."""
        while True:
            await self.on_tick(0)
            closed = [
                connection.close_if_late()
                for connection in list(self.server_state.connections)
                if isinstance(connection, HttpProtocol)
            ]
            await asyncio.sleep(TICK_SECONDS)
            if any(closed):
                # Their requests have ended by now and released what they had received.
                trim_memory()

    def stop_accepting(self) -> None:
        self.listener.close()
        for connection in list(self.server_state.connections):
            # A connection that is already closing may raise.
            with suppress(Exception):
                connection.shutdown()

    async def end(self) -> bool:
        if self._tick_task is not None:
            self._tick_task.cancel()
        if self.started:
            await self.lifespan.shutdown()
            return not self.lifespan.should_exit
        return True


async def _stop(servers: Sequence[_Server]) -> None:
    for server in servers:
        try:
            server.served.before_stop()
        except Exception:
            log.exception("%s: the before_stop hook failed", server.served.name)
    for server in servers:
        server.stop_accepting()
    await _drain(servers)
    failed = [server.served.name for server in reversed(servers) if not await server.end()]
    if failed:
        raise _CannotServe(EXIT_STOP, f"{', '.join(failed)} did not shut down cleanly")


async def _drain(servers: Sequence[_Server]) -> None:
    """Wait for running requests, then abort stalled connections, then cancel handlers."""
    states = [server.server_state for server in servers]
    if await _wait_until_idle(states, DRAIN_SECONDS):
        return
    for connection in [each for state in states for each in state.connections]:
        connection.transport.abort()
    if await _wait_until_idle(states, CUT_SECONDS):
        return
    tasks = [task for state in states for task in state.tasks]
    log.warning("cancelling %d requests that did not finish in time", len(tasks))
    for task in tasks:
        task.cancel()
    await _wait_until_idle(states, CUT_SECONDS)


async def _wait_until_idle(states: Sequence[ServerState], seconds: float) -> bool:
    deadline = time.monotonic() + seconds
    while any(state.connections or state.tasks for state in states):
        if time.monotonic() > deadline:
            return False
        await asyncio.sleep(POLL_SECONDS)
    return True


@contextmanager
def _signals(stop: Stop, reload: Reload | None) -> Iterator[None]:
    loop = asyncio.get_running_loop()
    seen: list[int] = []
    # Asked now, because a closed terminal is no longer recognised as one.
    terminal = sys.stdin is not None and sys.stdin.isatty()

    def handle(number: int, _frame: FrameType | None) -> None:
        if number == signal.SIGHUP and reload is not None and not terminal:
            loop.call_soon_threadsafe(_reload, stop, reload)
            return
        if seen:
            os._exit(EXIT_SIGNAL + number)
        seen.append(number)
        if stop.exit_code == EXIT_RELOAD:
            # It was about to start again.
            stop.exit_code = EXIT_OK
        loop.call_soon_threadsafe(stop.request, EXIT_OK)

    numbers = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
    before = {number: signal.signal(number, handle) for number in numbers}
    # Held back by `quartet serve` during the start, when it would end the process.
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGHUP})
    try:
        yield
    finally:
        if stop.exit_code == EXIT_RELOAD:
            signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGHUP})
        for number, handler in before.items():
            signal.signal(number, handler)


def _reload(stop: Stop, reload: Reload) -> None:
    if reload():
        stop.request(EXIT_RELOAD)
