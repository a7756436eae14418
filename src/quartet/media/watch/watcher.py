"""Watches one folder: waits until releases are complete and creates jobs for them."""

import asyncio
import logging
import time
from collections.abc import Sequence
from typing import NamedTuple

from quartet.kernel.batches import in_batches
from quartet.kernel.db import Database
from quartet.media.jobs import store_items, store_seen_files
from quartet.media.jobs.records import JobRecord
from quartet.media.jobs.service import Jobs
from quartet.media.moves.service import Moves
from quartet.media.roots.allowed_folders import is_within
from quartet.media.roots.folder_access import FolderAccess
from quartet.media.roots.path_encoding import decode_path, encode_path
from quartet.media.roots.service import Folders
from quartet.media.watch.folder_scan import FileStamp, WatchedRelease, scan_releases
from quartet.media.watch.late_arrivals import find_late
from quartet.media.watch.service import WatchFolders
from quartet.media.watch.types import WatchFolder

log = logging.getLogger("quartet.media.watch")

# Clocks of disks and machines differ slightly.
_TOLERANCE = 2.0
# Up to this many releases get a job each, so that each can be undone on its own.
_FEW_RELEASES = 10
# The most paths of a job for more releases.
_GROUP_SIZE = 1000
# How long complete releases wait for others that arrive at the same time.
_GROUP_SECONDS = 60.0


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
        # When the first release that has no job yet was complete.
        self._complete_since: float | None = None

    async def check(self) -> bool:
        """Return True if a release is incomplete, so that it should be checked again soon."""
        access = await self._services.folders.access()
        found = await asyncio.to_thread(
            scan_releases, access, self._path, self._skipped(access), self._folder.config.tagged
        )
        paths = {release.path for release in found}
        self._waiting = {key: one for key, one in self._waiting.items() if key in paths}
        self._submitted = {key: one for key, one in self._submitted.items() if key in paths}
        now = time.monotonic()
        left = [one for one in found if self._submitted.get(one.path) != one.files]
        complete = [one for one in left if self._is_complete(one, now)]
        if not complete or self._waits_for_others(len(left) - len(complete), now):
            return bool(left)
        await self._submit(complete)
        self._complete_since = None
        self._submitted |= {one.path: one.files for one in complete}
        return len(complete) < len(left)

    def _is_complete(self, release: WatchedRelease, now: float) -> bool:
        files, since = self._waiting.get(release.path, (None, now))
        if files != release.files:
            self._waiting[release.path] = release.files, now
            return False
        return not release.growing and now - since >= self._folder.stable_seconds

    def _waits_for_others(self, incomplete: int, now: float) -> bool:
        """Return True while many releases arrive, so that they share jobs."""
        if self._complete_since is None:
            self._complete_since = now
        return incomplete > _FEW_RELEASES and now - self._complete_since < _GROUP_SECONDS

    async def _submit(self, releases: Sequence[WatchedRelease]) -> None:
        groups = [paths for paths in await self._new_paths(releases) if paths]
        if not groups:
            return
        last = decode_path(groups[-1][-1])
        await self._services.watch_folders.detected(self._folder.id, last)
        if len(groups) > _FEW_RELEASES:
            groups = [*in_batches([path for paths in groups for path in paths], _GROUP_SIZE)]
        log.info("watch folder %d: %d releases complete", self._folder.id, len(releases))
        for paths in groups:
            await self._services.jobs.submit(
                JobRecord(
                    kind="watch",
                    paths=paths,
                    config=self._folder.config,
                    watch_folder_id=self._folder.id,
                )
            )

    async def _new_paths(self, releases: Sequence[WatchedRelease]) -> list[list[str]]:
        """Return for each release its path if all of its videos are new, otherwise its new videos
        and the subtitles of videos that were filed before.
        """
        new = await self._new_files(releases)
        subtitles = {one for release in releases for one in release.subtitles}
        access = await self._services.folders.access()
        late = await find_late(self._services.db, access, new & subtitles)
        found = []
        for release in releases:
            videos = [encode_path(one.path) for one in release.videos if one in new]
            if videos and len(videos) == len(release.videos):
                found.append([encode_path(release.path)])
                continue
            follow = [encode_path(one.path) for one in release.subtitles if one in late]
            found.append(videos + follow)
        return found

    async def _new_files(self, releases: Sequence[WatchedRelease]) -> set[FileStamp]:
        """Return videos and subtitles that arrived since the folder is watched and that no job has
        moved or handled.
        """
        since = 0.0 if self._folder.existing else self._folder.created_at / 1000 - _TOLERANCE
        files = {
            one
            for release in releases
            for one in (*release.videos, *release.subtitles)
            if release.arrived[one.path] >= since
        }
        paths = sorted(one.path for one in files)
        known = await self._services.db.read(store_items.known_files, paths)
        known |= await self._services.db.read(store_seen_files.known_files, paths)
        moved = await self._services.moves.moved_targets(paths)
        return {one for one in files if one not in known and one.path not in moved}

    def _skipped(self, access: FolderAccess) -> frozenset[str]:
        """Return libraries inside the watched folder; their files are already sorted."""
        libraries = [one.system_path for one in access.folders if one.kind != "folder"]
        libraries += [decode_path(one) for one in self._folder.targets.given]
        inside = [path for path in libraries if path != self._path and is_within(path, self._path)]
        return frozenset(inside)
