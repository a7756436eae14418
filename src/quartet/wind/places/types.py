from typing import Literal

import msgspec

PlaceKind = Literal["town", "spot", "beach", "lake", "bay", "cape", "island", "harbour"]


class Point(msgspec.Struct, frozen=True):
    lat: float
    lon: float


class Place(msgspec.Struct, frozen=True, omit_defaults=True):
    """`country` is the two-letter code, or empty if it is unknown."""

    name: str
    country: str
    lat: float
    lon: float
    region: str | None = None
    population: int | None = None
    kind: PlaceKind = "town"
