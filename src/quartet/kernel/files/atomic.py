"""Files that are always whole."""

import os
import secrets

from quartet.kernel.files.paths import RelativePath, to_parts
from quartet.kernel.files.problems import telling
from quartet.kernel.files.renames import Place, remove_file, rename_over
from quartet.kernel.files.root import Root, new_file

TEMPORARY_PREFIX = ".quartet-"  # what a crash may leave behind begins like this


def temporary(target: Place) -> Place:
    return Place(target.folder, f"{TEMPORARY_PREFIX}{secrets.token_hex(8)}")


def write_atomic(root: Root, path: RelativePath, data: bytes, *, mode: int = 0o644) -> None:
    """Replaces a file so that everybody sees the old content or the new one, also after a crash."""
    parts = to_parts(path)
    with root.place(parts) as target, telling(parts):
        part = temporary(target)
        with new_file(part, mode) as file:
            try:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
                rename_over(part, target)
            except BaseException:
                remove_file(part)
                raise
        os.fsync(target.folder)
