"""The configured folders at one moment; every path is resolved through them."""

import os
from collections.abc import Iterable
from typing import NamedTuple

from quartet.kernel.errors import AppError
from quartet.kernel.files import Root
from quartet.kernel.files.beneath import Parts
from quartet.kernel.files.paths import validate_parts
from quartet.media.roots.path_encoding import encode_path
from quartet.media.roots.types import Folder


class RootedPath(NamedTuple):
    """A path below a configured folder; file operations go through that folder's `Root`."""

    root: Root
    parts: Parts

    @property
    def path(self) -> str:
        return "/".join((self.root.text, *self.parts))

    @property
    def parent(self) -> "RootedPath":
        return RootedPath(self.root, self.parts[:-1])

    @property
    def name(self) -> str:
        return self.parts[-1]

    def with_name(self, name: str) -> "RootedPath":
        return RootedPath(self.root, (*self.parts[:-1], name))


class FolderAccess:
    def __init__(self, folders: Iterable[Folder]) -> None:
        self.folders = tuple(folders)
        # Keyed by components, so that the innermost of nested folders is found first.
        self._roots = {_split(path): Root(path) for path in self.paths}
        self._mounted = {self.resolve(one.system_path).root for one in self.folders if one.mounted}

    @property
    def paths(self) -> frozenset[str]:
        return frozenset(folder.system_path for folder in self.folders)

    def resolve(self, path: str) -> RootedPath:
        """Resolve an absolute system path; raise if it is outside the configured folders."""
        parts = _split(path)
        if not path.startswith("/") or ".." in parts:
            raise outside_error(path)
        for length in range(len(parts), 0, -1):
            if root := self._roots.get(parts[:length]):
                return RootedPath(root, validate_parts(parts[length:]))
        raise outside_error(path)

    def contains(self, path: str) -> bool:
        try:
            self.resolve(path)
        except AppError:
            return False
        return True

    def require_present(self, root: Root) -> None:
        """Raise if the disk is not mounted: its empty mount point is not the library."""
        path = str(root.path)
        if not os.path.isdir(path):  # noqa: PTH112 - keeps any bytes
            raise AppError(409, "folder_missing", path=encode_path(path))
        if root in self._mounted and not os.path.ismount(path):
            raise AppError(409, "folder_not_mounted", path=encode_path(path))

    def is_gone(self, path: str) -> bool:
        """Return True if the file is gone for good; a missing disk may come back."""
        if not self.contains(path):
            return True
        location = self.resolve(path)
        try:
            self.require_present(location.root)
            return not location.root.exists(location.parts)
        except (AppError, OSError):
            return False


def outside_error(path: str) -> AppError:
    """The same error for existing and missing files, to reveal nothing about other folders."""
    return AppError(403, "outside_folders", path=encode_path(path))


def _split(path: str) -> Parts:
    return tuple(part for part in path.split("/") if part not in ("", "."))
