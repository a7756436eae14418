"""One watched folder: waits until a release is whole, and makes one job of it."""

import asyncio
import time
from typing import NamedTuple

from quartet.kernel.batches import in_batches
from quartet.kernel.db import Database
from quartet.media.jobs import item_store, seen_store
from quartet.media.jobs.rows import JobRow
from quartet.media.jobs.service import Jobs
from quartet.media.jobs.types import MOST_PATHS
from quartet.media.moves.service import Moves
from quartet.media.roots.allowed import is_within
from quartet.media.roots.places import Places
from quartet.media.roots.service import Folders
from quartet.media.roots.texts import path_of, path_text
from quartet.media.watch.looking import Release, Seen, releases
from quartet.media.watch.service import WatchFolders
from quartet.media.watch.types import WatchFolder

# Clocks of disks and machines differ a little.
_TOLERANCE = 2.0


class Rooms(NamedTuple):
    """What a watcher needs of others."""

    db: Database
    folders: Folders
    moves: Moves
    jobs: Jobs
    watch_folders: WatchFolders


class Watcher:
    def __init__(self, rooms: Rooms, folder: WatchFolder) -> None:
        self._rooms = rooms
        self._folder = folder
        self._path = path_of(folder.path)
        # Since when a release has been as it is.
        self._waiting: dict[str, tuple[frozenset[Seen], float]] = {}
        self._settled: dict[str, frozenset[Seen]] = {}

    async def look(self) -> bool:
        """Whether something is not whole yet, so that it is worth looking again soon."""
        places = await self._rooms.folders.places()
        found = await asyncio.to_thread(releases, places, self._path, self._skipped(places))
        waits = [await self._judge(release) for release in found]
        paths = {release.path for release in found}
        self._waiting = {key: one for key, one in self._waiting.items() if key in paths}
        self._settled = {key: one for key, one in self._settled.items() if key in paths}
        return any(waits)

    async def _judge(self, release: Release) -> bool:
        """Whether it has to be waited for."""
        if self._settled.get(release.path) == release.files:
            return False
        now = time.monotonic()
        files, since = self._waiting.get(release.path, (None, now))
        if files != release.files:
            self._waiting[release.path] = release.files, now
            return True
        if release.growing or now - since < self._folder.stable_seconds:
            return True
        await self._submit(release)
        self._settled[release.path] = release.files
        return False

    async def _submit(self, release: Release) -> None:
        new = [path_text(video.path) for video in await self._new(release)]
        if not new:
            return
        if len(new) == len(release.videos):
            new = [path_text(release.path)]
        await self._rooms.watch_folders.detected(self._folder.id, release.path)
        for some in in_batches(new, MOST_PATHS):
            await self._rooms.jobs.submit(
                JobRow(
                    kind="watch",
                    paths=some,
                    config=self._folder.config,
                    watch_folder_id=self._folder.id,
                )
            )

    async def _new(self, release: Release) -> list[Seen]:
        """Came since the folder is watched, no job has had it, and it is not our own work."""
        since = self._folder.created_at / 1000 - _TOLERANCE
        videos = [one for one in release.videos if release.arrived[one.path] >= since]
        paths = [video.path for video in videos]
        known = await self._rooms.db.read(item_store.known, paths)
        known |= await self._rooms.db.read(seen_store.known, paths)
        return [
            video
            for video in videos
            if video not in known and await self._rooms.moves.came_from(video.path) is None
        ]

    def _skipped(self, places: Places) -> frozenset[str]:
        """Libraries below the watched folder: what lies there was put away."""
        libraries = [one.system_path for one in places.folders if one.kind != "folder"]
        libraries += [path_of(one) for one in self._folder.targets.given]
        inside = [path for path in libraries if path != self._path and is_within(path, self._path)]
        return frozenset(inside)
