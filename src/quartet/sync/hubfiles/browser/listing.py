"""Lists and finds files of the hub; these functions block."""

import stat
from itertools import islice

from quartet.kernel.files import Root
from quartet.kernel.files.beneath import Parts
from quartet.sync.hubfiles import walk
from quartet.sync.hubfiles.browser.types import MOST_ENTRIES, MOST_FOUND, FileEntry, Listing
from quartet.sync.hubfiles.names import OWN_NAMES, is_temporary, path_sort_key


def entry(root: Root, parts: Parts) -> FileEntry:
    """Return one file or folder; fail for links and everything else."""
    seen = root.stat(parts)
    if not stat.S_ISDIR(seen.st_mode):
        root.open(parts).close()
    is_folder = stat.S_ISDIR(seen.st_mode)
    size = 0 if is_folder else seen.st_size
    name = parts[-1] if parts else ""
    return FileEntry("/".join(parts), name, is_folder, size, int(seen.st_mtime))


def list_folder(root: Root, parts: Parts) -> Listing:
    found = [
        FileEntry(
            "/".join((*parts, each.name)),
            each.name,
            each.is_folder,
            0 if each.is_folder else each.stat.st_size,
            int(each.stat.st_mtime),
        )
        for each in root.list(parts)
        if (each.is_folder or each.is_file)
        and walk.is_text(each.name)
        and not is_temporary(each.name)
        and (parts or each.name not in OWN_NAMES)
    ]
    # `root.list` has the natural order, which sorting by kind keeps.
    found.sort(key=lambda each: not each.is_folder)
    return Listing(found[:MOST_ENTRIES], len(found) > MOST_ENTRIES)


def search(root: Root, parts: Parts, words: str) -> Listing:
    """Find files whose path below the folder contains all words, in any case."""
    wanted = words.casefold().split()
    matching = (
        FileEntry(each.path, each.parts[-1], False, seen.st_size, int(seen.st_mtime))
        for each in walk.files(root, parts)
        if _matches("/".join(each.parts[len(parts) :]), wanted)
        and not is_temporary(each.parts[-1])
        and (seen := each.seen()) is not None
    )
    found = list(islice(matching, MOST_FOUND + 1))
    shown = sorted(found[:MOST_FOUND], key=lambda each: path_sort_key(each.path))
    return Listing(shown, len(found) > MOST_FOUND)


def _matches(path: str, wanted: list[str]) -> bool:
    folded = path.casefold()
    return all(word in folded for word in wanted)
