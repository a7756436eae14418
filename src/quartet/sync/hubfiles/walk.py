"""Walks through a hub folder with a limit on the number of entries."""

import os
from collections.abc import Iterator
from typing import NamedTuple

from quartet.kernel.errors import AppError
from quartet.kernel.files import Root
from quartet.kernel.files.beneath import Parts
from quartet.sync.hubfiles.names import OWN_NAMES

# Entries beyond this limit are not searched.
MOST_ENTRIES = 2_000_000


class FoundFile(NamedTuple):
    parts: Parts
    entry: os.DirEntry[str]
    # The open folder that contains the file.
    folder: int

    @property
    def path(self) -> str:
        return "/".join(self.parts)

    def seen(self) -> os.stat_result | None:
        """Return None if the file has been removed."""
        try:
            return self.entry.stat(follow_symlinks=False)
        except OSError:
            return None


def files(root: Root, below: Parts = (), most: int = MOST_ENTRIES) -> Iterator[FoundFile]:
    """Yield regular files with valid Unicode names, except the engine's own.

    `entry.stat` and `folder` work only until the next item is requested. Links are never followed.
    """
    waiting = [below]
    left = most
    while waiting and left > 0:
        parts = waiting.pop()
        try:
            with root.folder(parts) as folder, os.scandir(folder) as entries:
                for entry in entries:
                    left -= 1
                    if left < 0:
                        return
                    if not is_text(entry.name) or (not parts and entry.name in OWN_NAMES):
                        continue
                    here = (*parts, entry.name)
                    if entry.is_dir(follow_symlinks=False):
                        waiting.append(here)
                    elif entry.is_file(follow_symlinks=False):
                        yield FoundFile(here, entry, folder)
        except (AppError, OSError):
            continue  # removed or unreadable since its parent was listed


def is_text(name: str) -> bool:
    """Return True for valid Unicode; the engine and browsers cannot handle other names."""
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True
