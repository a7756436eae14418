from typing import Annotated

import msgspec
from msgspec import UNSET, Meta, UnsetType

Degrees = Annotated[int, Meta(ge=0, le=360)]


class Sector(msgspec.Struct, frozen=True, rename={"start": "from", "end": "to"}):
    """Directions the wind may come from, clockwise and with both ends; 0 to 360 are all."""

    start: Degrees
    end: Degrees


Sectors = Annotated[list[Sector], Meta(max_length=16)]


class Favorite(msgspec.Struct, frozen=True, omit_defaults=True):
    """A spot; without `directions` any wind is welcome, `station` is the one it is compared to."""

    id: int
    name: str
    lat: float
    lon: float
    timezone: str
    directions: list[Sector]
    position: int
    station: str | None = None


class Favorites(msgspec.Struct, frozen=True):
    """In the order they were put; `limit` is how many there can be."""

    favorites: list[Favorite]
    limit: int


class NewFavorite(msgspec.Struct, frozen=True):
    name: str
    lat: float
    lon: float
    directions: Sectors = []
    station: str | None = None


class FavoriteChanges(msgspec.Struct, frozen=True):
    """What is left out stays; latitude and longitude come together, a null `station` is none."""

    name: str | UnsetType = UNSET
    lat: float | UnsetType = UNSET
    lon: float | UnsetType = UNSET
    directions: Sectors | UnsetType = UNSET
    station: str | UnsetType | None = UNSET


class Order(msgspec.Struct, frozen=True):
    """Every spot once."""

    ids: list[int]
