import asyncio
import posixpath
from typing import Any

import msgspec

from quartet.kernel.db import Database
from quartet.kernel.errors import AppError
from quartet.kernel.service import Kernel
from quartet.media.hook.reading import Fields, hook_job
from quartet.media.hook.types import HookAnswer, HookJob
from quartet.media.jobs import item_store, store
from quartet.media.jobs.rows import JobRow
from quartet.media.jobs.scan import Scan
from quartet.media.jobs.service import Jobs
from quartet.media.jobs.types import Job, JobConfig
from quartet.media.roots.places import Places
from quartet.media.roots.service import Folders
from quartet.media.roots.texts import path_of
from quartet.media.watch.service import WatchFolders
from quartet.media.watch.types import WatchFolder


class Hook:
    """Jobs of download clients. They call more than once, and that must not matter."""

    def __init__(
        self, kernel: Kernel[Any], folders: Folders, jobs: Jobs, watch_folders: WatchFolders
    ) -> None:
        self._db: Database = kernel.db
        self._folders = folders
        self._jobs = jobs
        self._watch_folders = watch_folders
        self._turn = asyncio.Lock()

    async def submit(self, fields: Fields) -> HookAnswer:
        given = hook_job(fields)
        async with self._turn:
            job = await self._submit(given)
        return HookAnswer(job.job_id, job.status, f"/jobs/{job.job_id}")

    async def _submit(self, given: HookJob) -> Job:
        path = self._ours(given.path)
        places = await self._folders.places()
        # Before anything else: nobody learns what exists elsewhere.
        places.spot(path_of(path))
        folder = await self._watch_folder(given.watch_folder)
        config = await self._config(given, folder)
        watch_folder_id = folder.id if folder else None
        job = JobRow(
            kind="hook",
            paths=[path],
            config=config,
            asked=_asked(given, watch_folder_id),
            watch_folder_id=watch_folder_id,
        )
        if known := await self._same(job, places):
            return await self._jobs.find(known.id)
        return await self._jobs.submit(job)

    def _ours(self, path: str) -> str:
        mapped = self._folders.path_map.mapped(path)
        # `/a//b/` and `/a/b` are one path; `..` is left for the gate to refuse.
        return mapped if ".." in mapped.split("/") else posixpath.normpath(mapped)

    async def _watch_folder(self, wanted: int | str | None) -> WatchFolder | None:
        return None if wanted is None else await self._watch_folders.named(wanted)

    async def _config(self, given: HookJob, folder: WatchFolder | None) -> JobConfig:
        config = folder.config if folder else JobConfig(action="move")
        changes: dict[str, Any] = {}
        if given.target is not None:
            changes["target"] = self._ours(given.target)
        if given.threshold is not None:
            changes |= {"threshold": given.threshold, "review": False}
        if given.review:
            changes["review"] = True
        config = msgspec.structs.replace(config, **changes)
        bases = (await self._jobs.layouts.of(config)).bases
        if config.target is None and not any(bases.values()):
            raise AppError(400, "no_target_folder")
        return config

    async def _same(self, new: JobRow, places: Places) -> JobRow | None:
        """The job that has these files already, or will find them, and was asked for the same."""
        latest = await self._db.read(store.latest_for, "hook", new.paths)
        if latest is None:
            return None
        job = await self._db.read(store.latest_for, "hook", new.paths, new.asked)
        if job and (_is_ahead(job) or await self._jobs.looks_again(job.id)):
            return job
        found = await asyncio.to_thread(_videos, new, places)
        if not found:
            # Moved away: whatever is wished for now, there is nothing left to do.
            job = job or latest
        if job is None or job.status in ("failed", "cancelled", "undone"):
            return None
        known = await self._db.read(item_store.known, [one[0] for one in found])
        return job if set(found) <= known else None


def _asked(given: HookJob, watch_folder_id: int | None) -> str:
    """A call is the same one although the options of its watch folder have changed since."""
    wishes = msgspec.structs.replace(given, path="", watch_folder=watch_folder_id)
    return msgspec.json.encode(wishes).decode()


def _is_ahead(job: JobRow) -> bool:
    """Whether it has not looked for its files yet."""
    return job.status == "pending" and job.begin == "scan"


def _videos(job: JobRow, places: Places) -> list[tuple[str, int, int]]:
    """Blocks; nothing where the path is gone, for instance because the job moved it."""
    try:
        found = list(Scan(places, job.config, 0, set(), lambda: False).items(job.paths))
    except AppError as error:
        if error.code == "not_found":
            return []
        raise
    return [(item.source, item.size, item.mtime_ns) for item in found]
