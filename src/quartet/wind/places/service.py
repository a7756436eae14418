"""Places by name: towns of GeoNames, spots, and places from the operator's files."""

import asyncio
import sys
import zipfile
from collections.abc import Callable
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from quartet.kernel.errors import AppError
from quartet.wind.places import store
from quartet.wind.places.build_index import CITIES, NAMES, PLACES, REGIONS
from quartet.wind.places.bundled import RegionNames, bundled_regions
from quartet.wind.places.extracts import saved_extracts
from quartet.wind.places.name_index import NameIndex
from quartet.wind.places.types import Place
from quartet.wind.places.water_spots import WaterSpots

if TYPE_CHECKING:
    from quartet.kernel.outbound import OutboundClient

_LIMIT = 8
# Changes with the places in the package and with the format of the index.
_BUNDLED = "bundled 6"


class Places:
    """Search for towns; `folder` holds the GeoNames dumps and the index built from them.

    `water_spots` are kept like the index.
    """

    def __init__(self, folder: Path, water_spots: WaterSpots | None = None) -> None:
        self.folder = folder
        self._water_spots = water_spots
        self._refreshing = asyncio.Lock()
        self._path = folder / PLACES

    async def find(self, text: str, language: str, *, typos: bool = True) -> list[Place]:
        found = await asyncio.to_thread(
            partial(store.find, self._path, text, language, _LIMIT, typos=typos)
        )
        return [self._with_region(place, language) for place in found]

    def _with_region(self, place: Place, language: str) -> Place:
        """Name the region in a language."""
        known = self._regions.get(place.region or "")
        if known is None:
            return place
        return msgspec.structs.replace(place, region=known.de if language == "de" else known.en)

    @cached_property
    def _regions(self) -> dict[str, RegionNames]:
        return bundled_regions()

    async def refresh(self) -> None:
        """Rebuild the index if the dumps have changed."""
        async with self._refreshing:
            version = await asyncio.to_thread(self._edition)
            try:
                if version is not None:
                    await _in_own_process(self.folder, version)
            finally:
                # Another process may have rebuilt it.
                if self._water_spots is not None:
                    await asyncio.to_thread(self._water_spots.read, self._path)

    def _edition(self) -> str | None:
        """Return the version to build, or None if the index is current."""
        files = [self.folder / name for name in (CITIES, REGIONS, NAMES)]
        files += saved_extracts(self.folder)
        version = f"{_BUNDLED} {_version(*files)}".strip()
        return None if NameIndex(self._path).version() == version else version


async def _in_own_process(folder: Path, version: str) -> None:
    """Build in a separate process: it takes half a minute and would block other threads."""
    command = (sys.executable, "-m", "quartet.wind.places.build_index", str(folder), version)
    process = await asyncio.create_subprocess_exec(*command)
    try:
        if await process.wait() != 0:
            raise AppError(502, "places_unreadable")
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()


async def fetch(
    folder: Path, outbound: "Callable[[], OutboundClient]", address: str, *, with_names: bool
) -> None:
    """Download missing dumps; they are not updated later."""
    wanted = [REGIONS, CITIES, *([NAMES] if with_names else [])]
    for name in wanted:
        path = folder / name
        if not path.exists():
            await _download(f"{address.rstrip('/')}/{name}", path, outbound())


async def _download(url: str, path: Path, outbound: "OutboundClient") -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_name(f"{path.name}.partial")
    async with outbound.stream(url, max_bytes=500_000_000) as answer:
        if answer.status != 200:
            raise AppError(502, "bad_answer", address=url)
        with partial.open("wb") as file:
            async for chunk in answer.chunks():
                file.write(chunk)
    if path.suffix == ".zip" and not zipfile.is_zipfile(partial):
        partial.unlink()
        raise AppError(502, "bad_answer", address=url)
    partial.replace(path)


def _version(*paths: Path) -> str:
    """Return a version that changes whenever a file does."""
    states = [path.stat() for path in paths if path.exists()]
    return " ".join(f"{each.st_size}-{each.st_mtime_ns}" for each in states)
