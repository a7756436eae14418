"""Towns by name, from GeoNames where it could be fetched."""

import asyncio
import io
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from quartet.kernel.errors import AppError
from quartet.wind.places import store
from quartet.wind.places.geonames import GERMAN, Town, local_names, regions_of, towns
from quartet.wind.places.names import NameIndex
from quartet.wind.places.types import Place

if TYPE_CHECKING:
    from quartet.kernel.outbound import Outbound

_LIMIT = 8
_MOST_BYTES = {"cities": 200_000_000, "names": 2_000_000_000}
CITIES, REGIONS, NAMES = "cities1000.zip", "admin1CodesASCII.txt", "alternateNamesV2.zip"


class Places:
    """`folder` holds the dumps, whoever put them there, and the file made of them."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._path = folder / "places.sqlite3"

    async def find(self, text: str, language: str) -> list[Place]:
        return await asyncio.to_thread(store.find, self._path, text, language, _LIMIT)

    async def refresh(self) -> None:
        """Takes in what lies in the folder, if it is not what is being read already."""
        await asyncio.to_thread(self._refresh)

    def _refresh(self) -> None:
        cities = self.folder / CITIES
        version = _version(*(self.folder / name for name in (CITIES, REGIONS, NAMES)))
        if not cities.exists():
            version = "built-in 1"
        if NameIndex(self._path).version() == version:
            return
        if cities.exists():
            self._from_dump(cities, version)
        else:
            names = {
                (town.id, "de"): GERMAN[town.name]
                for town in builtin_towns()
                if town.name in GERMAN
            }
            store.write_places(self._path, builtin_towns(), names, version)

    def _from_dump(self, cities: Path, version: str) -> None:
        regions_file = self.folder / REGIONS
        regions = {}
        if regions_file.exists():
            with regions_file.open(encoding="utf-8", errors="replace") as lines:
                regions = regions_of(lines)
        with _lines(cities, _MOST_BYTES["cities"]) as lines:
            found = list(towns(lines, regions))
        if not found:
            raise AppError(502, "places_unreadable")
        known = {town.id for town in found}
        names: dict[tuple[int, str], str] = {}
        if (self.folder / NAMES).exists():
            with _lines(self.folder / NAMES, _MOST_BYTES["names"]) as lines:
                names = {
                    (town, language): name
                    for town, language, name in local_names(lines)
                    if town in known
                }
        store.write_places(self._path, found, names, version)


async def fetch(
    folder: Path, outbound: "Callable[[], Outbound]", address: str, *, with_names: bool
) -> None:
    """The dumps that are not there yet; towns do not move, so once is enough."""
    wanted = [REGIONS, CITIES, *([NAMES] if with_names else [])]
    for name in wanted:
        path = folder / name
        if not path.exists():
            await _download(f"{address.rstrip('/')}/{name}", path, outbound())


async def _download(url: str, path: Path, outbound: "Outbound") -> None:
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


@contextmanager
def _lines(path: Path, limit: int) -> Iterator[Iterator[str]]:
    """Of the one text file in an archive that has the archive's name."""
    try:
        with zipfile.ZipFile(path) as archive:
            member = archive.getinfo(f"{path.stem}.txt")
            if member.file_size > limit:
                raise AppError(502, "places_unreadable")
            with archive.open(member) as file:
                yield iter(io.TextIOWrapper(file, "utf-8", "replace"))
    except (zipfile.BadZipFile, KeyError) as error:
        raise AppError(502, "places_unreadable") from error


def _version(*paths: Path) -> str:
    """Changes when a file does."""
    states = [path.stat() for path in paths if path.exists()]
    return " ".join(f"{each.st_size}-{each.st_mtime_ns}" for each in states)


def builtin_towns() -> Iterator[Town]:
    """Towns that have an airport, which is every larger one; those with more come first."""
    import airportsdata

    seen: dict[tuple[str, str, str], list[tuple[float, float, bool]]] = {}
    for code, airport in airportsdata.load("ICAO").items():
        # Codes with digits are air strips, whose villages nobody looks for.
        if airport["city"] and code.isalpha():
            key = (airport["country"], airport["subd"], airport["city"])
            seen.setdefault(key, []).append((airport["lat"], airport["lon"], bool(airport["iata"])))
    for number, ((country, region, city), airports) in enumerate(sorted(seen.items()), 1):
        # Nobody counted the people; traffic tells which of two towns is meant.
        weight = len(airports) + 50 * sum(served for _, _, served in airports)
        lat, lon, _ = max(airports, key=lambda airport: airport[2])
        yield Town(number, city, country, region or None, lat, lon, weight, _exonyms(city))


def _exonyms(city: str) -> tuple[str, ...]:
    return (GERMAN[city],) if city in GERMAN else ()
