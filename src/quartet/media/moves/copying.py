"""Copies files completely, verified and synced to disk."""

import errno
import fcntl
import hashlib
import os
import stat
import sys
from collections.abc import Callable
from contextlib import suppress
from typing import Literal, NamedTuple

from quartet.kernel.errors import AppError
from quartet.kernel.files.beneath import closing_fd, open_beneath
from quartet.kernel.files.copies import copy_mode_and_times
from quartet.kernel.files.errors import app_errors
from quartet.kernel.files.space import require_space
from quartet.media.moves.disk import Disk
from quartet.media.roots.folder_access import RootedPath

Clone = Literal["no", "only"]

_STEP = 4 * 1024 * 1024
_FICLONE = 0x40049409
_NO_CLONE = (errno.EXDEV, errno.EINVAL, errno.ENOSYS, errno.ENOTSUP, errno.EPERM, errno.ENOTTY)


class CopyCallbacks(NamedTuple):
    """Reports the copied bytes and asks whether to stop."""

    bytes: Callable[[int, int], None]
    cancelled: Callable[[], bool]


class Copied(NamedTuple):
    source: os.stat_result
    digest: str | None


def copy_file(
    disk: Disk, source: RootedPath, target: RootedPath, clone: Clone, callbacks: CopyCallbacks
) -> Copied:
    """Copy into a new file, with times, mode and extended attributes where supported."""
    here, there = disk.two_places(source, target)
    flags = os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    with app_errors(source.parts):
        reading = open_beneath(here.folder, (here.name,), os.O_RDONLY | os.O_NONBLOCK)
    with closing_fd(reading), app_errors(target.parts):
        before = os.fstat(reading)
        if not stat.S_ISREG(before.st_mode):
            raise AppError(400, "not_a_file", path=source.name)
        with closing_fd(os.open(there.name, flags, 0o600, dir_fd=there.folder)) as writing:
            if clone == "only":
                _clone(reading, writing, target)
                digest = None
            else:
                require_space(writing, before.st_size, target.parts)
                digest = _copy_bytes(reading, writing, before.st_size, source, callbacks)
            _finish(reading, writing, before)
            _verify(reading, writing, before, source)
    return Copied(before, digest)


def digest_of(disk: Disk, location: RootedPath) -> str:
    place = disk.place(location)
    digest = hashlib.blake2b()
    with (
        app_errors(location.parts),
        closing_fd(
            open_beneath(place.folder, (place.name,), os.O_RDONLY | os.O_NONBLOCK)
        ) as reading,
    ):
        while data := os.read(reading, _STEP):
            digest.update(data)
    return digest.hexdigest()


def _copy_bytes(
    reading: int, writing: int, size: int, source: RootedPath, callbacks: CopyCallbacks
) -> str:
    digest, done = hashlib.blake2b(), 0
    while data := os.read(reading, _STEP):
        digest.update(data)
        rest = memoryview(data)
        while rest:
            rest = rest[os.write(writing, rest) :]
        done += len(data)
        callbacks.bytes(done, size)
        if callbacks.cancelled():
            raise AppError(409, "cancelled", path=source.name)
    return digest.hexdigest()


def _clone(reading: int, writing: int, target: RootedPath) -> None:
    """Share the blocks, or fail if the disk does not support it; never copy instead."""
    try:
        if sys.platform != "linux":
            raise OSError(errno.ENOTSUP, os.strerror(errno.ENOTSUP))
        fcntl.ioctl(writing, _FICLONE, reading)
    except OSError as error:
        if error.errno not in _NO_CLONE:
            raise
        raise AppError(409, "reflink_impossible", path=target.name) from error


def _finish(reading: int, writing: int, before: os.stat_result) -> None:
    for name in _attributes(reading):
        # The target's file system may not support them.
        with suppress(OSError):
            os.setxattr(writing, name, os.getxattr(reading, name))
    copy_mode_and_times(writing, before)
    os.fsync(writing)


def _attributes(fd: int) -> list[str]:
    if sys.platform != "linux":
        return []
    try:
        return os.listxattr(fd)
    except OSError:
        return []


def _verify(reading: int, writing: int, before: os.stat_result, source: RootedPath) -> None:
    now = os.fstat(reading)
    if (now.st_size, now.st_mtime_ns) != (before.st_size, before.st_mtime_ns):
        raise AppError(409, "source_changed", path=source.name)
    if os.fstat(writing).st_size != before.st_size:
        raise AppError(500, "copy_differs", path=source.name)
