from typing import Literal

import msgspec

TileKind = Literal["mvt", "png", "jpeg", "webp", "avif", "unknown"]
# How colours encode metres.
Encoding = Literal["terrarium", "mapbox"]


class Extent(msgspec.Struct, frozen=True, rename="camel"):
    """The area an archive covers; `attribution` must be shown with the map."""

    w: float
    s: float
    e: float
    n: float
    min_zoom: int
    max_zoom: int
    tiles: TileKind
    # Layer names of vector tiles; they distinguish the bundled map from other files.
    layers: list[str]
    attribution: str
    # Changes when the file is replaced.
    version: str


class Relief(Extent, frozen=True, rename="camel"):
    """Tiles of heights; `tile_size` in pixels."""

    encoding: Encoding
    tile_size: int
