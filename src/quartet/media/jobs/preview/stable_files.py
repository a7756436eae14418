"""Waits for files that are still being written."""

import asyncio
import time

from quartet.media.jobs.preview.scan import Scan
from quartet.media.jobs.records import JobRecord
from quartet.media.moves.types import IsCancelled
from quartet.media.roots.folder_access import FolderAccess

_POLL_SECONDS = 1.0
_MAX_SECONDS = 60.0
# A file that has not changed for this long is considered complete.
_STABLE_SECONDS = 3.0


async def wait_until_stable(job: JobRecord, access: FolderAccess, stop: IsCancelled) -> None:
    """Wait for files that are changing now.

    A download client may call before the last bytes are written.
    """
    deadline = time.monotonic() + _MAX_SECONDS
    seen = await asyncio.to_thread(_sizes, job, access, stop)
    while _recently_changed(seen) and time.monotonic() < deadline and not stop():
        await asyncio.sleep(_POLL_SECONDS)
        now = await asyncio.to_thread(_sizes, job, access, stop)
        if now == seen:
            return
        seen = now


def _sizes(job: JobRecord, access: FolderAccess, stop: IsCancelled) -> set[tuple[str, int, int]]:
    found = Scan(access, job.config, job.id, set(), stop).items(job.paths)
    return {(item.source, item.size, item.mtime_ns) for item in found}


def _recently_changed(seen: set[tuple[str, int, int]]) -> bool:
    now = time.time()
    return any(0 <= now - mtime_ns / 1e9 < _STABLE_SECONDS for _, _, mtime_ns in seen)
