"""Splits bursts of callbacks into short slices, so that other work on the event loop continues."""

import asyncio
import time
from collections import deque
from collections.abc import Callable

# Per loop iteration. The callbacks' follow-up work costs several times as much again.
SLICE_SECONDS = 0.0002


class TimeSlicer:
    def __init__(self) -> None:
        self._waiting: deque[Callable[[], None]] = deque()
        self._running = False

    def add(self, work: Callable[[], None]) -> None:
        """Queue a callback; call this on the event loop."""
        self._waiting.append(work)
        if not self._running:
            self._running = True
            asyncio.get_running_loop().call_soon(self._run)

    def _run(self) -> None:
        end = time.monotonic() + SLICE_SECONDS
        try:
            while self._waiting and time.monotonic() < end:
                self._waiting.popleft()()
        finally:
            self._running = bool(self._waiting)
            if self._running:
                asyncio.get_running_loop().call_soon(self._run)
