"""Turns requested paths into files for the rules."""

import stat
from collections.abc import Sequence

from quartet.kernel.errors import AppError
from quartet.media.roots.folder_access import FolderAccess, RootedPath, outside_error
from quartet.media.roots.path_encoding import decode_path, encode_path
from quartet.media.rules.types import File


def files_at(access: FolderAccess, paths: Sequence[str]) -> list[File]:
    """Raise for paths outside the configured folders and for these folders themselves. Blocks."""
    return [_file(access.resolve(decode_path(text))) for text in paths]


def _file(location: RootedPath) -> File:
    if not location.parts:
        raise outside_error(location.path)
    seen = location.root.stat(location.parts)
    is_folder = stat.S_ISDIR(seen.st_mode)
    if not is_folder and not stat.S_ISREG(seen.st_mode):
        raise AppError(400, "not_a_file", path=encode_path(location.path))
    return File(
        folder=location.parent.path,
        name=location.name,
        is_folder=is_folder,
        modified=seen.st_mtime,
        # Python has no birth time on Linux; use the earlier of both times.
        created=min(seen.st_ctime, seen.st_mtime),
    )
