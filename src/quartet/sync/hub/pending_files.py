"""Compares files that the engine is about to change with those on the disk."""

import asyncio
from collections.abc import Callable, Iterable
from datetime import datetime
from os import stat_result
from pathlib import Path

from quartet.sync.engine.rest import Rest
from quartet.sync.engine.types import NeededFile
from quartet.sync.hub.types import Action, PendingChange, PendingChanges

# Times differ by rounding only.
SAME_SECONDS = 0.00001


# Types of needed items that are files.
FILES = ("", "FILE_INFO_TYPE_FILE")


async def pending_changes(
    rest: Rest, folder: str, root: Path, device_of: Callable[[str], str | None]
) -> PendingChanges:
    """Return the changes that the engine has not followed yet.

    `device_of` returns the engine id that begins with these characters.
    """
    needed, summary = await asyncio.gather(rest.needed(folder), rest.summary(folder))
    files = [each for each in needed if each.type in FILES]
    actions = await asyncio.to_thread(file_actions, root, files)
    return PendingChanges(
        [
            PendingChange(each.name, device_of(each.modified_by), action, size)
            for each, (action, size) in zip(files, actions, strict=True)
        ],
        summary.local_files,
        [each.name for each in needed if each.type not in FILES and not each.deleted],
    )


def file_actions(root: Path, files: Iterable[NeededFile]) -> list[tuple[Action, int]]:
    """Return what happens to each file, and its size: on the hub if it is deleted there; blocks."""
    return [_action(root, each) for each in files]


def file_sizes(root: Path, paths: Iterable[str]) -> dict[str, int]:
    """Return the sizes of the files that exist; blocks."""
    found = {path: _stat(root / path) for path in paths}
    return {path: each.st_size for path, each in found.items() if each is not None}


def _action(root: Path, file: NeededFile) -> tuple[Action, int]:
    there = _stat(root / file.name)
    if there is None:
        # Not on the hub: a new file, or one that was deleted before the hub received it.
        return "added", file.size
    if file.deleted:
        return "deleted", there.st_size
    return "added" if _has_arrived(file, there) else "replaced", file.size


def _has_arrived(file: NeededFile, there: stat_result) -> bool:
    """Return True if the file is on the disk, and the engine has yet to record that."""
    if file.size != there.st_size:
        return False
    try:
        modified = datetime.fromisoformat(file.modified).timestamp()
    except (ValueError, OverflowError):
        return False
    return abs(modified - there.st_mtime) < SAME_SECONDS


def _stat(path: Path) -> stat_result | None:
    try:
        return path.lstat()
    except OSError:
        return None
