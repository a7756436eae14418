import asyncio
import time
from pathlib import Path
from stat import S_ISREG
from time import monotonic
from typing import Any

from quartet.kernel.service import Kernel
from quartet.media.probe import store
from quartet.media.probe.pool import NoAnswer, Pool
from quartet.media.probe.store import FileKey
from quartet.media.probe.types import Probed

_KEPT_FOR = 365 * 24 * 3600
_SILENT_FOR = 600.0


class Prober:
    """What files say about themselves; each is read once, until it changes."""

    def __init__(self, kernel: Kernel[Any], pool: Pool | None = None) -> None:
        self._db = kernel.db
        self._pool = pool or Pool()
        # Until when files that gave no answer are left alone: a job asks often.
        self._silent: dict[FileKey, float] = {}

    async def probe(self, path: Path) -> Probed | None:
        """Nothing for what is no media file. The caller has checked that it may be read."""
        key = await asyncio.to_thread(_key, path)
        if key is None:
            return None
        known = await self._db.read(store.kept, key)
        if known:
            return known.facts
        if self._is_silent(key):
            return None
        try:
            facts = await self._pool.read(path)
        except NoAnswer:
            self._silent[key] = monotonic() + _SILENT_FOR
            return None
        now = int(time.time())
        await self._db.write(lambda tx: store.keep(tx.conn, key, facts, now, now - _KEPT_FOR))
        return facts

    def _is_silent(self, key: FileKey) -> bool:
        now = monotonic()
        self._silent = {one: until for one, until in self._silent.items() if until > now}
        return key in self._silent

    async def rest(self) -> None:
        await self._pool.close()


def _key(path: Path) -> FileKey | None:
    try:
        seen = path.stat()
    except OSError:
        return None
    if not S_ISREG(seen.st_mode):
        return None
    return FileKey(f"{seen.st_dev}:{seen.st_ino}", seen.st_size, seen.st_mtime_ns)
