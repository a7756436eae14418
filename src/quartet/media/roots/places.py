"""The configured folders at one moment: the one gate through which every path goes."""

import os
from collections.abc import Iterable
from typing import NamedTuple

from quartet.kernel.errors import AppError
from quartet.kernel.files import Root
from quartet.kernel.files.beneath import Parts
from quartet.kernel.files.paths import validate_parts
from quartet.media.roots.texts import path_text
from quartet.media.roots.types import Folder


class Spot(NamedTuple):
    """A name below a configured folder; what is done to it goes through that folder's `Root`."""

    root: Root
    parts: Parts

    @property
    def path(self) -> str:
        return "/".join((str(self.root.path), *self.parts))

    @property
    def parent(self) -> "Spot":
        return Spot(self.root, self.parts[:-1])

    @property
    def name(self) -> str:
        return self.parts[-1]

    def beside(self, name: str) -> "Spot":
        return Spot(self.root, (*self.parts[:-1], name))


class Places:
    def __init__(self, folders: Iterable[Folder]) -> None:
        self.folders = tuple(folders)
        # By components, so that the innermost of nested folders is found by looking upwards.
        self._roots = {_split(path): Root(path) for path in self.paths}
        self._mounted = {self.spot(one.system_path).root for one in self.folders if one.mounted}

    @property
    def paths(self) -> frozenset[str]:
        return frozenset(folder.system_path for folder in self.folders)

    def spot(self, path: str) -> Spot:
        """Where an absolute path of the system lies; refuses whatever is not inside."""
        parts = _split(path)
        if not path.startswith("/") or ".." in parts:
            raise outside(path)
        for length in range(len(parts), 0, -1):
            if root := self._roots.get(parts[:length]):
                return Spot(root, validate_parts(parts[length:]))
        raise outside(path)

    def inside(self, path: str) -> bool:
        try:
            self.spot(path)
        except AppError:
            return False
        return True

    def require_present(self, root: Root) -> None:
        """An unmounted disk leaves an empty folder behind, and that is not the library."""
        path = str(root.path)
        if not os.path.isdir(path):  # noqa: PTH112 - keeps any bytes
            raise AppError(409, "folder_missing", path=path_text(path))
        if root in self._mounted and not os.path.ismount(path):
            raise AppError(409, "folder_not_mounted", path=path_text(path))

    def surely_gone(self, path: str) -> bool:
        """Nobody can come across it any more; a disk that is away comes back."""
        if not self.inside(path):
            return True
        spot = self.spot(path)
        try:
            self.require_present(spot.root)
            return not spot.root.exists(spot.parts)
        except (AppError, OSError):
            return False


def outside(path: str) -> AppError:
    """The same answer for what exists and what does not: nobody learns what lies elsewhere."""
    return AppError(403, "outside_folders", path=path_text(path))


def _split(path: str) -> Parts:
    return tuple(part for part in path.split("/") if part not in ("", "."))
