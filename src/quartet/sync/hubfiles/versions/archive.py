"""Versions on the hub's disk: the engine's and the archived ones; these functions block."""

import math
import time
from collections.abc import Container, Iterator, Mapping
from contextlib import suppress
from heapq import nsmallest
from itertools import chain

from quartet.kernel.errors import AppError
from quartet.kernel.files import Root
from quartet.kernel.files.beneath import Parts
from quartet.sync.hubfiles import walk
from quartet.sync.hubfiles.folder_on_disk import (
    VERSIONS,
    FolderOnDisk,
    VersionKey,
    parse_version_path,
    path_parts,
    version_path,
)
from quartet.sync.hubfiles.versions.newest import Key, NewestVersions, Row
from quartet.sync.hubfiles.versions.types import Version, VersionPage

PAGE = 200
HOUR = 3600
DAY = 24 * HOUR
# The smallest distance between two versions up to an age.
INTERVALS = ((HOUR, 30), (DAY, HOUR), (30 * DAY, DAY), (math.inf, 7 * DAY))


def page(
    folder: FolderOnDisk, path: str, cursor: str, newest: NewestVersions | None = None
) -> VersionPage:
    """Return versions of a file, of all files below a folder, or of everything if the path is
    empty.
    """
    wanted = path_parts(path) if path else ()
    after = _key_of(cursor)
    remembered = newest.after(after, PAGE + 1) if newest and not path else None
    if newest is not None and remembered is not None:
        return _page([each for row in remembered if (each := _remembered(newest, row))])
    found = _versions(folder, wanted, after)
    # There may be millions of versions, and the same one may be in both places.
    first = {_key(each): each for each in nsmallest(2 * PAGE + 2, found, key=_key)}
    return _page(list(first.values()))


def _page(found: list[Version]) -> VersionPage:
    shown = found[:PAGE]
    last = shown[-1] if len(found) > PAGE else None
    return VersionPage(shown, f"{last.at}/{last.path}" if last else None)


def _remembered(newest: NewestVersions, row: Row) -> Version | None:
    parts = row.place.parts
    with suppress(AppError):
        size = newest.root_of(row).stat(parts).st_size
        return Version(row.key[1], -row.key[0], size, parts[-1])
    return None


def _key(each: Version) -> Key:
    return (-each.at, each.path)


def _key_of(cursor: str) -> Key | None:
    at, slash, path = cursor.partition("/")
    if not cursor:
        return None
    # Timestamps have at most eleven digits until the year 5138.
    if not slash or not at.isascii() or not at.isdigit() or len(at) > 12:
        raise AppError(400, "invalid_request", field="cursor")
    return (-int(at), path)


def _versions(folder: FolderOnDisk, wanted: Parts, after: Key | None) -> Iterator[Version]:
    for known, _root, each in kept_versions(folder, wanted):
        path = "/".join(known.of)
        if after is not None and (-known.at, path) <= after:
            continue
        with suppress(OSError):
            size = each.entry.stat(follow_symlinks=False).st_size
            yield Version(path, known.at, size, each.parts[-1])


def kept_versions(
    folder: FolderOnDisk, wanted: Parts
) -> Iterator[tuple[VersionKey, Root, walk.FoundFile]]:
    """Yield the versions of a file or below a folder, those in the archive first."""
    for each in _archived(folder.archive, wanted[:-1]):
        known = parse_version_path(each.parts)
        if known is not None and known.of[: len(wanted)] == wanted:
            yield known, folder.archive, each
    for each in _kept_by_hub(folder.files, wanted[:-1]):
        known = parse_version_path(each.parts[1:])
        if known is not None and known.of[: len(wanted)] == wanted:
            yield known, folder.files, each


def _kept_by_hub(files: Root, below: Parts = ()) -> Iterator[walk.FoundFile]:
    everything = walk.files(files, (VERSIONS, *below))
    return chain(everything, walk.files(files, (VERSIONS, VERSIONS))) if below else everything


def _archived(archive: Root, below: Parts = ()) -> Iterator[walk.FoundFile]:
    # Versions whose names are too long for a mark are stored separately.
    return chain(walk.files(archive, below), walk.files(archive, (VERSIONS,)))


def restore(folder: FolderOnDisk, path: str, at: int) -> None:
    parts = path_parts(path)
    kept = version_path(parts, at)
    for root, place in ((folder.archive, kept), (folder.files, (VERSIONS, *kept))):
        if _is_file(root, place):
            folder.restore_version(root, place, parts)
            return
    raise AppError(404, "version_not_found", path=path, at=at)


def restore_first(folder: FolderOnDisk, since: Mapping[str, int]) -> list[str]:
    """Restore the oldest version of each file that is not older than its time."""
    done = []
    for path, start in since.items():
        with suppress(AppError):
            times = _times(folder, path, start)
            if times:
                restore(folder, path, times[0])
                done.append(path)
    return done


def undo_restore(folder: FolderOnDisk, since: Mapping[str, int], gone: Container[str]) -> list[str]:
    """Restore the content that `restore_first` replaced, or delete the file again."""
    done = []
    for path, start in since.items():
        with suppress(AppError):
            if path in gone:
                folder.move_to_archive(path_parts(path))
            elif times := _times(folder, path, start):
                restore(folder, path, times[-1])
            done.append(path)
    return done


def _times(folder: FolderOnDisk, path: str, since: int) -> list[int]:
    found = _versions(folder, path_parts(path), None)
    return sorted({each.at for each in found if each.path == path and each.at >= since})


def _is_file(root: Root, parts: Parts) -> bool:
    try:
        root.open(parts).close()
    except AppError as error:
        if error.code in ("not_found", "not_a_folder"):
            return False
        raise
    return True


def prune(folder: FolderOnDisk, max_age_days: int) -> int:
    """Delete archived versions at the same age as the engine does; return their number."""
    oldest = time.time() - max_age_days * DAY
    gone = 0
    for each in _archived(folder.archive):
        known = parse_version_path(each.parts)
        if known is not None and known.at < oldest:
            with suppress(AppError):
                folder.archive.remove(each.parts)
                gone += 1
    return gone


def thin_out(files: Root, max_age_days: int) -> int:
    """Delete versions of the hub that are too old or too close together; return their number.

    As with Syncthing's staggered versioning, one version is kept for each 30 seconds of the last
    hour, each hour of the last day, each day of the last month, and each week before that.
    """
    found: dict[Parts, list[tuple[int, Parts]]] = {}
    for each in walk.files(files, (VERSIONS,)):
        known = parse_version_path(each.parts[1:])
        if known is not None:
            found.setdefault(known.of, []).append((known.at, each.parts))
    now, gone = int(time.time()), 0
    for versions in found.values():
        for parts in _surplus(sorted(versions), now, max_age_days):
            with suppress(AppError):
                files.remove(parts)
                gone += 1
    return gone


def interval_at(age: float) -> int:
    """Return the smallest distance between two versions of this age."""
    return next(gap for until, gap in INTERVALS if age < until)


def _surplus(versions: list[tuple[int, Parts]], now: int, max_age_days: int) -> Iterator[Parts]:
    last = None
    for at, parts in versions:
        age = now - at
        interval = interval_at(age)
        is_old = bool(max_age_days) and age > max_age_days * DAY
        if is_old or (last is not None and at - last < interval):
            yield parts
        else:
            last = at
