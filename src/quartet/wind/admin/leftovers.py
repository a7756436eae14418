"""Files in the data folder that are no longer used."""

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import msgspec

from quartet.wind.basemap.service import BASEMAP, RELIEF
from quartet.wind.grid.catalogue import Catalogue
from quartet.wind.grid.writing import UNFINISHED
from quartet.wind.ingest.service import Ingest

# Younger files may still be in use by a download.
_YOUNG_SECONDS = 3600


class Leftover(msgspec.Struct, frozen=True):
    """`path` is relative to the data folder."""

    path: str
    bytes: int
    modified: int


def find(data: Path, catalogue: Catalogue, ingest: Ingest, *, demo: bool, now: float) -> list[Path]:
    found = [*_of_grids(catalogue, ingest), *_of_maps(data / "maps")]
    found += [*data.glob("places/*.partial"), *data.glob("backups/.backup-*")]
    found += data.glob("backups/*.partial")
    if not demo:
        found += data.glob("mirror")
    return sorted(path for path in found if _is_old(path, now))


def to_leftover(data: Path, path: Path) -> Leftover:
    return Leftover(path.relative_to(data).as_posix(), size_of(path), int(path.lstat().st_mtime))


def remove(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path, ignore_errors=True)
    else:
        path.unlink(missing_ok=True)


def _of_grids(catalogue: Catalogue, ingest: Ingest) -> Iterator[Path]:
    """Yield incomplete and unserved runs, and everything of models no longer fetched."""
    models = {model.id for model in ingest.models}
    for folder in catalogue.folder.glob("*/"):
        if folder.name not in models:
            yield folder
            continue
        needed = {run.folder for run in catalogue.runs(folder.name)}
        incoming = ingest.state(folder.name).incoming
        if incoming is not None:
            needed.add(folder / f"{UNFINISHED}{incoming.run}")
        yield from (path for path in folder.iterdir() if path not in needed)
    # Written by older releases; grids without order have a mesh now.
    yield from catalogue.folder.glob("*-cells.npz")


def _of_maps(folder: Path) -> Iterator[Path]:
    if folder.is_dir():
        yield from (path for path in folder.iterdir() if path.name not in (BASEMAP, RELIEF))


def _is_old(path: Path, now: float) -> bool:
    try:
        return now - path.lstat().st_mtime > _YOUNG_SECONDS
    except OSError:
        return False


def size_of(path: Path) -> int:
    """Return the size of a file or folder; files deleted while counting are skipped."""
    try:
        if path.is_symlink() or not path.is_dir():
            return path.lstat().st_size
    except OSError:
        return 0
    return sum(size_of(Path(folder) / name) for folder, _, names in os.walk(path) for name in names)
