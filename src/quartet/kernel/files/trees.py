"""Walks, creates and deletes folder trees with few open files."""

import os
from collections.abc import Iterator
from contextlib import suppress
from typing import NamedTuple

from quartet.kernel.files.beneath import OPEN_FOLDER, Parts, closing_fd, open_beneath
from quartet.kernel.files.renames import EntryRef, remove_file, remove_folder


class Visit(NamedTuple):
    parts: Parts
    folder: int
    entries: list[os.DirEntry[str]]


def walk(top: int) -> Iterator[Visit]:
    """Yield every folder from `top` down, parents first; links are never followed."""
    waiting: list[Parts] = [()]
    for parts in waiting:
        with closing_fd(open_beneath(top, parts, OPEN_FOLDER)) as folder:
            with os.scandir(folder) as found:
                entries = list(found)
            waiting += [(*parts, one.name) for one in entries if one.is_dir(follow_symlinks=False)]
            yield Visit(parts, folder, entries)


def make_folders(top: int, parts: Parts) -> None:
    """Create missing folders; closes `top`."""
    for name in parts:
        with closing_fd(top):
            with suppress(FileExistsError):
                os.mkdir(name, dir_fd=top)
            inner = open_beneath(top, (name,), OPEN_FOLDER)
        top = inner
    os.close(top)


def remove_tree(place: EntryRef) -> None:
    with closing_fd(open_beneath(place.folder, (place.name,), OPEN_FOLDER)) as top:
        folders = []
        for parts, folder, entries in walk(top):
            folders.append(parts)
            for entry in entries:
                if not entry.is_dir(follow_symlinks=False):
                    with suppress(FileNotFoundError):
                        remove_file(EntryRef(folder, entry.name))
        remove_folders(top, folders[1:])
    remove_folder(place)


def remove_folders(top: int, parents_first: list[Parts]) -> None:
    """Delete empty folders, children first."""
    for parts in reversed(parents_first):
        with closing_fd(open_beneath(top, parts[:-1], OPEN_FOLDER)) as parent:
            remove_folder(EntryRef(parent, parts[-1]))
