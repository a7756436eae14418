"""The hidden folder in which an archive is extracted before its files are moved."""

import os
import secrets
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from quartet.downloads.archives.types import ArchiveSet, Parts
from quartet.downloads.archives.volumes import has_new_names, is_volume
from quartet.kernel.errors import AppError
from quartet.kernel.files import TEMPORARY_PREFIX, RelativePath, Root
from quartet.kernel.files.paths import to_parts

_TYPES = {
    ending: type_name
    for type_name, endings in {
        "gzip": ".gz .tar.gz .tgz",
        "bzip2": ".bz2 .tar.bz2 .tbz .tbz2",
        "xz": ".xz .tar.xz .txz",
        "zstd": ".zst .tar.zst .tzst",
        "lzma": ".lzma .tar.lzma .tlz",
        "Z": ".z .tar.z .taz",
    }.items()
    for ending in endings.split()
}
_PREFIX = f"{TEMPORARY_PREFIX}unpack-"


class StagedArchive(NamedTuple):
    """An archive as 7-Zip sees it."""

    archive: ArchiveSet
    folder: Path  # the working directory of 7-Zip
    first: str  # the file to open, relative to it

    @property
    def as_type(self) -> list[str]:
        """Return the type option; compressed single files have no reliable signature."""
        if self.archive.scheme == "raw":
            return ["-tsplit"]
        return [f"-t{_TYPES[self.archive.ending]}"] if self.archive.kind == "stream" else []


class Staging:
    """Next to the archive, so that extracted files can be moved by a rename."""

    def __init__(self, root: Root, folder: Parts) -> None:
        self.root = root
        self.parts: Parts = (*folder, f"{_PREFIX}{secrets.token_hex(8)}")
        self._count = 0
        root.make_folder(self.parts)
        self.path(self.parts).chmod(0o700)

    def path(self, parts: Parts) -> Path:
        return self.root.path.absolute().joinpath(*parts)

    def new_folder(self) -> Parts:
        self._count += 1
        parts = (*self.parts, str(self._count))
        self.root.make_folder(parts)
        return parts

    def discard(self, parts: Parts | None = None) -> None:
        with suppress(AppError, OSError):
            _remove(self.root, parts or self.parts)

    def source(self, archive: ArchiveSet) -> StagedArchive:
        """Link the volumes under simple names, independent of case, language and numbering."""
        folder = self.path(self.new_folder())
        real = self.path(archive.folder)
        names = _plain_names(self.root, archive)
        try:
            for name, part in zip(names, archive.parts, strict=True):
                (folder / name).symlink_to(real / part)
        except OSError:
            # Some file systems have no symbolic links; 7-Zip then uses the original names.
            return StagedArchive(archive, folder, str(real / archive.first))
        return StagedArchive(archive, folder, names[0])


def _plain_names(root: Root, archive: ArchiveSet) -> list[str]:
    """Return the names that 7-Zip expects for the volumes of such a set."""
    count = len(archive.parts)
    if archive.kind == "rar" and _is_made_of_volumes(root, archive):
        if has_new_names(root, archive):
            return [f"set.part{number}.rar" for number in range(1, count + 1)]
        return ["set.rar", *(_old_rar_name(number) for number in range(count - 1))]
    if archive.scheme == "spanned_zip":
        return ["set.zip", *(f"set.z{number:02}" for number in range(1, count))]
    if archive.scheme == "raw":
        return [f"set.{number:03}" for number in range(1, count + 1)]
    if archive.scheme == "numbered":
        return [f"set.{archive.kind}.{number:03}" for number in range(1, count + 1)]
    return [f"set{archive.ending}"]


def _is_made_of_volumes(root: Root, archive: ArchiveSet) -> bool:
    """Return whether .rar.001 and so on are volumes, or one file cut into pieces."""
    if archive.scheme != "numbered" or len(archive.parts) == 1:
        return archive.scheme != "numbered"
    return is_volume(root, archive, archive.parts[1])


def _old_rar_name(number: int) -> str:
    hundreds, rest = divmod(number, 100)
    return f"set.{chr(ord('r') + hundreds)}{rest:02}"


def _remove(root: Root, parts: Parts) -> None:
    """Remove a tree; make folders accessible first, because an archive may set any permissions."""
    for folder, names, _ in os.walk(root.path.joinpath(*parts)):
        for name in names:
            path = Path(folder, name)
            if not path.is_symlink():
                path.chmod(0o700)
    root.remove_tree(parts)


def sweep(root: Root, folder: RelativePath = "") -> int:
    """Remove the leftovers of killed extractions; must be called before any extraction starts."""
    parts = to_parts(folder)
    leftovers = [
        entry.name
        for entry in root.list(parts)
        if entry.is_folder and entry.name.startswith(_PREFIX)
    ]
    for name in leftovers:
        _remove(root, (*parts, name))
    return len(leftovers)
