"""Write a run to disk; it is invisible until it is complete."""

import errno
import os
import shutil
from pathlib import Path

from quartet.kernel.errors import AppError
from quartet.wind.grid.layout import STEPS_PER_BLOCK, VALUES_NAME, Header, write_header

UNFINISHED = ".unfinished-"


def begin(models: Path, header: Header, *, allocate: bool = False) -> Path:
    """Create the folder of an unfinished run.

    With `allocate` its file has its full size at once, for blocks that arrive in any order.
    Raises `disk_full` if the run does not fit.
    """
    folder = models / header.model / f"{UNFINISHED}{header.run}"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    try:
        if shutil.disk_usage(folder).free < header.size:
            raise OSError(errno.ENOSPC, "the run does not fit")
        if allocate:
            with (folder / VALUES_NAME).open("wb") as file:
                os.posix_fallocate(file.fileno(), 0, header.size)
    except OSError as error:
        shutil.rmtree(folder, ignore_errors=True)
        raise disk_error(error) from None
    return folder


def disk_error(error: OSError) -> Exception:
    """Return `disk_full` for the errors that mean it."""
    full = error.errno in (errno.ENOSPC, errno.EDQUOT)
    return AppError(507, "disk_full") if full else error


def finish(folder: Path, header: Header) -> Path:
    """Make a run visible; it survives a power cut from here on."""
    if any(folder.glob("*.step")):
        _assemble_rest(folder, header)
    write_header(folder, header)
    sync(folder / VALUES_NAME)
    sync(folder / "run.json")
    sync(folder)
    target = folder.with_name(str(header.run))
    shutil.rmtree(target, ignore_errors=True)
    folder.rename(target)
    sync(target.parent)
    return target


def _assemble_rest(folder: Path, header: Header) -> None:
    # Imported here: processes that only mirror finished runs need no numpy for it.
    from quartet.wind.grid.steps import assemble_block, step_path

    for block in range(header.blocks):
        first = block * STEPS_PER_BLOCK
        steps = header.steps[first : first + STEPS_PER_BLOCK]
        if any(step_path(folder, step).exists() for step in steps):
            assemble_block(folder, header, block)


def sync(path: Path) -> None:
    """Flush a file, or the names in a folder, to disk."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
