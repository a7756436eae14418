"""Free disk space."""

import os

from quartet.kernel.errors import AppError
from quartet.kernel.files.beneath import Parts
from quartet.kernel.files.errors import display_path


def free_space(fd: int) -> int:
    """Return the bytes that unprivileged users can still write."""
    disk = os.fstatvfs(fd)
    return disk.f_bavail * disk.f_frsize


def require_space(fd: int, needed: int, parts: Parts) -> None:
    free = free_space(fd)
    if free < needed:
        raise AppError(507, "no_space", path=display_path(parts), needed=needed, free=free)
