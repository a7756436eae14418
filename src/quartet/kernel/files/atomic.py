"""Atomic replacement of files."""

import os
import secrets

from quartet.kernel.files.errors import app_errors
from quartet.kernel.files.paths import RelativePath, to_parts
from quartet.kernel.files.renames import EntryRef, remove_file, rename_replace
from quartet.kernel.files.root import Root, new_file

TEMPORARY_PREFIX = ".quartet-"  # also marks the leftovers of a crash


def temporary_entry(target: EntryRef) -> EntryRef:
    return EntryRef(target.folder, f"{TEMPORARY_PREFIX}{secrets.token_hex(8)}")


def write_atomic(root: Root, path: RelativePath, data: bytes, *, mode: int = 0o644) -> None:
    """Replace a file atomically: readers see the old or the new content, even after a crash."""
    parts = to_parts(path)
    with root.place(parts) as target, app_errors(parts):
        part = temporary_entry(target)
        with new_file(part, mode) as file:
            try:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
                rename_replace(part, target)
            except BaseException:
                remove_file(part)
                raise
        os.fsync(target.folder)
