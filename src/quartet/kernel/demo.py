"""Helpers for the demos of all services."""

import asyncio
import os
import secrets
import time
from collections.abc import Awaitable, Callable
from pathlib import Path

from quartet.kernel.supervisor import BackgroundTask

_PASSWORD_FILE = "demo-password"  # noqa: S105 - the name of a file
_FILLED_FILE = "demo-filled"
# For pictures and tests: the first hour of the demo then passes in this many seconds.
HOUR_VARIABLE = "QUARTET_DEMO_HOUR_SECONDS"
_HOUR = 3600.0


class DemoClock:
    """The clock of what happens in a demo; its first hour may pass faster."""

    def __init__(
        self, hour_seconds: float = _HOUR, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._speed = _HOUR / hour_seconds
        self._clock = clock
        self._fast_until = clock() + hour_seconds

    @property
    def speed(self) -> float:
        return self._speed if self._clock() < self._fast_until else 1.0

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds / self.speed)

    def every(
        self, seconds: float, run: Callable[[], Awaitable[None]], name: str
    ) -> BackgroundTask:
        """Return a task that runs after each pause of this length."""

        async def repeat() -> None:
            while True:
                await self.sleep(seconds)
                await run()

        return BackgroundTask(name, repeat)


def demo_clock() -> DemoClock:
    return DemoClock(float(os.environ.get(HOUR_VARIABLE, _HOUR)))


def demo_password(data: Path, set_password: Callable[[str], None]) -> str:
    """Return the demo password; generate and store it on the first start."""
    file = data / _PASSWORD_FILE
    if not file.exists():
        password = secrets.token_urlsafe(9)
        set_password(password)
        file.touch(mode=0o600)
        file.write_text(password)
    return file.read_text()


def demo_data_task(data: Path, fill: Callable[[], Awaitable[None]]) -> BackgroundTask:
    """Return a task that adds sample data once and never overwrites later changes."""
    filled = data / _FILLED_FILE

    async def run() -> None:
        if not filled.exists():
            await fill()
            filled.touch()

    return BackgroundTask("demo", run)
