import os
import threading
from typing import NamedTuple


class Measured(NamedTuple):
    files: int
    bytes: int


def measure_folder(path: str, stop: threading.Event) -> Measured | None:
    """Count the files of a library without hidden ones; None if it was stopped. Blocks."""
    files = size = 0
    waiting = [path]
    while waiting:
        if stop.is_set():
            return None
        folder = waiting.pop()
        try:
            with os.scandir(folder) as entries:
                for entry in entries:
                    if entry.name.startswith("."):
                        continue
                    if entry.is_dir(follow_symlinks=False):
                        waiting.append(entry.path)
                    elif entry.is_file(follow_symlinks=False):
                        files += 1
                        size += entry.stat(follow_symlinks=False).st_size
        except OSError:
            # The library must be readable; folders in it may not be.
            if folder == path:
                return None
    return Measured(files, size)
