"""Jobs of the last weeks, so that the charts of the demo have something to show."""

import asyncio
from pathlib import Path

from quartet.kernel.clock import now_ms
from quartet.kernel.db import Database, Tx
from quartet.media.demo import store
from quartet.media.demo.releases import releases, write_release
from quartet.media.demo.sample_jobs import run_job
from quartet.media.jobs.service import Jobs
from quartet.media.roots.service import LIBRARIES, Folders
from quartet.media.statistics import store as statistics
from quartet.media.statistics.store import DAY_MS, Size

# How many files each week had, oldest first, and how many days ago it was.
_WEEKS = ((72, 6), (64, 11), (58, 5), (45, 14), (37, 9), (30, 17), (23, 7), (16, 13), (9, 10))
PAST_FILES = sum(files for _, files in _WEEKS)


async def fill_past_weeks(db: Database, jobs: Jobs, folders: Folders, arrived: Path) -> None:
    waiting = list(releases())
    for days, files in _WEEKS:
        at_ms = now_ms() - days * DAY_MS
        written = [write_release(arrived, waiting.pop(0)) for _ in range(files)]
        job_id = await run_job(jobs, written)
        await db.write(_move_into_past, job_id, at_ms)
        await _store_sizes(db, folders, at_ms // DAY_MS)


def _move_into_past(tx: Tx, job_id: int, at_ms: int) -> None:
    store.move_into_past(tx.conn, job_id, at_ms)


async def _store_sizes(db: Database, folders: Folders, day: int) -> None:
    libraries = [each for each in await folders.all() if each.kind in LIBRARIES]
    found = [(each.id, await asyncio.to_thread(_sizes, Path(each.path))) for each in libraries]
    sizes = [Size(id, day, len(files), sum(files)) for id, files in found]

    await db.write(_put_sizes, sizes)


def _put_sizes(tx: Tx, sizes: list[Size]) -> None:
    statistics.put_sizes(tx.conn, sizes)


def _sizes(folder: Path) -> list[int]:
    return [path.stat().st_size for path in folder.rglob("*") if path.is_file()]
