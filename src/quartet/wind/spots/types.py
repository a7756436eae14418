from typing import Annotated

import msgspec
from msgspec import UNSET, Meta, UnsetType

Degrees = Annotated[int, Meta(ge=0, le=360)]


class Sector(msgspec.Struct, frozen=True, rename={"start": "from", "end": "to"}):
    """Wind directions, clockwise from `from` to `to`, both included; 0 to 360 is everything."""

    start: Degrees
    end: Degrees


Sectors = Annotated[list[Sector], Meta(max_length=16)]


class Favorite(msgspec.Struct, frozen=True, omit_defaults=True):
    """A spot. Without `directions` any wind is fine; `station` is used for comparison."""

    id: int
    name: str
    lat: float
    lon: float
    timezone: str
    directions: list[Sector]
    position: int
    station: str | None = None


class Favorites(msgspec.Struct, frozen=True):
    """Spots in the user's order; `limit` is the maximum number."""

    favorites: list[Favorite]
    limit: int


class NewFavorite(msgspec.Struct, frozen=True):
    name: str
    lat: float
    lon: float
    directions: Sectors = []
    station: str | None = None


class ImportedFavorites(msgspec.Struct, frozen=True):
    """How many spots of a list were added, and how many existed already."""

    added: int
    existing: int


class FavoriteChanges(msgspec.Struct, frozen=True):
    """Missing fields are unchanged; `lat` and `lon` only together; `station: null` removes it."""

    name: str | UnsetType = UNSET
    lat: float | UnsetType = UNSET
    lon: float | UnsetType = UNSET
    directions: Sectors | UnsetType = UNSET
    station: str | UnsetType | None = UNSET


class Order(msgspec.Struct, frozen=True):
    """Contains every spot exactly once."""

    ids: list[int]
