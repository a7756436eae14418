"""Builds the bundled world map from the public domain data of Natural Earth.

`python -m quartet.wind.basemap.world_archive countries-10m.json`, with the file of the npm package
`world-atlas`, writes the archive to its place in the package.
"""

import sys
from collections.abc import Iterator
from pathlib import Path

from quartet.kernel.files import Root, write_atomic
from quartet.wind.basemap.archive_writer import ArchiveInfo, write_archive
from quartet.wind.basemap.service import BASEMAP, BUILT_IN
from quartet.wind.basemap.world.clipping import clip_lines, clip_polygons
from quartet.wind.basemap.world.shapes import Shapes
from quartet.wind.basemap.world.simplification import importance, simplify
from quartet.wind.basemap.world.topojson import World
from quartet.wind.basemap.world.vector_tile import EXTENT, vector_tile

MAX_ZOOM = 6
# Tiles contain a margin beyond their edge, to avoid visible seams.
_MARGIN = 64 / EXTENT
# Tolerance of simplified lines in tile units; eight units are one pixel.
_TOLERANCE, _FINEST_TOLERANCE = 4.0, 1.5

_INFO = ArchiveInfo(
    bounds=(-180.0, -85.05113, 180.0, 85.05113),
    min_zoom=0,
    max_zoom=MAX_ZOOM,
    metadata={
        "name": "World",
        "attribution": "Natural Earth",
        "vector_layers": [{"id": "land", "fields": {}}, {"id": "borders", "fields": {}}],
    },
)

Address = tuple[int, int, int]


def build(source: Path, max_zoom: int = MAX_ZOOM) -> bytes:
    world = World(source)
    finest = _tolerance(max_zoom, max_zoom)
    weights_by_line = [importance(line, finest) for line in world.lines]
    tiles: dict[Address, bytes] = {}
    for z in range(max_zoom + 1):
        coarsest = _tolerance(z, max_zoom)
        lines = [
            simplify(line, weights, coarsest)
            for line, weights in zip(world.lines, weights_by_line, strict=True)
        ]
        shapes = _drawable(world.shapes(lines))
        whole = _clip(_clip(shapes, 0, 0, 0, _MARGIN), 1, 0, 0, _MARGIN)
        for x, y, part in _cut(whole, z, 0, 0, 0):
            if tile := vector_tile(part, z, x, y):
                tiles[z, x, y] = tile
    return write_archive(tiles, _INFO._replace(max_zoom=max_zoom))


def _tolerance(z: int, max_zoom: int) -> float:
    # The last level is also used for higher zoom levels.
    units = _FINEST_TOLERANCE if z == max_zoom else _TOLERANCE
    return units / EXTENT / (1 << z)


def _drawable(shapes: Shapes) -> Shapes:
    """Drop islands and holes that have collapsed to a line."""
    land = [
        [polygon[0], *(hole for hole in polygon[1:] if len(hole) > 2)]
        for polygon in shapes.land
        if len(polygon[0]) > 2
    ]
    return Shapes(land, shapes.borders)


def _cut(shapes: Shapes, to: int, z: int, x: int, y: int) -> Iterator[tuple[int, int, Shapes]]:
    """Yield the tiles of level `to` by recursive quartering."""
    if not shapes.land and not shapes.borders:
        return
    if z == to:
        yield x, y, shapes
        return
    z += 1
    # Keep the margin that the final tiles need.
    margin = _MARGIN / (1 << z)
    for column in (2 * x, 2 * x + 1):
        half = _clip(shapes, 0, column, z, margin)
        for row in (2 * y, 2 * y + 1):
            yield from _cut(_clip(half, 1, row, z, margin), to, z, column, row)


def _clip(shapes: Shapes, axis: int, at: int, z: int, margin: float) -> Shapes:
    low, high = at / (1 << z) - margin, (at + 1) / (1 << z) + margin
    return Shapes(
        clip_polygons(shapes.land, axis, low, high), clip_lines(shapes.borders, axis, low, high)
    )


if __name__ == "__main__":
    target = Path(sys.argv[2]) if len(sys.argv) > 2 else BUILT_IN / BASEMAP
    target.parent.mkdir(parents=True, exist_ok=True)
    write_atomic(Root(target.parent), target.name, build(Path(sys.argv[1])))
