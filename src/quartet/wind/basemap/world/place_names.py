"""The towns that the map names, and the zoom level from which each is shown."""

from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

import numpy as np

from quartet.wind.basemap.world.osm_land import on_map
from quartet.wind.places.geonames import GERMAN, Town, towns

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
    return list(_placed(found))


def _is_shown(town: Town) -> bool:
    west, south, east, north = DETAILED
    detailed = west <= town.lon <= east and south <= town.lat <= north
    return detailed or town.population >= _FEWEST_ELSEWHERE


def _placed(found: list[Town]) -> Iterable[PlaceName]:
    places = on_map(np.array([(town.lon, town.lat) for town in found]).reshape(-1, 2)).tolist()
    for rank, (town, (x, y)) in enumerate(zip(found, places, strict=True)):
        level = next(zoom for zoom, fewest in _LEVELS if town.population >= fewest)
        yield PlaceName(x, y, town.name, GERMAN.get(town.name), rank, level)
