"""Run `quartet` with a clock on which one hour passes in a few minutes.

    python scripts/simulated_hour.py 240 serve --demo

The clock starts in the past, so that it shows the real time when the hour is over; then it runs
like every other. The hour begins with the signal SIGUSR1, when the demo is complete. Timestamps,
charts, rates and pauses all use this clock, because it takes the place of Python's before anything
else is loaded; the product has no code for it.
"""

import asyncio
import selectors
import signal
import sys
import time
from collections.abc import Callable, Coroutine
from contextlib import suppress
from typing import Any

HOUR = 3600.0
NANOSECONDS = 1_000_000_000

_real_time, _real_monotonic = time.time, time.monotonic


class Clock:
    """Stays behind the real time until the hour begins, and has caught up when it ends."""

    def __init__(self, hour_seconds: float, real: Callable[[], float] = _real_monotonic) -> None:
        self._real = real
        self._behind = HOUR - hour_seconds
        self._hour_seconds = hour_seconds
        self._begun = float("inf")

    def begin(self) -> None:
        self._begun = self._real()

    @property
    def speed(self) -> float:
        passed = self._real() - self._begun
        return HOUR / self._hour_seconds if 0 <= passed < self._hour_seconds else 1.0

    def late(self) -> float:
        """Return by how many seconds the clock is behind."""
        passed = max(0.0, self._real() - self._begun)
        return self._behind * max(0.0, 1 - passed / self._hour_seconds)

    def install(self) -> None:
        time.time = lambda: _real_time() - self.late()
        # Never behind: this clock starts at 0 with the machine and must not be negative.
        time.monotonic = lambda: _real_monotonic() + self._behind - self.late()
        time.time_ns = lambda: int(time.time() * NANOSECONDS)
        time.monotonic_ns = lambda: int(time.monotonic() * NANOSECONDS)


class Selector(selectors.DefaultSelector):
    """Waits in real time for what the event loop plans in simulated time."""

    def __init__(self, clock: Clock) -> None:
        super().__init__()
        self._clock = clock

    def select(self, timeout: float | None = None) -> Any:
        return super().select(timeout and timeout / self._clock.speed)


def use_loop(clock: Clock) -> None:
    """Use an event loop with this clock: uvloop asks the system for the time."""
    import uvicorn.loops.auto

    def loop() -> asyncio.AbstractEventLoop:
        return asyncio.SelectorEventLoop(Selector(clock))

    uvicorn.loops.auto.auto_loop_factory = lambda *_, **__: loop


class Engines:
    """Syncthing runs in real time: its limits and our patience with it are converted."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._running: list[Any] = []
        self._tasks: set[asyncio.Task[None]] = set()

    def install(self) -> None:
        from quartet.sync.engine import plan, service
        from quartet.sync.engine.rest import Rest

        device, start, request = plan._device, service.Engine.start, Rest.request

        def faster_device(*arguments: Any) -> dict[str, Any]:
            return {**device(*arguments), **self._rates(device(*arguments), self._clock.speed)}

        async def start_known(engine: Any, *arguments: Any) -> None:
            await start(engine, *arguments)
            self._running.append(engine)

        def patient_request(
            *arguments: Any, seconds: float = 60.0, **named: Any
        ) -> Coroutine[Any, Any, bytes]:
            return request(*arguments, seconds=seconds * HOUR, **named)

        plan._device = faster_device  # type: ignore[assignment]
        service.Engine.start = start_known  # type: ignore[method-assign,assignment]
        Rest.request = patient_request  # type: ignore[method-assign]

    @staticmethod
    def _rates(device: dict[str, Any], factor: float) -> dict[str, int]:
        names = ("maxSendKbps", "maxRecvKbps")
        return {name: round(device[name] * factor) for name in names if name in device}

    def change_speed(self, factor: float) -> None:
        task = asyncio.get_running_loop().create_task(self._change_speed(factor))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _change_speed(self, factor: float) -> None:
        from quartet.kernel.errors import AppError

        for engine in self._running:
            # The phone has only joined and is offline since then.
            with suppress(AppError):
                for device in await engine.rest.get(list[Any], "config/devices"):
                    rates = self._rates(device, factor)
                    if any(rates.values()):
                        path = f"config/devices/{device['deviceID']}"
                        await engine.rest.request("PATCH", path, rates)


def begin_on_signal(clock: Clock, engines: Engines, hour_seconds: float) -> None:
    """Begin the hour with SIGUSR1, as soon as the event loop runs."""
    from quartet.kernel import server

    serve = server.serve

    async def served(*arguments: Any, **named: Any) -> int:
        loop = asyncio.get_running_loop()

        def begin() -> None:
            factor = HOUR / hour_seconds
            clock.begin()
            engines.change_speed(factor)
            loop.call_later(HOUR, engines.change_speed, 1 / factor)

        loop.add_signal_handler(signal.SIGUSR1, begin)
        return await serve(*arguments, **named)

    server.serve = served


def main() -> None:
    hour_seconds = float(sys.argv.pop(1))
    clock = Clock(hour_seconds)
    clock.install()
    engines = Engines(clock)
    use_loop(clock)
    engines.install()
    begin_on_signal(clock, engines, hour_seconds)
    from quartet.cli import main as quartet

    quartet()


if __name__ == "__main__":
    main()
