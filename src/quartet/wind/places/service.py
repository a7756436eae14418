"""Towns by name, from GeoNames if available."""

import asyncio
import sys
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from quartet.kernel.errors import AppError
from quartet.wind.places import store
from quartet.wind.places.build_index import CITIES, NAMES, PLACES, REGIONS
from quartet.wind.places.geonames import GERMAN, Town
from quartet.wind.places.name_index import NameIndex
from quartet.wind.places.types import Place

if TYPE_CHECKING:
    from quartet.kernel.outbound import OutboundClient

_LIMIT = 8


class Places:
    """Search for towns; `folder` holds the GeoNames dumps and the index built from them."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._path = folder / PLACES

    async def find(self, text: str, language: str) -> list[Place]:
        return await asyncio.to_thread(store.find, self._path, text, language, _LIMIT)

    async def refresh(self) -> None:
        """Rebuild the index if the dumps have changed."""
        version = await asyncio.to_thread(self._edition)
        if version is None:
            return
        if (self.folder / CITIES).exists():
            await _in_own_process(self.folder, version)
        else:
            await asyncio.to_thread(self._write_builtin, version)

    def _edition(self) -> str | None:
        """Return the version to build, or None if the index is current."""
        version = "built-in 1"
        if (self.folder / CITIES).exists():
            version = _version(*(self.folder / name for name in (CITIES, REGIONS, NAMES)))
        return None if NameIndex(self._path).version() == version else version

    def _write_builtin(self, version: str) -> None:
        names = {
            (town.id, "de"): GERMAN[town.name] for town in builtin_towns() if town.name in GERMAN
        }
        store.write_places(self._path, builtin_towns(), names, version)


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


def builtin_towns() -> Iterator[Town]:
    """Yield towns with an airport from the bundled airport list."""
    import airportsdata

    seen: dict[tuple[str, str, str], list[tuple[float, float, bool]]] = {}
    for code, airport in airportsdata.load("ICAO").items():
        # Codes with digits belong to airstrips in small villages.
        if airport["city"] and code.isalpha():
            key = (airport["country"], airport["subd"], airport["city"])
            seen.setdefault(key, []).append((airport["lat"], airport["lon"], bool(airport["iata"])))
    for number, ((country, region, city), airports) in enumerate(sorted(seen.items()), 1):
        # There are no population figures; the number of airports ranks towns instead.
        weight = len(airports) + 50 * sum(served for _, _, served in airports)
        lat, lon, _ = max(airports, key=lambda airport: airport[2])
        yield Town(number, city, country, region or None, lat, lon, weight, _exonyms(city))


def _exonyms(city: str) -> tuple[str, ...]:
    return (GERMAN[city],) if city in GERMAN else ()
