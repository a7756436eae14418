"""Copies files and verifies the copies."""

import errno
import fcntl
import os
import stat
import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from quartet.kernel.errors import AppError
from quartet.kernel.files.beneath import Parts, closing_fd, open_beneath
from quartet.kernel.files.errors import display_path
from quartet.kernel.files.renames import EntryRef
from quartet.kernel.files.space import require_space

Cancelled = Callable[[], bool]

_STEP = 8 * 1024 * 1024
_FICLONE = 0x40049409
_TRY_NEXT_METHOD = (
    errno.EXDEV,
    errno.EINVAL,
    errno.ENOSYS,
    errno.ENOTSUP,
    errno.EPERM,
    errno.ENOTTY,
    errno.ETXTBSY,
)

# Errors when setting mode or times on network shares or disks of other users; ignored.
_IGNORED = (errno.EPERM, errno.ENOTSUP, errno.ENOSYS)


@dataclass(frozen=True, slots=True)
class CopyContext:
    """The path for error messages and the cancel check of a copy."""

    parts: Parts
    cancelled: Cancelled | None = None

    def stop_if_cancelled(self) -> None:
        if self.cancelled and self.cancelled():
            raise AppError(409, "cancelled", path=display_path(self.parts))


def copy_file(source: EntryRef, target: EntryRef, copying: CopyContext) -> os.stat_result:
    """Copy to a new file with mode and times where possible, and fsync it."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    reading = open_beneath(source.folder, (source.name,), os.O_RDONLY | os.O_NONBLOCK)
    with closing_fd(reading):
        before = os.fstat(reading)
        if not stat.S_ISREG(before.st_mode):
            raise AppError(400, "path_invalid", path=display_path(copying.parts))
        with closing_fd(os.open(target.name, flags, 0o600, dir_fd=target.folder)) as writing:
            _copy_bytes(reading, writing, before.st_size, copying)
            copy_mode_and_times(writing, before)
            os.fsync(writing)
            _verify(reading, writing, before, copying)
    return before


def copy_mode_and_times(fd: int, seen: os.stat_result) -> None:
    """Set mode and times; ignore each one the file system does not support."""
    mode, times = stat.S_IMODE(seen.st_mode) & 0o777, (seen.st_atime_ns, seen.st_mtime_ns)
    for keep in (partial(os.fchmod, fd, mode), partial(os.utime, fd, ns=times)):
        try:
            keep()
        except OSError as error:
            if error.errno not in _IGNORED:
                raise


def same_file(one: os.stat_result, other: os.stat_result) -> bool:
    """Return whether both results describe the same unchanged file."""
    return (one.st_dev, one.st_ino, one.st_size, one.st_mtime_ns) == (
        other.st_dev,
        other.st_ino,
        other.st_size,
        other.st_mtime_ns,
    )


def _copy_bytes(reading: int, writing: int, size: int, copying: CopyContext) -> None:
    if _clone(reading, writing):
        copying.stop_if_cancelled()
        return
    require_space(writing, size, copying.parts)
    # Each method continues where the previous one failed; the last one always works.
    for method in (_by_copy_file_range, _by_sendfile, _by_read_write):
        try:
            while method(reading, writing):
                copying.stop_if_cancelled()
        except OSError as error:
            if method is _by_read_write or error.errno not in _TRY_NEXT_METHOD:
                raise


def _clone(reading: int, writing: int) -> bool:
    """Share the blocks (reflink) on file systems that support it."""
    if sys.platform != "linux":
        return False
    try:
        fcntl.ioctl(writing, _FICLONE, reading)
    except OSError as error:
        if error.errno not in _TRY_NEXT_METHOD:
            raise
        return False
    return True


def _by_copy_file_range(reading: int, writing: int) -> int:
    if sys.platform != "linux":
        return 0
    return os.copy_file_range(reading, writing, _STEP)


def _by_sendfile(reading: int, writing: int) -> int:
    if sys.platform != "linux":
        return 0
    return os.sendfile(writing, reading, None, _STEP)


def _by_read_write(reading: int, writing: int) -> int:
    data = memoryview(os.read(reading, _STEP))
    rest = data
    while rest:
        rest = rest[os.write(writing, rest) :]
    return len(data)


def _verify(reading: int, writing: int, before: os.stat_result, copying: CopyContext) -> None:
    if not same_file(before, os.fstat(reading)):
        raise AppError(409, "source_changed", path=display_path(copying.parts))
    if os.fstat(writing).st_size != before.st_size:
        raise AppError(500, "copy_differs", path=display_path(copying.parts))
