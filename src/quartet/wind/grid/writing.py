"""A run on its way into the store: invisible until it is whole."""

import errno
import os
import shutil
from pathlib import Path

from quartet.kernel.errors import AppError
from quartet.wind.grid.layout import VALUES_NAME, Header, write_header

UNFINISHED = ".unfinished-"


def begin(models: Path, header: Header) -> Path:
    """A folder nobody reads yet, with room for all numbers."""
    folder = models / header.model / f"{UNFINISHED}{header.run}"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    try:
        with (folder / VALUES_NAME).open("wb") as file:
            # Really taken: writing into a map of a file with holes kills whoever finds no room.
            os.posix_fallocate(file.fileno(), 0, header.size)
        write_header(folder, header)
    except OSError as error:
        shutil.rmtree(folder, ignore_errors=True)
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            raise AppError(507, "disk_full") from None
        raise
    return folder


def finish(folder: Path, header: Header) -> Path:
    """From now on it is there, also after a power cut."""
    sync(folder / VALUES_NAME)
    sync(folder / "run.json")
    sync(folder)
    target = folder.with_name(str(header.run))
    shutil.rmtree(target, ignore_errors=True)
    folder.rename(target)
    sync(target.parent)
    return target


def sync(path: Path) -> None:
    """A file, or the names in a folder."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
