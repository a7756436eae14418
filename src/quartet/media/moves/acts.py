"""What is done to one file: each act leaves the old state or the new one, never less."""

import errno
import os
from contextlib import suppress
from typing import NamedTuple

from quartet.kernel.errors import AppError
from quartet.kernel.files.errors import app_errors_on_rename
from quartet.media.moves.copying import Clone, Telling, copy_file
from quartet.media.moves.disk import Disk, identity
from quartet.media.moves.types import Action
from quartet.media.roots.places import Spot

_NO_LINK = (errno.EXDEV, errno.EPERM, errno.ENOTSUP, errno.ENOSYS, errno.EMLINK)


class Route(NamedTuple):
    """The way of one file; see the columns of the same names."""

    source: Spot
    target: Spot
    backup: Spot | None = None
    parked: Spot | None = None
    temporary: Spot | None = None

    @property
    def start(self) -> Spot:
        return self.parked or self.source


def perform(disk: Disk, action: Action, route: Route, tell: Telling) -> str | None:
    """Gives the digest of what was read."""
    if action == "hardlink":
        _hardlink(disk, route)
        return None
    if action == "move":
        return _move(disk, route, tell)
    return _copy(disk, route, "only" if action == "reflink" else "no", tell)[1]


def put(disk: Disk, coming: Spot, route: Route) -> None:
    """Gives a file its final name; what lies there is put aside, and back if that fails."""
    if route.backup is None:
        disk.rename(coming, route.target)
        return
    disk.rename(route.target, route.backup)
    try:
        disk.rename(coming, route.target)
    except BaseException:
        with suppress(AppError, OSError):
            disk.rename(route.backup, route.target)
        raise


def _move(disk: Disk, route: Route, tell: Telling) -> str | None:
    if route.temporary is None:
        put(disk, route.start, route)
        return None
    copied, digest = _copy(disk, route, "no", tell)
    now = disk.look(route.start)
    if now is None or identity(now) != identity(copied):
        # Somebody wrote to it after it was read: the copy is not the file any more.
        _take_away(disk, route)
        raise AppError(409, "source_changed", path=route.start.name)
    _remove_start(disk, route)
    return digest


def _remove_start(disk: Disk, route: Route) -> None:
    """If the file stays its copy must not: nobody would know of that."""
    try:
        disk.remove(route.start)
    except (AppError, OSError):
        # Some disks say no although they have done it, and then the copy is all there is.
        if disk.look(route.start):
            _take_away(disk, route)
            raise
    with suppress(OSError):  # lost in a power cut, the file is merely there again
        os.fsync(disk.folder(route.start.parent))


def _copy(
    disk: Disk, route: Route, clone: Clone, tell: Telling
) -> tuple[os.stat_result, str | None]:
    if route.temporary is None:
        raise AppError(409, "different_mount", path=route.target.name)
    try:
        copied = copy_file(disk, route.start, route.temporary, clone, tell)
        put(disk, route.temporary, route)
    except BaseException:
        with suppress(AppError, OSError):
            disk.remove(route.temporary)
        raise
    try:
        os.fsync(disk.folder(route.target.parent))
    except OSError:
        _take_away(disk, route)
        raise
    return copied.source, copied.digest


def _take_away(disk: Disk, route: Route) -> None:
    """Removes a copy we made ourselves; what it replaced comes back."""
    disk.remove(route.target)
    if route.backup:
        disk.rename(route.backup, route.target)


def _hardlink(disk: Disk, route: Route) -> None:
    """Says so where it cannot; a copy instead would surprise whoever counted on the room."""
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


def _link(disk: Disk, route: Route) -> None:
    try:
        disk.hardlink(route.source, route.target)
    except OSError as error:
        if error.errno not in _NO_LINK:
            raise
        raise AppError(409, "hardlink_impossible", path=route.target.name) from error
