"""From a complete part file to its place in the done folder."""

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from quartet.downloads.transfer import forget
from quartet.kernel.errors import AppError
from quartet.kernel.files import Root, move, safe_name, unique_name


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
        try:
            move(Root(part.parent), (part.name,), file, self.root, cancelled=cancelled)
        except AppError as error:
            if error.code == "already_exists":
                return False
            raise
        forget(part)
        return True

    def holds(self, file: str, size: int | None) -> bool:
        with suppress(AppError):
            return size is not None and self.root.stat(file).st_size == size
        return False

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
