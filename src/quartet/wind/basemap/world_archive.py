"""Makes the small world that comes along, from the public domain data of Natural Earth.

`python -m quartet.wind.basemap.world_archive countries-10m.json` with that file of the npm package
`world-atlas` writes the archive to where the service looks for it.
"""

import sys
from collections.abc import Iterator
from pathlib import Path

from quartet.kernel.files import Root, write_atomic
from quartet.wind.basemap.service import BASEMAP, BUILT_IN
from quartet.wind.basemap.world.clipping import clip_lines, clip_polygons
from quartet.wind.basemap.world.shapes import Shapes
from quartet.wind.basemap.world.thinning import importance, thinned
from quartet.wind.basemap.world.topojson import World
from quartet.wind.basemap.world.vector_tile import EXTENT, vector_tile
from quartet.wind.basemap.writing import About, write_archive

MAX_ZOOM = 6
# Beyond its edge a tile holds a little more, so that no seam is seen.
_MARGIN = 64 / EXTENT
# How far a line may be off, in the whole numbers of a tile; on a screen eight are a pixel.
_TOLERANCE, _FINEST_TOLERANCE = 4.0, 1.5

_ABOUT = About(
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
    weighed = [importance(line, finest) for line in world.lines]
    tiles: dict[Address, bytes] = {}
    for z in range(max_zoom + 1):
        coarsest = _tolerance(z, max_zoom)
        lines = [
            thinned(line, weights, coarsest)
            for line, weights in zip(world.lines, weighed, strict=True)
        ]
        shapes = _drawable(world.shapes(lines))
        whole = _clip(_clip(shapes, 0, 0, 0, _MARGIN), 1, 0, 0, _MARGIN)
        for x, y, part in _cut(whole, z, 0, 0, 0):
            if tile := vector_tile(part, z, x, y):
                tiles[z, x, y] = tile
    return write_archive(tiles, _ABOUT._replace(max_zoom=max_zoom))


def _tolerance(z: int, max_zoom: int) -> float:
    # The last level is shown at all finer zooms too.
    units = _FINEST_TOLERANCE if z == max_zoom else _TOLERANCE
    return units / EXTENT / (1 << z)


def _drawable(shapes: Shapes) -> Shapes:
    """Without islands and holes that have become too small to have an inside."""
    land = [
        [polygon[0], *(hole for hole in polygon[1:] if len(hole) > 2)]
        for polygon in shapes.land
        if len(polygon[0]) > 2
    ]
    return Shapes(land, shapes.borders)


def _cut(shapes: Shapes, to: int, z: int, x: int, y: int) -> Iterator[tuple[int, int, Shapes]]:
    """Tiles of the level `to`, by cutting in four again and again."""
    if not shapes.land and not shapes.borders:
        return
    if z == to:
        yield x, y, shapes
        return
    z += 1
    # As much as the tiles at the end need, wherever they lie.
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
