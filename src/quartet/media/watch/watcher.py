"""Watches one folder: waits until a release is complete and creates a job for it."""

import asyncio
import time
from typing import NamedTuple

from quartet.kernel.batches import in_batches
from quartet.kernel.db import Database
from quartet.media.jobs import store_items, store_seen_files
from quartet.media.jobs.records import JobRecord
from quartet.media.jobs.service import Jobs
from quartet.media.jobs.types import MOST_PATHS
from quartet.media.moves.service import Moves
from quartet.media.roots.allowed_folders import is_within
from quartet.media.roots.folder_access import FolderAccess
from quartet.media.roots.path_encoding import decode_path, encode_path
from quartet.media.roots.service import Folders
from quartet.media.watch.folder_scan import FileStamp, WatchedRelease, scan_releases
from quartet.media.watch.service import WatchFolders
from quartet.media.watch.types import WatchFolder

# Clocks of disks and machines differ slightly.
_TOLERANCE = 2.0


class WatchServices(NamedTuple):
    """The services a watcher uses."""

    db: Database
    folders: Folders
    moves: Moves
    jobs: Jobs
    watch_folders: WatchFolders


class Watcher:
    def __init__(self, services: WatchServices, folder: WatchFolder) -> None:
        self._services = services
        self._folder = folder
        self._path = decode_path(folder.path)
        # Since when each release is unchanged.
        self._waiting: dict[str, tuple[frozenset[FileStamp], float]] = {}
        self._submitted: dict[str, frozenset[FileStamp]] = {}

    async def check(self) -> bool:
        """Return True if a release is incomplete, so that it should be checked again soon."""
        access = await self._services.folders.access()
        found = await asyncio.to_thread(scan_releases, access, self._path, self._skipped(access))
        waits = [await self._check_release(release) for release in found]
        paths = {release.path for release in found}
        self._waiting = {key: one for key, one in self._waiting.items() if key in paths}
        self._submitted = {key: one for key, one in self._submitted.items() if key in paths}
        return any(waits)

    async def _check_release(self, release: WatchedRelease) -> bool:
        """Return True if the release is not complete yet."""
        if self._submitted.get(release.path) == release.files:
            return False
        now = time.monotonic()
        files, since = self._waiting.get(release.path, (None, now))
        if files != release.files:
            self._waiting[release.path] = release.files, now
            return True
        if release.growing or now - since < self._folder.stable_seconds:
            return True
        await self._submit(release)
        self._submitted[release.path] = release.files
        return False

    async def _submit(self, release: WatchedRelease) -> None:
        new = [encode_path(video.path) for video in await self._new_videos(release)]
        if not new:
            return
        if len(new) == len(release.videos):
            new = [encode_path(release.path)]
        await self._services.watch_folders.detected(self._folder.id, release.path)
        for some in in_batches(new, MOST_PATHS):
            await self._services.jobs.submit(
                JobRecord(
                    kind="watch",
                    paths=some,
                    config=self._folder.config,
                    watch_folder_id=self._folder.id,
                )
            )

    async def _new_videos(self, release: WatchedRelease) -> list[FileStamp]:
        """Return videos that arrived since the folder is watched and that no job has moved or
        handled.
        """
        since = self._folder.created_at / 1000 - _TOLERANCE
        videos = [one for one in release.videos if release.arrived[one.path] >= since]
        paths = [video.path for video in videos]
        known = await self._services.db.read(store_items.known_files, paths)
        known |= await self._services.db.read(store_seen_files.known_files, paths)
        return [
            video
            for video in videos
            if video not in known and await self._services.moves.original_source(video.path) is None
        ]

    def _skipped(self, access: FolderAccess) -> frozenset[str]:
        """Return libraries inside the watched folder; their files are already sorted."""
        libraries = [one.system_path for one in access.folders if one.kind != "folder"]
        libraries += [decode_path(one) for one in self._folder.targets.given]
        inside = [path for path in libraries if path != self._path and is_within(path, self._path)]
        return frozenset(inside)
