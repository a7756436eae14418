"""Creates archives with the real 7-Zip program."""

import contextlib
import random
import subprocess
import time
from collections.abc import Callable, Mapping
from pathlib import Path

from quartet.downloads.archives import ArchiveSet, extract, find_sets
from quartet.downloads.archives.program import program
from quartet.downloads.archives.types import Extracted, ExtractionLimits
from quartet.kernel.files import Root

FILES = {
    "read me.txt": b"hello\n",
    "photos/one.bin": random.Random(1).randbytes(90_000),
    "photos/ümläut.txt": "grüße\n".encode(),
    "empty.txt": b"",
}


def write(folder: Path, files: Mapping[str, bytes]) -> None:
    for name, data in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)


def seven_zip(
    folder: Path, name: str, *options: str, files: Mapping[str, bytes] | None = None
) -> None:
    """Pack files into an archive in `folder`, without leaving anything else there."""
    inside = folder / "to be packed"
    write(inside, FILES if files is None else files)
    tops = sorted(path.name for path in inside.iterdir())
    run(inside, "a", "-bd", *options, "--", f"../{name}", *tops)
    for path in sorted(inside.rglob("*"), reverse=True):
        path.rmdir() if path.is_dir() else path.unlink()
    inside.rmdir()


def run(folder: Path, *arguments: str) -> None:
    subprocess.run(
        [program(), *arguments],
        cwd=folder,
        env={"LC_ALL": "C.UTF-8"},
        stdin=subprocess.DEVNULL,
        check=True,
        capture_output=True,
    )


def tree(folder: Path) -> dict[str, bytes]:
    """Return all files below a folder, including hidden ones."""
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() or path.is_symlink()
    }


def leftovers(folder: Path) -> list[str]:
    return [path.name for path in folder.rglob(".quartet-*")]


def wait_for(condition: Callable[[], bool], seconds: float = 60.0) -> None:
    """Poll, because another process sends no signal and may move files in between."""
    deadline = time.monotonic() + seconds
    while True:
        with contextlib.suppress(FileNotFoundError):
            if condition():
                return
        assert time.monotonic() < deadline
        time.sleep(0.005)


def archive_sets(root: Root, folder: tuple[str, ...] = ()) -> tuple[ArchiveSet, ...]:
    return find_sets((entry.name for entry in root.list(folder)), folder)


def archive_set_of(root: Root, path: str) -> ArchiveSet:
    """Return the set that contains this file."""
    *folder, name = path.split("/")
    return next(found for found in archive_sets(root, tuple(folder)) if name in found.parts)


def unpack(
    root: Root, name: str, *passwords: str, limits: ExtractionLimits | None = None
) -> Extracted:
    archive = archive_set_of(root, name)
    return extract(root, archive, "out", passwords, limits or ExtractionLimits())
