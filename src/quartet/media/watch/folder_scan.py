"""Lists the releases in a watch folder. Blocks."""

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from quartet.kernel.errors import AppError
from quartet.kernel.files import Entry
from quartet.media.jobs.preview.ignored_names import (
    is_hidden,
    is_ignored_folder,
    is_incomplete,
    is_partial,
)
from quartet.media.roots.file_kinds import file_kind
from quartet.media.roots.folder_access import FolderAccess, RootedPath
from quartet.media.types import TaggedKind

MAX_DEPTH = 10
# A new or removed entry changes both times of a folder, a move only the second. The difference is
# in seconds; it is not zero because file systems store the times with different precision.
MOVED = 1.0


class FileStamp(NamedTuple):
    path: str
    size: int
    mtime_ns: int


class FoundFile(NamedTuple):
    location: RootedPath
    entry: Entry
    # When a folder that contains it was moved, if that is known.
    moved: float


class WatchedRelease(NamedTuple):
    """A folder with its content, or a single file."""

    path: str
    files: frozenset[FileStamp]
    # Or tracks, or photos, if those are looked for.
    videos: tuple[FileStamp, ...]
    # Those of a video that was filed before may follow it.
    subtitles: tuple[FileStamp, ...]
    # When each of these arrived, in seconds; a moved file keeps its own modification time, and the
    # files in a moved folder keep all their times.
    arrived: Mapping[str, float]
    # Part of it is still being downloaded.
    growing: bool


def scan_releases(
    access: FolderAccess,
    path: str,
    skipped: frozenset[str],
    kind: TaggedKind | None = None,
) -> list[WatchedRelease]:
    """`skipped` are folders below that contain sorted files. Without a kind, look for videos."""
    top = access.resolve(path)
    access.require_present(top.root)
    entries = top.root.list(top.parts)
    names = {entry.name for entry in entries}
    found = []
    for entry in entries:
        location = RootedPath(top.root, (*top.parts, entry.name))
        if entry.is_folder and not is_ignored_folder(entry.name) and location.path not in skipped:
            files = list(_files(location, skipped, 1, _moved_at(entry)))
            found.append(_release(location.path, files, kind))
        elif (
            entry.is_file
            and (_is_wanted(entry.name, kind) or _is_subtitle(entry.name, kind))
            and not is_incomplete(entry.name, names)
        ):
            found.append(_release(location.path, [FoundFile(location, entry, 0.0)], kind))
    return [one for one in found if one.videos or one.subtitles]


def _release(path: str, files: list[FoundFile], kind: TaggedKind | None) -> WatchedRelease:
    seen = {one.location.path: _seen(one.location, one.entry) for one in files}
    videos = [one for one in files if _is_wanted(one.entry.name, kind)]
    subtitles = [one for one in files if _is_subtitle(one.entry.name, kind)]
    return WatchedRelease(
        path,
        frozenset(seen.values()),
        tuple(seen[one.location.path] for one in videos),
        tuple(seen[one.location.path] for one in subtitles),
        {
            one.location.path: max(one.entry.stat.st_ctime, one.moved)
            for one in (*videos, *subtitles)
        },
        any(is_partial(one.entry.name) for one in files),
    )


def _files(
    folder: RootedPath, skipped: frozenset[str], depth: int, moved: float
) -> Iterator[FoundFile]:
    try:
        entries = folder.root.list(folder.parts)
    except AppError:
        return  # gone or unreadable; the next check will tell
    for entry in entries:
        location = RootedPath(folder.root, (*folder.parts, entry.name))
        if entry.is_file and not is_hidden(entry.name):
            yield FoundFile(location, entry, moved)
            continue
        skips = is_ignored_folder(entry.name) or location.path in skipped
        if entry.is_folder and depth < MAX_DEPTH and not skips:
            yield from _files(location, skipped, depth + 1, max(moved, _moved_at(entry)))


def _moved_at(folder: Entry) -> float:
    """Return when this folder was moved here or got its name; 0 if that is not known."""
    stat = folder.stat
    return stat.st_ctime if stat.st_ctime - stat.st_mtime > MOVED else 0.0


def _seen(location: RootedPath, entry: Entry) -> FileStamp:
    return FileStamp(location.path, entry.stat.st_size, entry.stat.st_mtime_ns)


def _is_subtitle(name: str, kind: TaggedKind | None) -> bool:
    return kind is None and not is_hidden(name) and file_kind(name) == "subtitle"


def _is_wanted(name: str, kind: TaggedKind | None) -> bool:
    if is_hidden(name):
        return False
    if kind is None:
        return file_kind(name) == "video"
    # Imported here because only watch folders for music and photos need it.
    from quartet.media.tagged.followers import is_tagged_file

    return is_tagged_file(kind, name)
