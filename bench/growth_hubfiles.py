"""Sync: conflicts and versions in a hub folder with up to a million files."""

import tempfile
import time
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path

from bench.growth_curves import CONSTANT, LINEARITHMIC, Curve, Curves
from quartet.sync.config.types.folders import Folder
from quartet.sync.hubfiles.conflicts import finder
from quartet.sync.hubfiles.folder_on_disk import VERSIONS, FolderOnDisk
from quartet.sync.hubfiles.versions import archive
from quartet.sync.hubfiles.versions.newest import NewestVersions
from quartet.sync.protocol import Versioning

FILES_PER_FOLDER = 500
FOLDER = Folder(1, "Files", "files", [], Versioning(), False, 1)
ONE_FILE = "0/0/file-0.txt"


def curves(sizes: Iterable[int]) -> list[Curve]:
    found = Curves("files on the hub")
    with tempfile.TemporaryDirectory() as name:
        data, existing = Path(name), 0
        folder = FolderOnDisk(data, FOLDER)
        for size in sizes:
            populate(folder.files.path, range(existing, size))
            existing = size
            add(found, "search for conflicts", size, lambda: finder.search(folder))
            newest = NewestVersions(folder)
            page = partial(archive.page, folder, "", "", newest)
            add(found, "first page of all versions after a start", size, page, repeat=False)
            add(found, "page of all versions", size, page, CONSTANT)
            add(
                found,
                "versions of one file",
                size,
                lambda: archive.page(folder, ONE_FILE, ""),
                CONSTANT,
            )
    return found.all()


def populate(root: Path, numbers: Iterable[int]) -> None:
    """Write files with one version each; every thousandth has a conflict copy."""
    for number in numbers:
        folder = Path(str(number // FILES_PER_FOLDER // 100), str(number // FILES_PER_FOLDER % 100))
        for top in (root / folder, root / VERSIONS / folder):
            if number % FILES_PER_FOLDER == 0:
                top.mkdir(parents=True)
        (root / folder / f"file-{number}.txt").touch()
        (root / VERSIONS / folder / f"file-{number}~20261115-120000.txt").touch()
        if number % 1000 == 0:
            copy = f"file-{number}.sync-conflict-20261115-120000-ABCDEFG.txt"
            (root / folder / copy).touch()


def add(
    found: Curves,
    task: str,
    size: int,
    work: Callable[[], object],
    bar: float = LINEARITHMIC,
    *,
    repeat: bool = True,
) -> None:
    if repeat:
        work()
    began = time.process_time()
    work()
    found.add(task, size, 1000 * (time.process_time() - began), "CPU-ms", bar)
