"""Checks which folders may be configured. Reads the disk, so call it from a thread."""

import os
import posixpath
from pathlib import Path

from quartet.kernel.errors import AppError
from quartet.media.roots.path_encoding import encode_path

# Including everything below them.
SYSTEM = ("/proc", "/sys", "/dev", "/boot", "/etc", "/bin", "/sbin", "/lib", "/lib64", "/usr")


def allowed_folder(path: str, config: Path) -> str:
    """Return the normalised path, or raise if the folder is not allowed."""
    if not path.startswith("/") or "\0" in path or ".." in path.split("/"):
        raise AppError(400, "path_invalid", path=encode_path(path))
    plain = "/" + posixpath.normpath(path).lstrip("/")
    try:
        real = os.path.realpath(plain)
        exists = os.path.isdir(real)  # noqa: PTH112 - keeps any bytes
    except (OSError, ValueError):
        raise AppError(400, "path_invalid", path=encode_path(path)) from None
    # Check both the path and where a symbolic link leads.
    for one in (plain, real):
        if one == "/" or any(is_within(one, folder) for folder in SYSTEM):
            raise AppError(403, "system_folder", path=encode_path(plain))
    private = os.path.realpath(config)
    if is_within(real, private) or is_within(private, real):
        raise AppError(403, "config_folder", path=encode_path(plain))
    if not exists:
        raise AppError(404, "folder_missing", path=encode_path(plain))
    return plain


def is_within(path: str, folder: str) -> bool:
    return path == folder or path.startswith(folder.rstrip("/") + "/")
