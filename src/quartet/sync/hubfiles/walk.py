"""Through a hub folder, with an end, whatever the devices have put into it."""

import os
from collections.abc import Iterator
from typing import NamedTuple

from quartet.kernel.errors import AppError
from quartet.kernel.files import Root
from quartet.kernel.files.beneath import Parts
from quartet.sync.hubfiles.names import OWN_NAMES

# A folder with more is searched as far as this.
MOST_ENTRIES = 2_000_000


class Found(NamedTuple):
    parts: Parts
    entry: os.DirEntry[str]

    @property
    def path(self) -> str:
        return "/".join(self.parts)


def files(root: Root, below: Parts = (), most: int = MOST_ENTRIES) -> Iterator[Found]:
    """Regular files with names that are text, not those the engine keeps for itself.

    `entry.stat` works only until the next one is asked for. Links are never followed.
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
                    if not _is_text(entry.name) or (not parts and entry.name in OWN_NAMES):
                        continue
                    here = (*parts, entry.name)
                    if entry.is_dir(follow_symlinks=False):
                        waiting.append(here)
                    elif entry.is_file(follow_symlinks=False):
                        yield Found(here, entry)
        except (AppError, OSError):
            continue  # gone or not readable since its parent was listed


def _is_text(name: str) -> bool:
    """The engine leaves other names alone, and no browser could be told them."""
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True
