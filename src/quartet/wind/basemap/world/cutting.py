"""Cuts shapes into the tiles of a zoom level."""

from collections.abc import Iterator

from quartet.wind.basemap.world.clipping import clip_lines, clip_polygons
from quartet.wind.basemap.world.shapes import Shapes
from quartet.wind.basemap.world.vector_tile import EXTENT

# Tiles contain a margin beyond their edge, to avoid visible seams.
_MARGIN = 64 / EXTENT


def cut_tiles(shapes: Shapes, z: int) -> Iterator[tuple[int, int, Shapes]]:
    """Yield column, row and shapes of every tile that is not empty."""
    whole = _clip(_clip(shapes, 0, 0, 0, _MARGIN), 1, 0, 0, _MARGIN)
    yield from _cut(whole, z, 0, 0, 0)


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
