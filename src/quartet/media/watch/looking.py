"""What lies in a watch folder at one moment, by release. Blocks."""

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from quartet.kernel.errors import AppError
from quartet.kernel.files import Entry
from quartet.media.jobs.unwanted import is_growing, is_hidden, is_partial, is_passed_by
from quartet.media.roots.kinds import file_kind
from quartet.media.roots.places import Places, Spot

DEEPEST = 10


class Seen(NamedTuple):
    path: str
    size: int
    mtime_ns: int


class Release(NamedTuple):
    """A folder with all that is in it, or a file that lies there alone."""

    path: str
    files: frozenset[Seen]
    videos: tuple[Seen, ...]
    # When each of the videos came, in seconds: a moved file keeps its own time.
    arrived: Mapping[str, float]
    # Something in it is still being downloaded.
    growing: bool


def releases(places: Places, path: str, skipped: frozenset[str]) -> list[Release]:
    """`skipped` are folders below that hold what was put away already."""
    top = places.spot(path)
    places.require_present(top.root)
    entries = top.root.list(top.parts)
    names = {entry.name for entry in entries}
    found = []
    for entry in entries:
        spot = Spot(top.root, (*top.parts, entry.name))
        if entry.is_folder and not is_passed_by(entry.name) and spot.path not in skipped:
            found.append(_release(spot.path, list(_files(spot, skipped, 1))))
        elif entry.is_file and _is_video(entry.name) and not is_growing(entry.name, names):
            found.append(_release(spot.path, [(spot, entry)]))
    return [one for one in found if one.videos]


def _release(path: str, files: list[tuple[Spot, Entry]]) -> Release:
    seen = {spot.path: _seen(spot, entry) for spot, entry in files}
    videos = [(spot, entry) for spot, entry in files if _is_video(entry.name)]
    return Release(
        path,
        frozenset(seen.values()),
        tuple(seen[spot.path] for spot, _ in videos),
        {spot.path: entry.stat.st_ctime for spot, entry in videos},
        any(is_partial(entry.name) for _, entry in files),
    )


def _files(folder: Spot, skipped: frozenset[str], depth: int) -> Iterator[tuple[Spot, Entry]]:
    try:
        entries = folder.root.list(folder.parts)
    except AppError:
        return  # gone or closed; the next look will tell
    for entry in entries:
        spot = Spot(folder.root, (*folder.parts, entry.name))
        if entry.is_file and not is_hidden(entry.name):
            yield spot, entry
            continue
        skips = is_passed_by(entry.name) or spot.path in skipped
        if entry.is_folder and depth < DEEPEST and not skips:
            yield from _files(spot, skipped, depth + 1)


def _seen(spot: Spot, entry: Entry) -> Seen:
    return Seen(spot.path, entry.stat.st_size, entry.stat.st_mtime_ns)


def _is_video(name: str) -> bool:
    return file_kind(name) == "video" and not is_hidden(name)
