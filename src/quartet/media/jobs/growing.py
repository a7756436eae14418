"""A download client may call before the last bytes are written."""

import asyncio
import time

from quartet.media.jobs.rows import JobRow
from quartet.media.jobs.scan import Scan
from quartet.media.moves.types import Cancelled
from quartet.media.roots.places import Places

_PAUSE = 1.0
_LONGEST = 60.0
# Changed longer ago than this, a file is taken for whole.
_QUIET = 3.0


async def grown(job: JobRow, places: Places, stop: Cancelled) -> None:
    """Waits a while for files that change at this moment; others are not waited for."""
    deadline = time.monotonic() + _LONGEST
    seen = await asyncio.to_thread(_sizes, job, places, stop)
    while _fresh(seen) and time.monotonic() < deadline and not stop():
        await asyncio.sleep(_PAUSE)
        now = await asyncio.to_thread(_sizes, job, places, stop)
        if now == seen:
            return
        seen = now


def _sizes(job: JobRow, places: Places, stop: Cancelled) -> set[tuple[str, int, int]]:
    found = Scan(places, job.config, job.id, set(), stop).items(job.paths)
    return {(item.source, item.size, item.mtime_ns) for item in found}


def _fresh(seen: set[tuple[str, int, int]]) -> bool:
    now = time.time()
    return any(0 <= now - mtime_ns / 1e9 < _QUIET for _, _, mtime_ns in seen)
