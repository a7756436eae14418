"""Merges station lists; stations close to each other are treated as the same."""

import math
from collections.abc import Iterable

import msgspec

from quartet.wind.places.name_folding import fold
from quartet.wind.stations.types import Codes, KnownStation

EARTH_KM = 6371.0
# The largest distance between an airport's reference point and its anemometer.
SAME_KM = 2.0

Cell = tuple[int, int]


def distance_km(lat: float, lon: float, other_lat: float, other_lon: float) -> float:
    a, b = math.radians(lat), math.radians(other_lat)
    half = math.sin((b - a) / 2) ** 2
    half += math.cos(a) * math.cos(b) * math.sin(math.radians(other_lon - lon) / 2) ** 2
    return 2 * EARTH_KM * math.asin(min(1.0, math.sqrt(half)))


def merge(known: Iterable[KnownStation], listed: Iterable[KnownStation]) -> list[KnownStation]:
    """Return new stations and stations with new codes; stored ones keep id, slug and name."""
    stations = list(known)
    by_cell: dict[Cell, list[int]] = {}
    for number, station in enumerate(stations):
        by_cell.setdefault(_cell(station), []).append(number)
    changed: set[int] = set()
    for each in listed:
        same = _same(stations, by_cell, each)
        if same is None:
            by_cell.setdefault(_cell(each), []).append(len(stations))
            changed.add(len(stations))
            stations.append(msgspec.structs.replace(each, slug=slug_of(each)))
        elif (codes := _codes(stations[same].codes, each.codes)) != stations[same].codes:
            stations[same] = msgspec.structs.replace(stations[same], codes=codes)
            changed.add(same)
    return [stations[number] for number in sorted(changed)]


def slug_of(station: KnownStation) -> str:
    """Return a slug that ends with a code, which makes it unique."""
    codes = station.codes
    code = codes.icao or codes.wmo or codes.dwd or ""
    return fold(f"{station.name} {code}").replace(" ", "-")


def _same(
    stations: list[KnownStation], by_cell: dict[Cell, list[int]], each: KnownStation
) -> int | None:
    row, column = _cell(each)
    near = [
        (_apart(stations[number], each), number)
        for a in (-1, 0, 1)
        for b in (-1, 0, 1)
        for number in by_cell.get((row + a, column + b), ())
        if not _contradict(stations[number].codes, each.codes)
    ]
    agreeing = [number for _, number in near if _agree(stations[number].codes, each.codes)]
    if agreeing:
        return agreeing[0]
    distance, number = min(near, default=(math.inf, 0))
    return number if distance <= SAME_KM else None


def _cell(station: KnownStation) -> Cell:
    return math.floor(station.lat * 10), math.floor(station.lon * 10)


def _apart(one: KnownStation, other: KnownStation) -> float:
    return distance_km(one.lat, one.lon, other.lat, other.lon)


def _pairs(one: Codes, other: Codes) -> list[tuple[str, str]]:
    pairs = zip(msgspec.structs.astuple(one), msgspec.structs.astuple(other), strict=True)
    return [(a, b) for a, b in pairs if a is not None and b is not None]


def _agree(one: Codes, other: Codes) -> bool:
    return any(a == b for a, b in _pairs(one, other))


def _contradict(one: Codes, other: Codes) -> bool:
    return any(a != b for a, b in _pairs(one, other))


def _codes(one: Codes, other: Codes) -> Codes:
    return Codes(one.icao or other.icao, one.wmo or other.wmo, one.dwd or other.dwd)
