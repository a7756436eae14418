"""Write a run to disk; it is invisible until it is complete."""

import errno
import os
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec

from quartet.kernel.errors import AppError
from quartet.wind.grid.layout import (
    HEADER_NAME,
    STEPS_PER_BLOCK,
    VALUES_NAME,
    Header,
    read_header,
    write_header,
)

UNFINISHED = ".unfinished-"
# The provider has deleted an older run, or a newer one has replaced it.
_RESUMED_SECONDS = 12 * 3600


def begin(models: Path, header: Header, *, allocate: bool = False) -> Path:
    """Create the folder of an unfinished run.

    With `allocate` its file has its full size at once, for blocks that arrive in any order.
    Raises `disk_full` if the run does not fit.
    """
    folder = unfinished_path(models, header.model, header.run)
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    try:
        if shutil.disk_usage(folder).free < header.size:
            raise OSError(errno.ENOSPC, "the run does not fit")
        if allocate:
            with (folder / VALUES_NAME).open("wb") as file:
                os.posix_fallocate(file.fileno(), 0, header.size)
        else:
            # A process that continues the run compares it.
            write_header(folder, header)
    except OSError as error:
        shutil.rmtree(folder, ignore_errors=True)
        raise disk_error(error) from None
    return folder


def resume(models: Path, header: Header) -> Path:
    """Begin a run, or continue what a process that ended has stored of it on the same grid.

    Unfinished runs of other times are deleted.
    """
    folder = unfinished_path(models, header.model, header.run)
    for other in folder.parent.glob(f"{UNFINISHED}*"):
        if other != folder:
            shutil.rmtree(other, ignore_errors=True)
    same = _continues(header, begun(models, header.model, header.run))
    return folder if same else begin(models, header)


def begun(models: Path, model: str, run: int) -> Header | None:
    """Return the header with which a process that ended has begun a run."""
    try:
        return read_header(unfinished_path(models, model, run))
    except (OSError, ValueError):
        return None


def _continues(header: Header, begun: Header | None) -> bool:
    if begun is None:
        return False
    return msgspec.structs.replace(begun, steps=header.steps, written=header.written) == header


def may_resume(folder: Path) -> bool:
    """Whether the unfinished run in a folder may be continued after a restart."""
    header = folder / HEADER_NAME
    try:
        return time.time() - header.stat().st_mtime < _RESUMED_SECONDS
    except OSError:
        return False


def discard(models: Path, model: str, run: int) -> None:
    shutil.rmtree(unfinished_path(models, model, run), ignore_errors=True)


def unfinished_path(models: Path, model: str, run: int) -> Path:
    return models / model / f"{UNFINISHED}{run}"


def disk_error(error: OSError) -> AppError:
    """Return `disk_full` for the errors that mean it, otherwise `disk_failed`."""
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return AppError(507, "disk_full")
    return AppError(500, "disk_failed", reason=error.strerror or str(error))


def finish(folder: Path, header: Header) -> Path:
    """Make a run visible; it survives a power cut from here on."""
    if any(folder.glob("*.step")):
        _assemble_rest(folder, header)
    write_header(folder, header)
    sync(folder / VALUES_NAME)
    sync(folder / HEADER_NAME)
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


@contextmanager
def replacing(path: Path, ending: str) -> Iterator[Path]:
    """Write a file that appears under its name once it is complete, and not at all if it fails."""
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_suffix(ending)
    try:
        yield part
        sync(part)
        part.replace(path)
    except OSError:
        part.unlink(missing_ok=True)
        raise
    sync(path.parent)


def sync(path: Path) -> None:
    """Flush a file, or the names in a folder, to disk."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
