"""Changes files in the done folder. All functions block, so call them from a thread."""

import unicodedata
from collections.abc import Iterable, Sequence

from quartet.downloads.archives import find_sets
from quartet.downloads.archives.types import Parts
from quartet.downloads.done.listing import files_below
from quartet.downloads.extraction.current import CurrentExtraction
from quartet.kernel.errors import AppError
from quartet.kernel.files import TEMPORARY_PREFIX, Entry, Root, move, safe_name, unique_name
from quartet.kernel.files.errors import display_path
from quartet.kernel.files.paths import to_parts


def checked_paths(root: Root, paths: Iterable[str], current: CurrentExtraction) -> list[Parts]:
    """Check the paths; paths inside another chosen folder are dropped."""
    found: dict[Parts, None] = {}
    for path in paths:
        parts = editable(path)
        require_plain(root, parts)
        current.require_untouched(parts)
        found[parts] = None
    return [parts for parts in found if not any(parts[:n] in found for n in range(1, len(parts)))]


def editable(path: str) -> Parts:
    """Reject the done folder itself and temporary files."""
    parts = to_parts(path)
    if not parts:
        raise AppError(400, "done_folder_itself")
    if any(part.startswith(TEMPORARY_PREFIX) for part in parts):
        raise AppError(404, "server_files_notFoundAt", path=display_path(parts))
    return parts


def require_plain(root: Root, parts: Parts) -> Entry:
    """Return a file or folder; symbolic links are rejected because they may lead outside."""
    entry = Entry(parts[-1], root.stat(parts))
    if not (entry.is_file or entry.is_folder):
        raise AppError(400, "path_outside_root", path=display_path(parts))
    return entry


def remove(root: Root, parts: Parts) -> None:
    if is_folder(root, parts):
        root.remove_tree(parts)
    else:
        root.remove(parts)


def is_folder(root: Root, parts: Parts) -> bool:
    return require_plain(root, parts).is_folder


def folders_with_archives(root: Root, folder: Parts) -> list[Parts]:
    """Return this folder and its subfolders, as far as they contain archives."""
    return [parts for parts, names in files_below(root, folder) if find_sets(names)]


def target(root: Root, to: str, moving: Sequence[Parts], current: CurrentExtraction) -> Parts:
    folder = to_parts(to)
    if folder:
        editable(to)
        if not is_folder(root, folder):
            raise AppError(409, "not_a_folder", path=display_path(folder))
        current.require_untouched(folder)
    for parts in moving:
        if folder[: len(parts)] == parts:
            raise AppError(400, "move_into_itself", path=display_path(parts))
    return folder


def move_into(root: Root, parts: Parts, folder: Parts) -> Parts:
    """Move into the folder and return the new path; a number is added to a name that is taken."""
    if parts[:-1] == folder:
        return parts
    taken: set[str] = set()
    while True:
        name = unique_name(parts[-1], taken)
        try:
            move(root, parts, (*folder, name))
        except AppError as error:
            if error.code != "already_exists":
                raise
            taken.add(name)
        else:
            return (*folder, name)


def rename(root: Root, parts: Parts, name: str) -> Parts:
    """Give a file or folder another name and return the new path."""
    new = (*parts[:-1], _checked_name(name))
    if new != parts:
        move(root, parts, new)
    return new


def _checked_name(name: str) -> str:
    name = unicodedata.normalize("NFC", name.strip())
    if not name or safe_name(name) != name:
        raise AppError(400, "name_invalid", name=name)
    return name


def make_folder(root: Root, path: str, name: str) -> Parts:
    name = _checked_name(name)
    above = to_parts(path)
    if above:
        editable(path)
        root.list(above)
    parts = (*above, name)
    if root.exists(parts):
        raise AppError(409, "already_exists", path=display_path(parts))
    root.make_folder(parts)
    return parts
