"""Changes to the done folder. Everything here blocks: call it from a thread."""

import unicodedata
from collections.abc import Iterable, Sequence

from quartet.downloads.archives import find_sets
from quartet.downloads.archives.types import Parts
from quartet.downloads.done.listing import files_below
from quartet.downloads.extraction.running import Running
from quartet.kernel.errors import AppError
from quartet.kernel.files import TEMPORARY_PREFIX, Entry, Root, move, safe_name, unique_name
from quartet.kernel.files.errors import display_path
from quartet.kernel.files.paths import to_parts


def chosen(root: Root, paths: Iterable[str], running: Running) -> list[Parts]:
    """All of them checked; what lies in another one that is chosen goes along with it."""
    found: dict[Parts, None] = {}
    for path in paths:
        parts = editable(path)
        require_plain(root, parts)
        running.require_untouched(parts)
        found[parts] = None
    return [parts for parts in found if not any(parts[:n] in found for n in range(1, len(parts)))]


def editable(path: str) -> Parts:
    """Not the done folder itself, and nothing that is only there for a while."""
    parts = to_parts(path)
    if not parts:
        raise AppError(400, "done_folder_itself")
    if any(part.startswith(TEMPORARY_PREFIX) for part in parts):
        raise AppError(404, "not_found", path=display_path(parts))
    return parts


def require_plain(root: Root, parts: Parts) -> Entry:
    """A file or a folder; a link leads who knows where."""
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
    """This one and those in it, as far as there is something to unpack."""
    return [parts for parts, names in files_below(root, folder) if find_sets(names)]


def target(root: Root, to: str, moving: Sequence[Parts], running: Running) -> Parts:
    folder = to_parts(to)
    if folder:
        editable(to)
        if not is_folder(root, folder):
            raise AppError(409, "not_a_folder", path=display_path(folder))
        running.require_untouched(folder)
    for parts in moving:
        if folder[: len(parts)] == parts:
            raise AppError(400, "move_into_itself", path=display_path(parts))
    return folder


def move_into(root: Root, parts: Parts, folder: Parts) -> Parts:
    """Where it is now; a name that is taken gets a number."""
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


def make_folder(root: Root, path: str, name: str) -> Parts:
    name = unicodedata.normalize("NFC", name.strip())
    if not name or safe_name(name) != name:
        raise AppError(400, "name_invalid", name=name)
    above = to_parts(path)
    if above:
        editable(path)
        root.list(above)
    parts = (*above, name)
    if root.exists(parts):
        raise AppError(409, "already_exists", path=display_path(parts))
    root.make_folder(parts)
    return parts
