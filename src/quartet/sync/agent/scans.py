"""Scans folders for the server, which wants to know all of a change before its hub follows it."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress

from quartet.kernel.errors import AppError
from quartet.sync.engine import Engine
from quartet.sync.protocol import Inspect, Inspected, encode


class FolderScans:
    def __init__(self) -> None:
        self._engine: Engine | None = None
        # The last request for each folder of the engine.
        self._requested: dict[str, Inspect] = {}
        self._some_requested = asyncio.Event()

    def attach(self, engine: Engine) -> None:
        self._engine = engine

    def request(self, asked: Inspect) -> None:
        if self._engine is not None and asked.folder in self._engine.statuses:
            self._requested[asked.folder] = asked
            self._some_requested.set()

    async def run(self, send: Callable[[str], Awaitable[None]]) -> None:
        """Scan and answer until the connection ends."""
        while True:
            await self._some_requested.wait()
            self._some_requested.clear()
            while self._requested:
                asked = self._requested.pop(next(iter(self._requested)))
                await send(encode(await self._scan(asked)))

    async def _scan(self, asked: Inspect) -> Inspected:
        if self._engine is not None:
            # The folder may be paused or in error.
            with suppress(AppError):
                if asked.retry:
                    await self._engine.rescan(asked.folder)
                    return Inspected(asked.request)
                await self._engine.rest.scan(asked.folder)
                last = await self._engine.rest.last_change(asked.folder)
                return Inspected(asked.request, sequence=last)
        return Inspected(asked.request)
