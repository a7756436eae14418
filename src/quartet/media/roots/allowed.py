"""Which folders may be configured at all. Asks the disk, so it is called from a thread."""

import os
import posixpath
from pathlib import Path

from quartet.kernel.errors import AppError
from quartet.media.roots.texts import path_text

# With everything below them.
SYSTEM = ("/proc", "/sys", "/dev", "/boot", "/etc", "/bin", "/sbin", "/lib", "/lib64", "/usr")


def allowed_folder(path: str, config: Path) -> str:
    """The path in its plain form, if it is a folder people may work in."""
    if not path.startswith("/") or "\0" in path or ".." in path.split("/"):
        raise AppError(400, "path_invalid", path=path_text(path))
    plain = "/" + posixpath.normpath(path).lstrip("/")
    try:
        real = os.path.realpath(plain)
        exists = os.path.isdir(real)  # noqa: PTH112 - keeps any bytes
    except (OSError, ValueError):
        raise AppError(400, "path_invalid", path=path_text(path)) from None
    # Where a link leads counts as much as where it lies.
    for one in (plain, real):
        if one == "/" or any(is_within(one, folder) for folder in SYSTEM):
            raise AppError(403, "system_folder", path=path_text(plain))
    private = os.path.realpath(config)
    if is_within(real, private) or is_within(private, real):
        raise AppError(403, "config_folder", path=path_text(plain))
    if not exists:
        raise AppError(404, "folder_missing", path=path_text(plain))
    return plain


def is_within(path: str, folder: str) -> bool:
    return path == folder or path.startswith(folder.rstrip("/") + "/")
