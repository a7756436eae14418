import asyncio
import time
from pathlib import Path
from stat import S_ISREG
from time import monotonic
from typing import Any

from quartet.kernel.service import Kernel
from quartet.media.probe import store
from quartet.media.probe.pool import ProbeFailed, ProbePool
from quartet.media.probe.store import FileKey
from quartet.media.probe.types import Probed

_CACHE_SECONDS = 365 * 24 * 3600
_RETRY_AFTER_SECONDS = 600.0


class Prober:
    """Reads media information from files, once per version of a file."""

    def __init__(self, kernel: Kernel[Any], pool: ProbePool | None = None) -> None:
        self._db = kernel.db
        self._pool = pool or ProbePool()
        # When files that could not be read may be tried again; a job asks repeatedly.
        self._failed_until: dict[FileKey, float] = {}

    async def probe(self, path: Path) -> Probed | None:
        """Return None if it is not a media file. The caller has checked access."""
        key = await asyncio.to_thread(_key, path)
        if key is None:
            return None
        known = await self._db.read(store.cached, key)
        if known:
            return known.facts
        if self._failed_recently(key):
            return None
        try:
            facts = await self._pool.read(path)
        except ProbeFailed:
            self._failed_until[key] = monotonic() + _RETRY_AFTER_SECONDS
            return None
        now = int(time.time())
        await self._db.write(
            lambda tx: store.save_probe(tx.conn, key, facts, now, now - _CACHE_SECONDS)
        )
        return facts

    async def cover(self, path: Path) -> bytes | None:
        """Return the picture embedded in a track. The caller has checked access."""
        try:
            return await self._pool.cover(path)
        except ProbeFailed:
            return None

    def _failed_recently(self, key: FileKey) -> bool:
        now = monotonic()
        self._failed_until = {
            one: until for one, until in self._failed_until.items() if until > now
        }
        return key in self._failed_until

    async def close_idle(self) -> None:
        await self._pool.close()


def _key(path: Path) -> FileKey | None:
    try:
        seen = path.stat()
    except OSError:
        return None
    if not S_ISREG(seen.st_mode):
        return None
    return FileKey(f"{seen.st_dev}:{seen.st_ino}", seen.st_size, seen.st_mtime_ns)
