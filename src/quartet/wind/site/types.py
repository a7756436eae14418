from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

AccountMode = Literal["open", "invite", "closed"]
Notice = Annotated[str, Meta(max_length=500)]
Page = Annotated[str, Meta(max_length=50_000)]


class MapSpot(msgspec.Struct, frozen=True):
    """A place the map shows by name."""

    name: Annotated[str, Meta(min_length=1, max_length=80)]
    lat: Annotated[float, Meta(ge=-90, le=90)]
    lon: Annotated[float, Meta(ge=-180, le=180)]


MapSpots = Annotated[list[MapSpot], Meta(max_length=500)]


class NamedSpot(MapSpot, frozen=True):
    pinned: bool


class NamedSpots(msgspec.Struct, frozen=True):
    spots: list[NamedSpot]


class SiteOptions(msgspec.Struct, frozen=True, kw_only=True):
    """What admins change while it runs; each field is one setting with its default and limits."""

    account_mode: AccountMode = "invite"
    # Texts are plain, in paragraphs; an empty one is not there.
    notice_de: Notice = ""
    notice_en: Notice = ""
    imprint_de: Page = ""
    imprint_en: Page = ""
    privacy_de: Page = ""
    privacy_en: Page = ""
    favorites_limit: Annotated[int, Meta(ge=1, le=1000)] = 50
    backups_kept: Annotated[int, Meta(ge=1, le=100)] = 5
    # Until then (Unix seconds) no run is fetched by itself.
    map_postponed_until: Annotated[int, Meta(ge=0, le=2**40)] = 0
    map_spots: MapSpots = []
    map_pinned: MapSpots = []


class BothLanguages(msgspec.Struct, frozen=True):
    de: str
    en: str


class Site(msgspec.Struct, frozen=True, omit_defaults=True):
    """What a visitor needs to know first; `imprint` and `privacy` say whether there is a text."""

    mode: AccountMode
    imprint: bool
    privacy: bool
    notice: BothLanguages | None = None


class Stored(msgspec.Struct, frozen=True):
    """A setting somebody has changed; `changed_by` is the id of an account."""

    key: str
    value: Any
    changed_at: int
    changed_by: int | None
