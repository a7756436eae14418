"""Operations on one file. Each leaves either the old or the new state, nothing in between."""

import errno
import os
from contextlib import suppress
from typing import NamedTuple

from quartet.kernel.errors import AppError
from quartet.kernel.files.errors import app_errors_on_rename
from quartet.media.moves.copying import Clone, CopyCallbacks, copy_file
from quartet.media.moves.disk import Disk, identity
from quartet.media.moves.types import Action
from quartet.media.roots.folder_access import RootedPath

_NO_LINK = (errno.EXDEV, errno.EPERM, errno.ENOTSUP, errno.ENOSYS, errno.EMLINK)


class MovePaths(NamedTuple):
    """All paths of one move; see the columns of the same names."""

    source: RootedPath
    target: RootedPath
    backup: RootedPath | None = None
    parked: RootedPath | None = None
    temporary: RootedPath | None = None

    @property
    def start(self) -> RootedPath:
        return self.parked or self.source


def perform(disk: Disk, action: Action, route: MovePaths, callbacks: CopyCallbacks) -> str | None:
    """Execute the action and return the digest of the content, if it was read."""
    if action == "hardlink":
        _hardlink(disk, route)
        return None
    if action == "move":
        return _move(disk, route, callbacks)
    return _copy(disk, route, "only" if action == "reflink" else "no", callbacks)[1]


def rename_into_place(disk: Disk, incoming: RootedPath, route: MovePaths) -> None:
    """Rename a file to its final name.

    An existing file becomes the backup, and is restored on failure.
    """
    if route.backup is None:
        disk.rename(incoming, route.target)
        return
    disk.rename(route.target, route.backup)
    try:
        disk.rename(incoming, route.target)
    except BaseException:
        with suppress(AppError, OSError):
            disk.rename(route.backup, route.target)
        raise


def _move(disk: Disk, route: MovePaths, callbacks: CopyCallbacks) -> str | None:
    if route.temporary is None:
        rename_into_place(disk, route.start, route)
        return None
    copied, digest = _copy(disk, route, "no", callbacks)
    now = disk.stat_if_exists(route.start)
    if now is None or identity(now) != identity(copied):
        # The file was written to after it was read, so the copy is outdated.
        _remove_copy(disk, route)
        raise AppError(409, "source_changed", path=route.start.name)
    _remove_start(disk, route)
    return digest


def _remove_start(disk: Disk, route: MovePaths) -> None:
    """Delete the source after a copy; if that fails, delete the copy."""
    try:
        disk.remove(route.start)
    except (AppError, OSError):
        # Some file systems report an error although the file is gone. Then the copy is the only
        # one.
        if disk.stat_if_exists(route.start):
            _remove_copy(disk, route)
            raise
    with suppress(OSError):  # after a power cut the file may merely exist again
        os.fsync(disk.folder(route.start.parent))


def _copy(
    disk: Disk, route: MovePaths, clone: Clone, callbacks: CopyCallbacks
) -> tuple[os.stat_result, str | None]:
    if route.temporary is None:
        raise AppError(409, "different_mount", path=route.target.name)
    try:
        copied = copy_file(disk, route.start, route.temporary, clone, callbacks)
        rename_into_place(disk, route.temporary, route)
    except BaseException:
        with suppress(AppError, OSError):
            disk.remove(route.temporary)
        raise
    try:
        os.fsync(disk.folder(route.target.parent))
    except OSError:
        _remove_copy(disk, route)
        raise
    return copied.source, copied.digest


def _remove_copy(disk: Disk, route: MovePaths) -> None:
    """Delete our own copy and restore the file it replaced."""
    disk.remove(route.target)
    if route.backup:
        disk.rename(route.backup, route.target)


def _hardlink(disk: Disk, route: MovePaths) -> None:
    """Create a hard link, or fail. Copying instead would use unexpected disk space."""
    if route.backup:
        disk.rename(route.target, route.backup)
    try:
        with app_errors_on_rename(route.source.parts, route.target.parts):
            _link(disk, route)
    except BaseException:
        if route.backup:
            with suppress(AppError, OSError):
                disk.rename(route.backup, route.target)
        raise


def _link(disk: Disk, route: MovePaths) -> None:
    try:
        disk.hardlink(route.source, route.target)
    except OSError as error:
        if error.errno not in _NO_LINK:
            raise
        raise AppError(409, "hardlink_impossible", path=route.target.name) from error
