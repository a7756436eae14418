"""Places from files that the operator provides, for `quartet wind add-places`.

The files are dumps of GeoNames, such as `DE.zip`, and names of OpenStreetMap as GeoJSON, one
feature per line, as `osmium export` writes them.
"""

import io
import zipfile
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any

import msgspec

from quartet.kernel.errors import AppError
from quartet.wind.places.geonames import WEIGHTS, Town, features
from quartet.wind.places.types import PlaceKind

EXTRA = "extra"
_LONGEST_NAME = 120
_SPORTS = {"windsurfing", "kitesurfing", "kiteboarding", "wingfoiling", "wing_foiling", "surfing"}
_TAGS: dict[tuple[str, str], PlaceKind] = {
    ("natural", "beach"): "beach",
    ("natural", "bay"): "bay",
    ("natural", "cape"): "cape",
    ("natural", "peninsula"): "cape",
    ("natural", "water"): "lake",
    ("place", "island"): "island",
    ("place", "islet"): "island",
    ("leisure", "marina"): "harbour",
    ("landuse", "harbour"): "harbour",
    ("harbour", "yes"): "harbour",
}


class _ExtractGeometry(msgspec.Struct):
    coordinates: list[Any]


class _Feature(msgspec.Struct):
    geometry: _ExtractGeometry
    properties: dict[str, Any]


_decode = msgspec.json.Decoder(_Feature).decode


def read_extract(path: Path) -> Iterator[Town]:
    """Yield the places of a file; raises `places_unreadable` if it is of another kind."""
    if path.suffix == ".zip":
        try:
            with zipfile.ZipFile(path) as archive, archive.open(f"{path.stem}.txt") as file:
                yield from features(io.TextIOWrapper(file, "utf-8", "replace"), {})
        except (zipfile.BadZipFile, KeyError) as error:
            raise _unreadable(f"{path.name} is no dump of GeoNames") from error
    elif path.suffix == ".txt":
        with path.open(encoding="utf-8", errors="replace") as lines:
            yield from features(lines, {})
    elif path.suffix in (".geojsonseq", ".geojsonl", ".jsonl"):
        with path.open(encoding="utf-8", errors="replace") as lines:
            yield from _named_features(lines)
    else:
        kinds = ".zip or .txt of GeoNames, or .geojsonseq with one feature per line"
        raise _unreadable(f"{path.name} is of another kind than {kinds}")


def save_extract(folder: Path, path: Path) -> int:
    """Copy the places of a file to the folder of the index, and return their number.

    A file of the same name replaces the earlier one.
    """
    target = folder / EXTRA / f"{path.stem}.jsonl"
    target.parent.mkdir(parents=True, exist_ok=True)
    partial = target.with_suffix(".partial")
    count = 0
    try:
        with partial.open("wb") as file:
            for place in read_extract(path):
                file.write(msgspec.json.encode(place) + b"\n")
                count += 1
        if not count:
            kinds = "beach, bay, cape, island, lake, harbour or spot for wind sports"
            raise _unreadable(f"{path.name} has no named {kinds}")
        partial.replace(target)
    finally:
        partial.unlink(missing_ok=True)
    return count


def _unreadable(text: str) -> AppError:
    """Return an error with a sentence for the operator at the command line."""
    error = AppError(400, "places_unreadable")
    error.add_note(text)
    return error


def saved_extracts(folder: Path) -> list[Path]:
    return sorted((folder / EXTRA).glob("*.jsonl"))


def read_saved(path: Path) -> Iterator[Town]:
    decode = msgspec.json.Decoder(Town).decode
    with path.open("rb") as lines:
        for line in lines:
            yield decode(line)


def _named_features(lines: Iterator[str] | io.TextIOWrapper) -> Iterator[Town]:
    for line in lines:
        try:
            # RFC 8142 puts a record separator in front of every feature.
            feature = _decode(line.lstrip("\x1e").strip().rstrip(","))
        except msgspec.MsgspecError:
            continue
        tags = feature.properties
        name, kind = tags.get("name"), _kind_of(tags)
        place = _centre(feature.geometry.coordinates)
        if not isinstance(name, str) or kind is None or place is None:
            continue
        lon, lat = place
        others = [tags.get(key) for key in ("name:de", "name:en", "alt_name", "int_name")]
        yield Town(
            _number_of(name, lat, lon),
            name[:_LONGEST_NAME],
            "",
            None,
            round(lat, 5),
            round(lon, 5),
            WEIGHTS[kind],
            tuple(each[:_LONGEST_NAME] for each in others if isinstance(each, str)),
            kind,
        )


def _kind_of(tags: dict[str, Any]) -> PlaceKind | None:
    sports = str(tags.get("sport", "")).replace(" ", "").split(";")
    if _SPORTS & set(sports):
        return "spot"
    found = (kind for (key, value), kind in _TAGS.items() if tags.get(key) == value)
    return next(found, None)


def _centre(coordinates: list[Any]) -> tuple[float, float] | None:
    """Return the middle of the box around a geometry, as longitude and latitude."""
    points = list(_points(coordinates))
    if not points:
        return None
    lons, lats = zip(*points, strict=True)
    lon, lat = (min(lons) + max(lons)) / 2, (min(lats) + max(lats)) / 2
    return (lon, lat) if abs(lon) <= 180 and abs(lat) <= 90 else None


def _points(coordinates: list[Any]) -> Iterator[tuple[float, float]]:
    waiting = [coordinates]
    while waiting:
        part = waiting.pop()
        if len(part) >= 2 and all(isinstance(each, int | float) for each in part[:2]):
            yield float(part[0]), float(part[1])
        else:
            waiting += [each for each in part if isinstance(each, list)]


def _number_of(name: str, lat: float, lon: float) -> int:
    """Return a number that stays the same; negative ones cannot clash with those of GeoNames."""
    digest = sha256(f"{name} {lat:.5f} {lon:.5f}".encode()).digest()
    return -int.from_bytes(digest[:7], "big") - 1
