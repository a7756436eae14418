"""Looks at everything that was unpacked before anybody else does."""

import os
import stat
import unicodedata
from typing import NamedTuple

from quartet.downloads.archives.guard import Size
from quartet.downloads.archives.types import Parts
from quartet.kernel.errors import AppError
from quartet.kernel.files import TEMPORARY_PREFIX, Entry, Root, safe_name, unique_name
from quartet.kernel.files.errors import display_path


class Tree(NamedTuple):
    """What lies in an unpacked folder: names of files by the folder they are in."""

    files: dict[Parts, list[str]]
    size: Size


def tidy(root: Root, top: Parts, archive: str) -> Tree:
    """Gives every entry a name for every disk and plain rights; refuses all but files and folders.

    The listing was checked before, but what counts is what lies on the disk.
    """
    files: dict[Parts, list[str]] = {}
    total, members = 0, 0
    waiting: list[Parts] = [()]
    while waiting:
        folder = waiting.pop()
        taken: set[str] = set()
        for entry in root.list((*top, *folder)):
            _require_plain(entry, folder, archive)
            _plain_rights(root, (*top, *folder), entry)
            name = _rename(root, (*top, *folder), entry.name, taken)
            members += 1
            if entry.is_folder:
                waiting.append((*folder, name))
            else:
                files.setdefault(folder, []).append(name)
                total += entry.stat.st_size
    return Tree(files, Size(total, members))


def plain_name(name: str) -> str:
    name = safe_name(name, allow_hidden=True)
    # Such a name would be taken for a leftover and removed.
    return name[1:] if name.startswith(TEMPORARY_PREFIX) else name


def _require_plain(entry: Entry, folder: Parts, archive: str) -> None:
    if entry.is_folder or (entry.is_file and entry.stat.st_nlink == 1):
        return
    reason = "link" if entry.is_link or entry.is_file else "device"
    member = display_path((*folder, entry.name))
    raise AppError(422, "archive_unsafe", archive=archive, member=member, reason=reason)


def _plain_rights(root: Root, folder: Parts, entry: Entry) -> None:
    """No setuid, and nothing its owner could not read, enter or remove."""
    mode = stat.S_IMODE(entry.stat.st_mode)
    plain = mode & 0o777 | (0o700 if entry.is_folder else 0o600)
    if plain != mode:
        with root.folder(folder) as fd:
            os.chmod(entry.name, plain, dir_fd=fd)


def _rename(root: Root, folder: Parts, name: str, taken: set[str]) -> str:
    """Two names that differ in case only would be one on many disks."""
    wanted = plain_name(name)
    new = unique_name(wanted, _Folded(taken))
    # The free name may be another entry's, whose turn comes later.
    while new != name and root.exists((*folder, new)):
        taken.add(_fold(new))
        new = unique_name(wanted, _Folded(taken))
    if new != name:
        root.rename((*folder, name), (*folder, new))
    taken.add(_fold(new))
    return new


class _Folded:
    def __init__(self, taken: set[str]) -> None:
        self._taken = taken

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and _fold(name) in self._taken


def _fold(name: str) -> str:
    return unicodedata.normalize("NFC", name).casefold()
