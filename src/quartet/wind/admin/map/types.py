from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from quartet.wind.admin.forecasts.types import AdminIncoming
from quartet.wind.basemap.types import Extent
from quartet.wind.site.types import MapSpots

What = Literal["runs", "textures", "all"]


class AdminMapModel(msgspec.Struct, frozen=True, rename="camel"):
    """`bytes` are the runs on the disk; textures are made when asked for and kept in memory."""

    id: str
    run: int | None
    hours: int
    bytes: int
    textures: int
    texture_bytes: int
    incoming: AdminIncoming | None


class AdminArchive(msgspec.Struct, frozen=True, rename="camel"):
    """`own` is a file put into the folder `maps`, otherwise the small world that comes along."""

    extent: Extent
    bytes: int
    own: bool


class AdminMap(msgspec.Struct, frozen=True, rename="camel"):
    models: list[AdminMapModel]
    basemap: AdminArchive | None
    relief: AdminArchive | None
    cache_bytes: int
    cache_limit: int
    postponed_until: int | None


class Renew(msgspec.Struct, frozen=True, omit_defaults=True):
    """`runs`: look for newer ones, of one model or of all; `textures`: throw away those made."""

    what: What
    model: str | None = None


class Cancel(msgspec.Struct, frozen=True, omit_defaults=True):
    model: str | None = None


class Cancelled(msgspec.Struct, frozen=True):
    """The models whose run was on its way."""

    models: list[str]


class Postpone(msgspec.Struct, frozen=True):
    """0: fetch again from now on."""

    hours: Annotated[int, Meta(ge=0, le=168)]


class Postponed(msgspec.Struct, frozen=True, rename="camel"):
    postponed_until: int | None


class SpotList(msgspec.Struct, frozen=True):
    places: MapSpots


class Leftover(msgspec.Struct, frozen=True):
    """`path` below the data folder."""

    path: str
    bytes: int
    modified: int


class Leftovers(msgspec.Struct, frozen=True):
    leftovers: list[Leftover]
    bytes: int


class Removed(msgspec.Struct, frozen=True):
    removed: int
    bytes: int
