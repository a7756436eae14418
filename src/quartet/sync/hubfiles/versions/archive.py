"""Versions on the hub's disk: the engine's and those put away here; these functions block."""

import time
from collections.abc import Iterator
from contextlib import suppress
from heapq import nsmallest
from itertools import chain

from quartet.kernel.errors import AppError
from quartet.kernel.files import Root
from quartet.kernel.files.beneath import Parts
from quartet.sync.hubfiles import walk
from quartet.sync.hubfiles.places import (
    VERSIONS,
    FolderOnDisk,
    kept_at,
    parts_of,
    version_place,
)
from quartet.sync.hubfiles.versions.types import Version, VersionPage

PAGE = 200
DAY = 24 * 3600

# Newest first, then by path.
Key = tuple[int, str]


def page(folder: FolderOnDisk, path: str, cursor: str) -> VersionPage:
    """Of one file, or of all files in and below a folder; of everything without a path."""
    wanted = parts_of(path) if path else ()
    after = _key_of(cursor)
    found = _versions(folder, wanted, after)
    # There may be millions, and the same one in both places.
    first = {_key(each): each for each in nsmallest(2 * PAGE + 2, found, key=_key)}
    shown = list(first.values())[:PAGE]
    last = shown[-1] if len(first) > PAGE else None
    return VersionPage(shown, f"{last.at}/{last.path}" if last else None)


def _key(each: Version) -> Key:
    return (-each.at, each.path)


def _key_of(cursor: str) -> Key | None:
    at, slash, path = cursor.partition("/")
    if not cursor:
        return None
    # A time has eleven digits at most until the year 5138.
    if not slash or not at.isascii() or not at.isdigit() or len(at) > 12:
        raise AppError(400, "invalid_request", field="cursor")
    return (-int(at), path)


def _versions(folder: FolderOnDisk, wanted: Parts, after: Key | None) -> Iterator[Version]:
    for place, each in _kept(folder, wanted[:-1]):
        known = kept_at(place)
        if known is None or known.of[: len(wanted)] != wanted:
            continue
        path = "/".join(known.of)
        if after is not None and (-known.at, path) <= after:
            continue
        with suppress(OSError):
            size = each.entry.stat(follow_symlinks=False).st_size
            yield Version(path, known.at, size, each.parts[-1])


def _kept(folder: FolderOnDisk, below: Parts) -> Iterator[tuple[Parts, walk.Found]]:
    """By their place in the archive, or in the engine's folder of versions."""
    for each in _put_away(folder.archive, below):
        yield each.parts, each
    for each in walk.files(folder.files, (VERSIONS, *below)):
        yield each.parts[1:], each


def _put_away(archive: Root, below: Parts = ()) -> Iterator[walk.Found]:
    # Names that are too long for a mark are beside all others.
    return chain(walk.files(archive, below), walk.files(archive, (VERSIONS,)))


def restore(folder: FolderOnDisk, path: str, at: int) -> None:
    parts = parts_of(path)
    kept = version_place(parts, at)
    for root, place in ((folder.archive, kept), (folder.files, (VERSIONS, *kept))):
        if _is_file(root, place):
            folder.bring_back(root, place, parts)
            return
    raise AppError(404, "version_not_found", path=path, at=at)


def _is_file(root: Root, parts: Parts) -> bool:
    try:
        root.open(parts).close()
    except AppError as error:
        if error.code in ("not_found", "not_a_folder"):
            return False
        raise
    return True


def prune(folder: FolderOnDisk, max_age_days: int) -> int:
    """What was put away goes after the same time as the engine's versions; how many went."""
    oldest = time.time() - max_age_days * DAY
    gone = 0
    for each in _put_away(folder.archive):
        known = kept_at(each.parts)
        if known is not None and known.at < oldest:
            with suppress(AppError):
                folder.archive.remove(each.parts)
                gone += 1
    return gone
