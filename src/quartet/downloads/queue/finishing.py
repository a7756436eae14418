"""From a complete part file to its place in the done folder."""

import os
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from quartet.downloads.transfer import forget
from quartet.kernel.errors import AppError
from quartet.kernel.files import TEMPORARY_PREFIX, Root, move, safe_name, unique_name
from quartet.kernel.files.paths import to_parts

BLOCK = 1024 * 1024


def part_path(tmp: Path, id: int) -> Path:
    return tmp / f"{id}.part"


class _Taken:
    """The names in a folder, asked one by one: there may be a hundred thousand."""

    def __init__(self, root: Root, before: str) -> None:
        self._root = root
        self._before = before

    def __contains__(self, name: object) -> bool:
        return self._root.exists(f"{self._before}{name}")


class DoneFolder:
    """Its methods block: call them from a thread."""

    def __init__(self, path: Path) -> None:
        self._path = path

    @property
    def root(self) -> Root:
        if not self._path.is_dir():
            self._path.mkdir(parents=True, exist_ok=True)
        return Root(self._path)

    def free_place(self, folder: str, name: str) -> str:
        """A path below the done folder that nothing has yet."""
        root = self.root
        if folder:
            root.make_folder(folder)
        before = f"{folder}/" if folder else ""
        return before + unique_name(safe_name(name), _Taken(root, before))

    def take(self, part: Path, file: str, cancelled: Callable[[], bool]) -> bool:
        """Moves a part file to its place; False when somebody else was there first."""
        source, to = Root(part.parent), self.root
        return _taken(part, lambda: move(source, (part.name,), file, to, cancelled=cancelled))

    def take_near(self, part: Path, file: str) -> bool:
        """The same, which takes no time, or raises `different_mount`."""
        source, to = Root(part.parent), self.root
        return _taken(part, lambda: source.rename((part.name,), file, to))

    def has_taken(self, part: Path, file: str, size: int | None) -> bool:
        """Whether a move that nobody saw the end of was done; what it left half-done goes."""
        if self._holds(file, size) and self._is_copy(part, file):
            return True
        self._sweep(file.rpartition("/")[0])
        return False

    def _holds(self, file: str, size: int | None) -> bool:
        with suppress(AppError):
            return size is not None and self.root.stat(file).st_size == size
        return False

    def _is_copy(self, part: Path, file: str) -> bool:
        """A part that is still there was being copied to another disk, or its place was taken."""
        try:
            with part.open("rb") as one, self.root.open(file) as other:
                while piece := one.read(BLOCK):
                    if piece != other.read(BLOCK):
                        return False
        except FileNotFoundError:
            return True
        return True

    def _sweep(self, folder: str) -> None:
        root, before = self.root, f"{folder}/" if folder else ""
        with suppress(AppError):
            for entry in root.list(folder):
                if entry.is_file and entry.name.startswith(TEMPORARY_PREFIX):
                    root.remove(before + entry.name)

    def sync(self, folder: str) -> None:
        """What lies in this folder is on the disk, as far as its names go."""
        with suppress(AppError, OSError), self.root.folder(to_parts(folder)) as opened:
            os.fsync(opened)

    def remove(self, file: str) -> None:
        """With the folder it was in, if that is empty now."""
        root = self.root
        with suppress(AppError):
            root.remove(file)
        folder = file.rpartition("/")[0]
        while folder:
            try:
                root.remove_folder(folder)
            except AppError:
                return
            folder = folder.rpartition("/")[0]


def _taken(part: Path, act: Callable[[], None]) -> bool:
    try:
        act()
    except AppError as error:
        if error.code == "already_exists":
            return False
        raise
    forget(part)
    return True
