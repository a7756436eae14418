import asyncio
import shutil
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Protocol

import msgspec

from quartet.downloads.options.schedule import is_paused, limit_at, paused_until
from quartet.downloads.options.service import OptionsService
from quartet.downloads.queue import store_stop
from quartet.downloads.settings import DownloadsSettings
from quartet.downloads.stats import store
from quartet.downloads.stats.types import PremiumTraffic, Stats, Storage
from quartet.kernel.service import Kernel


class ActiveDownloads(Protocol):
    @property
    def active(self) -> int: ...
    @property
    def speed(self) -> int: ...


class StatsService:
    def __init__(
        self,
        kernel: Kernel[DownloadsSettings],
        options: OptionsService,
        active: ActiveDownloads,
        premium: Callable[[], Awaitable[list[PremiumTraffic]]],
    ) -> None:
        self._db = kernel.db
        self._folders = {
            "tmp": kernel.settings.tmp_folder,
            "done": kernel.settings.done_folder,
        }
        self._options = options
        self._active = active
        self._premium = premium

    async def now(self) -> Stats:
        options = await self._options.current()
        # Without a zone, so that a change to summer time is part of its end.
        now = datetime.now()  # noqa: DTZ005
        midnight = datetime.now(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
        counts = await self._db.read(store.counts, int(midnight.timestamp() * 1000))
        return Stats(
            **msgspec.structs.asdict(counts),
            active=self._active.active,
            slots=options.max_parallel,
            connections_per_file=options.connections_per_file,
            speed=self._active.speed,
            speed_limit_kib=limit_at(options, now),
            paused_by_schedule=is_paused(options, now),
            paused_until=paused_until(options, now),
            stops_after=await self._db.read(store_stop.left),
            storage=await asyncio.to_thread(self._storage),
            premium=await self._premium(),
        )

    def _storage(self) -> list[Storage]:
        return [
            Storage(label, str(path), usage.total, usage.free)
            for label, path in self._folders.items()
            for usage in [shutil.disk_usage(_existing(path))]
        ]


def _existing(path: Path) -> Path:
    """Return the folder or its nearest existing parent; it is created by the first download."""
    path = path.absolute()
    return next(folder for folder in (path, *path.parents) if folder.exists())
