"""Lists the done folder."""

from collections.abc import Iterator
from typing import NamedTuple

from quartet.downloads.archives import find_sets
from quartet.downloads.archives.types import Parts
from quartet.downloads.done.folder_sizes import FolderSize, FolderSizes
from quartet.downloads.done.types import FileEntry, FolderContents, FoundFile, Kind, KnownFiles
from quartet.downloads.extraction.current import CurrentExtraction
from quartet.kernel.errors import AppError, Problem
from quartet.kernel.files import TEMPORARY_PREFIX, Entry, Root
from quartet.kernel.files.errors import display_path

MOST_FOLDERS = 5000
MOST_FOUND = 20
# A search ends after this many entries, so that it takes well under a second.
MOST_SEARCHED = 50_000

_VIDEO = tuple(
    f".{ending}"
    for ending in (
        *("3gp", "asf", "avi", "divx", "flv", "m2ts", "m4v", "mkv", "mov", "mp4", "mpeg", "mpg"),
        *("mts", "ogm", "ogv", "rm", "rmvb", "ts", "vob", "webm", "wmv"),
    )
)


def text_of(parts: Parts) -> str:
    """Return the path as the API spells it; the done folder itself is empty."""
    return display_path(parts) if parts else ""


class FolderListing(NamedTuple):
    """Reads a folder together with what is known about its files."""

    root: Root
    folder: Parts
    known: KnownFiles
    current: CurrentExtraction
    sizes: FolderSizes

    def read(self) -> FolderContents:
        """List folders first, then by name, without symbolic links and temporary files."""
        seen = _visible(self.root, self.folder)
        sets = find_sets((one.name for one in seen if one.is_file), self.folder)
        archives = {name for found in sets for name in found.parts}
        self.sizes.begin()
        entries = [self._entry(one, archives) for one in sorted(seen, key=_order)]
        return FolderContents(
            path=text_of(self.folder),
            root=str(self.root.path.absolute()),
            entries=entries,
            extracting=self.current.percent_at(self.folder),
            error=self._error(entries),
        )

    def _entry(self, entry: Entry, archives: set[str]) -> FileEntry:
        parts = (*self.folder, entry.name)
        path = text_of(parts)
        count = FolderSize(entry.stat.st_size, 0)
        if entry.is_folder:
            count = self.sizes.count(self.root, parts)
        return FileEntry(
            name=display_path((entry.name,)),
            path=path,
            dir=entry.is_folder,
            size=count.size,
            modified=entry.stat.st_mtime_ns // 1_000_000,
            kind=_kind(entry, archives),
            package=self.known.packages.get(path),
            archives=count.archives,
            extracting=self.current.percent_at(parts),
            error=self.known.failures.get(path),
        )

    def _error(self, entries: list[FileEntry]) -> Problem | None:
        """Return why an extraction in this folder failed."""
        package = self.known.packages.get(text_of(self.folder)) if self.folder else None
        if package and package.extract_error:
            return package.extract_error
        return next((entry.error for entry in entries if entry.error), None)


def folders(root: Root) -> list[str]:
    """Return all folders that files can be moved to, up to a limit."""
    found: list[Parts] = []
    for parts, seen in _below(root, ()):
        found += [(*parts, one.name) for one in seen if one.is_folder]
        if len(found) >= MOST_FOLDERS:
            break
    return sorted(text_of(parts) for parts in found[:MOST_FOLDERS])


def find(root: Root, query: str) -> list[FoundFile]:
    """Return the first files and folders whose names contain all words of the query."""
    words = query.casefold().split()
    found: list[FoundFile] = []
    searched = 0
    for parts, seen in _below(root, ()) if words else ():
        found += [
            FoundFile(text_of((*parts, one.name)), one.is_folder)
            for one in sorted(seen, key=_order)
            if all(word in one.name.casefold() for word in words)
        ]
        searched += len(seen)
        if len(found) >= MOST_FOUND or searched >= MOST_SEARCHED:
            break
    return found[:MOST_FOUND]


def _visible(root: Root, folder: Parts) -> list[Entry]:
    return [
        entry
        for entry in root.list(folder)
        if (entry.is_file or entry.is_folder) and not entry.name.startswith(TEMPORARY_PREFIX)
    ]


def _kind(entry: Entry, archives: set[str]) -> Kind | None:
    if entry.is_folder:
        return None
    if entry.name in archives:
        return "archive"
    return "video" if entry.name.lower().endswith(_VIDEO) else "other"


def _order(entry: Entry) -> tuple[bool, str, str]:
    return not entry.is_folder, entry.name.casefold(), entry.name


def files_below(root: Root, folder: Parts) -> Iterator[tuple[Parts, list[str]]]:
    """Yield the file names of each folder."""
    for parts, seen in _below(root, folder):
        yield parts, [one.name for one in seen if one.is_file]


def _below(root: Root, folder: Parts) -> Iterator[tuple[Parts, list[Entry]]]:
    """Yield the entries of this folder and of each readable folder below it."""
    waiting: list[Parts] = [folder]
    for parts in waiting:
        try:
            seen = _visible(root, parts)
        except AppError:
            if parts == folder:
                raise
            continue  # removed in the meantime, or not readable
        waiting += [(*parts, one.name) for one in seen if one.is_folder]
        yield parts, seen
