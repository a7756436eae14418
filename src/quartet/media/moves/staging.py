"""Prepares new files in a folder of their library, so that a rename puts them in place."""

import secrets
from contextlib import suppress

from quartet.kernel.errors import AppError
from quartet.media.moves.disk import Disk
from quartet.media.roots.folder_access import RootedPath


def stage(disk: Disk, root: RootedPath, folder: str, content: bytes) -> str:
    """Write a file and return its path; blocks."""
    parent = RootedPath(root.root, (*root.parts, folder))
    disk.make_folders(parent)
    staged = RootedPath(root.root, (*parent.parts, secrets.token_hex(8)))
    disk.create(staged, content)
    return staged.path


def remove_staging(root: RootedPath, folder: str) -> None:
    with suppress(AppError, OSError):
        root.root.remove_tree((*root.parts, folder))
