"""The done folder: chooses free names, moves part files there and removes files."""

import os
from collections.abc import Callable, Container
from contextlib import ExitStack, suppress
from pathlib import Path

from quartet.downloads.transfer import remove_checkpoint
from quartet.kernel.errors import AppError
from quartet.kernel.files import TEMPORARY_PREFIX, Root, move, safe_name, unique_name
from quartet.kernel.files.errors import app_errors, app_errors_on_rename
from quartet.kernel.files.paths import to_parts, validate_parts
from quartet.kernel.files.renames import EntryRef, rename_no_replace, stat_entry

BLOCK = 1024 * 1024


def part_path(tmp: Path, id: int) -> Path:
    return tmp / f"{id}.part"


class OpenFolders(ExitStack):
    """Folders that stay open for a batch of files: opening one takes longer than a rename."""

    def __init__(self) -> None:
        super().__init__()
        self._opened: dict[tuple[Path, str], int] = {}
        # Paths that were chosen for other files of the batch.
        self.chosen: set[str] = set()

    def open(self, path: Path, folder: str = "", *, make: bool = False) -> int:
        """Return a folder below a path, which is created first if wanted."""
        key = (path, folder)
        if (opened := self._opened.get(key)) is not None:
            return opened
        if make:
            path.mkdir(parents=True, exist_ok=True)
        root = Root(path)
        if make and folder:
            root.make_folder(folder)
        opened = self._opened[key] = self.enter_context(root.folder(to_parts(folder)))
        return opened


class _TakenNames:
    """The names in a folder, checked one by one because a folder may hold 100,000 files."""

    def __init__(self, folder: int, before: str, chosen: Container[str]) -> None:
        self._folder = folder
        self._before = before
        self._chosen = chosen

    def __contains__(self, name: object) -> bool:
        path = f"{self._before}{name}"
        return path in self._chosen or self._exists(str(name))

    def _exists(self, name: str) -> bool:
        try:
            stat_entry(EntryRef(self._folder, name))
        except FileNotFoundError:
            return False
        except OSError as error:
            with app_errors((name,)):
                raise error
        return True


class DoneFolder:
    """Finished files. All methods block, so call them from a thread."""

    def __init__(self, path: Path) -> None:
        self._path = path

    @property
    def root(self) -> Root:
        if not self._path.is_dir():
            self._path.mkdir(parents=True, exist_ok=True)
        return Root(self._path)

    def free_path(self, folder: str, name: str, opened: OpenFolders) -> str:
        """Return a path below the done folder that does not exist yet."""
        before = f"{folder}/" if folder else ""
        taken = _TakenNames(opened.open(self._path, folder, make=True), before, opened.chosen)
        path = before + unique_name(safe_name(name), taken)
        opened.chosen.add(path)
        return path

    def move_in(self, part: Path, file: str, cancelled: Callable[[], bool]) -> bool:
        """Move a part file to its path, also across disks; return False if the path is taken."""
        source, to = Root(part.parent), self.root
        return _move_part(part, lambda: move(source, (part.name,), file, to, cancelled=cancelled))

    def rename_in(self, part: Path, file: str, opened: OpenFolders) -> bool:
        """Rename a part file to its path; raises `different_mount` if that is on another disk."""

        def rename() -> None:
            folder, _, name = file.rpartition("/")
            source = EntryRef(opened.open(part.parent), part.name)
            target = EntryRef(opened.open(self._path, folder), *validate_parts((name,)))
            try:
                rename_no_replace(source, target)
            except OSError as error:
                with app_errors_on_rename((part.name,), (file,)):
                    raise error

        return _move_part(part, rename)

    def move_out(self, file: str, part: Path) -> None:
        """Move a finished file back to its part file, also across disks."""
        part.unlink(missing_ok=True)
        move(self.root, to_parts(file), part.name, Root(part.parent))

    def has_file(self, part: Path, file: str, size: int | None) -> bool:
        """Return whether an interrupted move was completed; otherwise delete its leftovers."""
        if self._has_size(file, size) and self._is_copy(part, file):
            return True
        self._sweep(file.rpartition("/")[0])
        return False

    def _has_size(self, file: str, size: int | None) -> bool:
        with suppress(AppError):
            return size is not None and self.root.stat(file).st_size == size
        return False

    def _is_copy(self, part: Path, file: str) -> bool:
        """Compare the part file, if it still exists, with the moved file.

        A part file that still exists was being copied to another disk, or its path was taken.
        """
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

    def sync_folder(self, folder: str) -> None:
        """Flush the directory entries of this folder to the disk."""
        with suppress(AppError, OSError), self.root.folder(to_parts(folder)) as opened:
            os.fsync(opened)

    def remove(self, file: str) -> None:
        """Remove a file and the folders that become empty by that."""
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


def _move_part(part: Path, act: Callable[[], None]) -> bool:
    try:
        act()
    except AppError as error:
        if error.code == "already_exists":
            return False
        raise
    remove_checkpoint(part)
    return True
