from typing import Literal

import msgspec

TileKind = Literal["mvt", "png", "jpeg", "webp", "avif", "unknown"]
# In which way colours are metres.
Encoding = Literal["terrarium", "mapbox"]


class Extent(msgspec.Struct, frozen=True, rename="camel"):
    """What an archive of tiles covers; `attribution` belongs beside it."""

    w: float
    s: float
    e: float
    n: float
    min_zoom: int
    max_zoom: int
    tiles: TileKind
    # Names of the layers of vector tiles: they tell the small world from a file of one's own.
    layers: list[str]
    attribution: str
    # Another one when the file has been replaced.
    version: str


class Relief(Extent, frozen=True, rename="camel"):
    """Tiles of heights; `tile_size` in pixels."""

    encoding: Encoding
    tile_size: int
