"""The towns that the map names, and the zoom level from which each is shown."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from math import cos, hypot, radians, sqrt
from pathlib import Path
from typing import NamedTuple

import numpy as np

from quartet.wind.basemap.world.osm_land import on_map
from quartet.wind.places.bundled import bundled_exonyms
from quartet.wind.places.geonames import Town, towns

# The population from which a town is shown at a zoom level and above.
_LEVELS = (
    (3, 2_000_000),
    (4, 750_000),
    (5, 300_000),
    (6, 100_000),
    (7, 30_000),
    (8, 8_000),
    (9, 0),
)
# Where the map is detailed it also names villages.
DETAILED = (-25.0, 27.0, 45.0, 72.0)
_FEWEST_ELSEWHERE = 5_000
# A town is a part of a city with this population if it has at most two thirds of its inhabitants
# and is nearer to its centre than this many metres times the square root of its population.
_CITY = 500_000
_PART = 2 / 3
_METRES = 7.5
_METRES_PER_DEGREE = 111_200


class PlaceName(NamedTuple):
    """A town in map coordinates; a lower `rank` is more important."""

    x: float
    y: float
    name: str
    german: str | None
    rank: int
    min_zoom: int


def read_names(path: Path) -> list[PlaceName]:
    """Read a dump of GeoNames such as `cities500.txt`, largest towns first."""
    with path.open(encoding="utf-8") as lines:
        found = [town for town in towns(lines, {}) if _is_shown(town)]
    found.sort(key=lambda town: -town.population)
    return list(_placed(found, bundled_exonyms()))


def _is_shown(town: Town) -> bool:
    west, south, east, north = DETAILED
    detailed = west <= town.lon <= east and south <= town.lat <= north
    return detailed or town.population >= _FEWEST_ELSEWHERE


def _placed(found: list[Town], exonyms: Mapping[tuple[int, str], str]) -> Iterable[PlaceName]:
    places = on_map(np.array([(town.lon, town.lat) for town in found]).reshape(-1, 2)).tolist()
    cities: defaultdict[str, list[Town]] = defaultdict(list)
    for town in found:
        if town.population >= _CITY:
            cities[town.country].append(town)
    for rank, (town, (x, y)) in enumerate(zip(found, places, strict=True)):
        german, english = (exonyms.get((town.id, language)) for language in ("de", "en"))
        level = next(zoom for zoom, fewest in _LEVELS if town.population >= fewest)
        # A town with a foreign name, such as New Delhi, is known as a city of its own.
        if not german and any(_is_part(town, city) for city in cities[town.country]):
            level = _LEVELS[-1][0]
        other = german or (town.name if english else None)
        yield PlaceName(x, y, english or town.name, other, rank, level)


def _is_part(town: Town, city: Town) -> bool:
    if town.population > _PART * city.population:
        return False
    north, east = town.lat - city.lat, (town.lon - city.lon) * cos(radians(city.lat))
    return hypot(north, east) * _METRES_PER_DEGREE < _METRES * sqrt(city.population)
