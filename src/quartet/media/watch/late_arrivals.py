"""Subtitles in a watch folder that arrive after their video was filed."""

import asyncio
from collections import defaultdict
from collections.abc import Collection, Sequence

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
    filed = await db.read(moves_store.filed_sources, [one.path for one in subtitles])
    late = {one for one in subtitles if one.path not in filed}
    found = await asyncio.to_thread(_with_video, db, access, sorted(one.path for one in late))
    return {one for one in late if one.path in found}


def _with_video(db: Database, access: FolderAccess, paths: Sequence[str]) -> set[str]:
    """Return the subtitles whose video is where a job moved it. Blocks."""

    def moved(sources: Sequence[str]) -> dict[str, str]:
        return db.write_sync(lambda tx: moves_store.targets_of(tx.conn, sources))

    by_folder: dict[str, list[str]] = defaultdict(list)
    for path in paths:
        folder, _, name = path.rpartition("/")
        by_folder[folder].append(name)
    return {
        f"{folder}/{late.name}"
        for folder, names in by_folder.items()
        for late in late_subtitles(folder, names, moved)
        if _exists(access, late.video)
    }


def _exists(access: FolderAccess, path: str) -> bool:
    try:
        location = access.resolve(path)
        return location.root.exists(location.parts)
    except AppError:
        return False  # its folder was removed from the settings, or its disk is away
