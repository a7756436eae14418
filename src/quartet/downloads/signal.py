import asyncio
import threading
from contextlib import suppress


class Signal:
    """Wakes one waiting loop from any thread; a call without a waiter takes effect later."""

    def __init__(self) -> None:
        self._event = asyncio.Event()
        self._loop: asyncio.AbstractEventLoop | None = None
        # The thread of the loop.
        self._thread = 0

    def set(self) -> None:
        if self._loop is None or self._thread == threading.get_ident():
            self._event.set()
            return
        # The event loop was closed.
        with suppress(RuntimeError):
            self._loop.call_soon_threadsafe(self._event.set)

    async def wait(self, seconds: float | None = None) -> None:
        """Wait for a call of `set` since the last return, or for this time."""
        self._loop = asyncio.get_running_loop()
        self._thread = threading.get_ident()
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._event.wait()
        self._event.clear()
