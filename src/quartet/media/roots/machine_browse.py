"""Lists folders of this machine that may be configured, for a first folder. Blocks."""

import os
from pathlib import Path

from quartet.kernel.errors import AppError
from quartet.media.roots.allowed_folders import SYSTEM, allowed_folder, is_within
from quartet.media.roots.file_kinds import is_internal_name
from quartet.media.roots.mounts import mount_points
from quartet.media.roots.path_encoding import decode_path, encode_path
from quartet.media.roots.types import Browsed, BrowseEntry

MOST_FOLDERS = 1000
# Belong to the system.
_HIDDEN = (*SYSTEM, "/run")


def browse_machine(text: str, config: Path) -> Browsed:
    """List the folders in a folder; without a path, the mounted disks and top-level folders."""
    if not text:
        return Browsed("", None, [_entry(path, path) for path in _tops(config)], None)
    path = decode_path(text)
    if path != "/":
        path = _listable(path, config)
    parent = os.path.dirname(path)  # noqa: PTH120 - keeps any bytes
    entries = [_entry(name, os.path.join(path, name)) for name in _subfolders(path)]  # noqa: PTH118
    shown = [one for one in entries if not _is_hidden(decode_path(one.path))]
    return Browsed(
        encode_path(path), "" if parent == "/" else encode_path(parent), shown[:MOST_FOLDERS], None
    )


def _listable(path: str, config: Path) -> str:
    try:
        return allowed_folder(path, config)
    except AppError as error:
        # A folder above the data folder cannot be configured, but others in it can.
        if error.code == "config_folder" and not is_within(path, os.path.realpath(config)):
            return path.rstrip("/")
        raise


def _tops(config: Path) -> list[str]:
    """Return mounted disks first, then the top-level folders."""
    found = [*mount_points(), *(f"/{name}" for name in _subfolders("/"))]
    own = os.path.realpath(config)
    usable = [one for one in found if one != "/" and not is_within(one, own)]
    return [one for one in dict.fromkeys(usable) if not _is_hidden(one)]


def _subfolders(path: str) -> list[str]:
    try:
        with os.scandir(path) as found:
            names = [one.name for one in found if one.is_dir(follow_symlinks=False)]
    except OSError as error:
        raise AppError(403, "permission_denied", path=encode_path(path)) from error
    shown = [name for name in names if name[0] not in ".$" and not is_internal_name(name)]
    shown = [name for name in shown if name != "lost+found"]
    return sorted(shown, key=str.casefold)


def _is_hidden(path: str) -> bool:
    return any(is_within(path, folder) for folder in _HIDDEN)


def _entry(name: str, path: str) -> BrowseEntry:
    return BrowseEntry(encode_path(name), encode_path(path), "dir", 0, 0)
