"""Subtitles in a watch folder that arrive after their video was filed."""

import asyncio
from collections import defaultdict
from collections.abc import Collection
from functools import partial

from sqlalchemy import Connection

from quartet.kernel.db import Database
from quartet.kernel.errors import AppError
from quartet.media.jobs.preview.late_subtitles import late_subtitles
from quartet.media.moves import store as moves_store
from quartet.media.roots.folder_access import FolderAccess
from quartet.media.watch.folder_scan import FileStamp


async def find_late(
    db: Database, access: FolderAccess, subtitles: Collection[FileStamp]
) -> set[FileStamp]:
    """Return the subtitles that can follow their video to where a job filed it."""
    if not subtitles:
        return set()
    videos = await db.read(_videos_of, [one.path for one in subtitles])
    present = await asyncio.to_thread(_present, access, set(videos.values()))
    return {one for one in subtitles if videos.get(one.path) in present}


def _videos_of(conn: Connection, paths: list[str]) -> dict[str, str]:
    """Return the new path of the video of each subtitle that was not filed with it."""
    filed = moves_store.filed_sources(conn, paths)
    by_folder: dict[str, list[str]] = defaultdict(list)
    for path in paths:
        if path not in filed:
            folder, _, name = path.rpartition("/")
            by_folder[folder].append(name)
    moved = partial(moves_store.targets_of, conn)
    return {
        f"{folder}/{late.name}": late.video
        for folder, names in by_folder.items()
        for late in late_subtitles(folder, names, moved)
    }


def _present(access: FolderAccess, videos: Collection[str]) -> set[str]:
    found = set()
    for path in videos:
        try:
            location = access.resolve(path)
            if location.root.exists(location.parts):
                found.add(path)
        except AppError:
            continue  # its folder was removed from the settings, or its disk is away
    return found
