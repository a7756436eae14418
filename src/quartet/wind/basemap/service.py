"""Basemap and relief: the admin's own files, or the bundled ones."""

import asyncio
import logging
from pathlib import Path
from typing import NamedTuple

from quartet.kernel.errors import AppError
from quartet.wind.basemap.archive import Archive, FileVersion, Tile
from quartet.wind.basemap.pmtiles import UnreadableArchive
from quartet.wind.basemap.request_parsing import parse_tile
from quartet.wind.basemap.types import Extent, Relief

log = logging.getLogger("quartet.wind.basemap")

BASEMAP, RELIEF, LAKES = "basemap.pmtiles", "terrain.pmtiles", "lakes.pmtiles"
# Built by `python -m quartet.wind.basemap.world_archive` and `….relief`.
BUILT_IN = Path(__file__).parent / "built_in"


class Extents(NamedTuple):
    basemap: Extent | None
    relief: Relief | None
    lakes: Extent | None


class Maps:
    """Checks the files on every request, because they can be replaced at any time."""

    def __init__(self, *folders: Path) -> None:
        self._folders = folders
        self._opened: dict[Path, tuple[FileVersion, Archive | None]] = {}

    def extents(self) -> Extents:
        basemap, relief, lakes = self.find(BASEMAP), self.find(RELIEF), self.find(LAKES)
        return Extents(
            basemap.extent if basemap else None,
            relief.relief if relief else None,
            lakes.extent if lakes else None,
        )

    def find(self, name: str) -> Archive | None:
        """Return the archive of the first folder that has a readable one."""
        found = (self.find_in(folder, name) for folder in self._folders)
        return next((archive for archive in found if archive is not None), None)

    def find_in(self, folder: Path, name: str) -> Archive | None:
        stamp = FileVersion.of(folder / name)
        return None if stamp is None else self._open(stamp)

    async def archive(self, name: str) -> Archive:
        found = await asyncio.to_thread(self.find, name)
        if found is None:
            raise AppError(404, "not_found")
        return found

    async def tile(self, archive: Archive, z: str, x: str, y: str) -> Tile | None:
        """Return the tile, or None if it is empty."""
        address = parse_tile(z, x, y)
        try:
            return await asyncio.to_thread(archive.tile, *address)
        except UnreadableArchive as error:
            log.warning("could not read a map tile: %s", error)
            raise AppError(404, "not_found") from None

    def _open(self, stamp: FileVersion) -> Archive | None:
        before = self._opened.get(stamp.path)
        if before is not None and before[0] == stamp:
            return before[1]
        archive = None
        try:
            archive = Archive(stamp)
        except (OSError, UnreadableArchive) as error:
            log.warning("%s is not used: %s", stamp.path.name, error)
        self._opened[stamp.path] = stamp, archive
        return archive
