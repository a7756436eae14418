import asyncio
import posixpath
from typing import Any

import msgspec

from quartet.kernel.db import Database
from quartet.kernel.errors import AppError
from quartet.kernel.service import Kernel
from quartet.media.hook.request_fields import Fields, hook_job
from quartet.media.hook.types import HookAnswer, HookJob
from quartet.media.jobs import store, store_items
from quartet.media.jobs.preview.scan import Scan
from quartet.media.jobs.records import JobRecord
from quartet.media.jobs.service import Jobs
from quartet.media.jobs.types import Job, JobConfig
from quartet.media.roots.folder_access import FolderAccess
from quartet.media.roots.path_encoding import decode_path
from quartet.media.roots.service import Folders
from quartet.media.watch.service import WatchFolders
from quartet.media.watch.types import WatchFolder


class Hook:
    """Jobs from download clients. Repeated calls return the existing job."""

    def __init__(
        self, kernel: Kernel[Any], folders: Folders, jobs: Jobs, watch_folders: WatchFolders
    ) -> None:
        self._db: Database = kernel.db
        self._folders = folders
        self._jobs = jobs
        self._watch_folders = watch_folders
        self._lock = asyncio.Lock()

    async def submit(self, fields: Fields) -> HookAnswer:
        given = hook_job(fields)
        async with self._lock:
            job = await self._submit(given)
        return HookAnswer(job.job_id, job.status, f"/rename?job={job.job_id}")

    async def _submit(self, given: HookJob) -> Job:
        path = self._map_to_local(given.path)
        access = await self._folders.access()
        # Check access first: errors must not reveal which files exist elsewhere.
        access.resolve(decode_path(path))
        folder = await self._watch_folder(given.watch_folder)
        config = await self._config(given, folder)
        watch_folder_id = folder.id if folder else None
        job = JobRecord(
            kind="hook",
            paths=[path],
            config=config,
            asked=_call_key(given, watch_folder_id),
            watch_folder_id=watch_folder_id,
        )
        if known := await self._existing_job(job, access):
            return await self._jobs.find(known.id)
        return await self._jobs.submit(job)

    def _map_to_local(self, path: str) -> str:
        map_path = self._folders.path_map.map_path(path)
        # `/a//b/` and `/a/b` are the same path; `..` is refused by `FolderAccess`.
        return map_path if ".." in map_path.split("/") else posixpath.normpath(map_path)

    async def _watch_folder(self, wanted: int | str | None) -> WatchFolder | None:
        return None if wanted is None else await self._watch_folders.find_by_id_or_name(wanted)

    async def _config(self, given: HookJob, folder: WatchFolder | None) -> JobConfig:
        config = folder.config if folder else JobConfig(action="move")
        changes: dict[str, Any] = {}
        if given.target is not None:
            changes["target"] = self._map_to_local(given.target)
        if given.threshold is not None:
            changes |= {"threshold": given.threshold, "review": False}
        if given.review:
            changes["review"] = True
        config = msgspec.structs.replace(config, **changes)
        bases = (await self._jobs.layouts.of(config)).bases
        if config.target is None and not any(bases.values()):
            raise AppError(400, "no_target_folder")
        return config

    async def _existing_job(self, new: JobRecord, access: FolderAccess) -> JobRecord | None:
        """Return the job from the same call that has these files or will find them."""
        latest = await self._db.read(store.latest_for, "hook", new.paths)
        if latest is None:
            return None
        job = await self._db.read(store.latest_for, "hook", new.paths, new.asked)
        if job and (_is_before_scan(job) or await self._jobs.request_rescan(job.id)):
            return job
        found = await asyncio.to_thread(_videos, new, access)
        if not found:
            # The files were moved away, so there is nothing left to do for any call.
            job = job or latest
        if job is None or job.status in ("failed", "cancelled", "undone"):
            return None
        known = await self._db.read(store_items.known_files, [one[0] for one in found])
        return job if set(found) <= known else None


def _call_key(given: HookJob, watch_folder_id: int | None) -> str:
    """Identify a call independently of its watch folder's current settings."""
    call = msgspec.structs.replace(given, path="", watch_folder=watch_folder_id)
    return msgspec.json.encode(call).decode()


def _is_before_scan(job: JobRecord) -> bool:
    """Return True if the job has not scanned its files yet."""
    return job.status == "pending" and job.begin == "scan"


def _videos(job: JobRecord, access: FolderAccess) -> list[tuple[str, int, int]]:
    """Return the files of a job; empty if the path is gone, for example because they were moved.

    Blocks.
    """
    try:
        found = list(Scan(access, job.config, 0, set(), lambda: False).items(job.paths))
    except AppError as error:
        if error.code == "not_found":
            return []
        raise
    return [(item.source, item.size, item.mtime_ns) for item in found]
