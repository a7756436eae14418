"""Files that the server fetches once for all devices."""

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable
from pathlib import Path

from quartet.kernel.errors import AppError
from quartet.sync.engine.download import Fetch

log = logging.getLogger("quartet.sync.distribution")

RETRY_SECONDS = 60.0


class RelayedFiles:
    def __init__(self, folder: Path, fetch: Fetch) -> None:
        self.fetch = fetch
        self._folder = folder
        # One download at a time, so that many new devices do not fetch the same file.
        self._fetching = asyncio.Lock()
        # When a download failed and why, by name. Anyone can request a download, so a failed one
        # is not repeated at once.
        self._failed: dict[str, tuple[float, AppError]] = {}

    def path(self, name: str) -> Path:
        return self._folder / name

    async def fetched(
        self, name: str, is_there: Callable[[], bool], fetch: Callable[[], Awaitable[bytes]]
    ) -> Path:
        """Return the file; store what `fetch` returns if it is not there."""
        path = self.path(name)
        async with self._fetching:
            if not await asyncio.to_thread(is_there):
                await self._store(path, fetch)
        return path

    async def _store(self, path: Path, fetch: Callable[[], Awaitable[bytes]]) -> None:
        failed_at, error = self._failed.get(path.name, (0.0, None))
        if error is not None and time.monotonic() < failed_at + RETRY_SECONDS:
            raise error
        try:
            content = await fetch()
        except AppError as error:
            self._failed[path.name] = time.monotonic(), error
            raise
        await asyncio.to_thread(_write, path, content)
        log.info("%s stored", path.name)


def _write(path: Path, content: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(f"{path.name}.part")
    part.write_bytes(content)
    part.replace(path)
