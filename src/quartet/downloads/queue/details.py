"""Everything about one download."""

import asyncio
from collections.abc import Sequence
from pathlib import Path

import msgspec

from quartet.downloads.packages.service import fits
from quartet.downloads.queue import store_attempts as store
from quartet.downloads.queue.fetching import Fetching
from quartet.downloads.queue.finishing import part_path
from quartet.downloads.queue.types import DownloadDetails, SegmentShown
from quartet.downloads.transfer import Snapshot, saved_spans
from quartet.kernel.db import Database
from quartet.kernel.errors import AppError


class Details:
    def __init__(self, db: Database, fetching: Fetching, tmp: Path) -> None:
        self._db = db
        self._fetching = fetching
        self._tmp = tmp

    async def of(self, id: int) -> DownloadDetails:
        found = await self._db.read(store.download, fits(id))
        if found is None:
            raise AppError(404, "not_found", id=id)
        download, hash_value = found
        running = self._fetching.snapshots().get(id)
        if running:
            download = msgspec.structs.replace(download, bytes_done=running.bytes_done)
        return DownloadDetails(
            download=download,
            hash_value=hash_value,
            connections=running.connections if running else 0,
            segments=await self._segments(id, running),
            attempts=await self._db.read(store.of_download, id),
        )

    async def _segments(self, id: int, running: Snapshot | None) -> list[SegmentShown]:
        """From memory while it runs; what a download that waits would go on with, from the disk."""
        spans: Sequence[tuple[int, int, int | None]]
        if running:
            spans = running.segments
        else:
            spans = await asyncio.to_thread(saved_spans, part_path(self._tmp, id))
        return [SegmentShown(start, end, position - start) for start, position, end in spans]
