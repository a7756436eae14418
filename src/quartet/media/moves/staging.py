"""Prepares new files in a folder of their library, so that a rename puts them in place."""

import secrets
from contextlib import suppress

from quartet.kernel.errors import AppError
from quartet.media.roots.folder_access import RootedPath


def stage(root: RootedPath, folder: str, content: bytes) -> str:
    """Write a file and return its path; blocks."""
    parts = (*root.parts, folder)
    if not root.root.exists(parts):
        with suppress(AppError):
            root.root.make_folder(parts)
    staged = RootedPath(root.root, (*parts, secrets.token_hex(8)))
    with staged.root.create(staged.parts) as out:
        out.write(content)
    return staged.path


def remove_staging(root: RootedPath, folder: str) -> None:
    with suppress(AppError, OSError):
        root.root.remove_tree((*root.parts, folder))
