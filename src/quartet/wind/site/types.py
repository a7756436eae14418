from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from quartet.wind.settings import EnsembleId

AccountMode = Literal["open", "invite", "closed"]
Notice = Annotated[str, Meta(max_length=500)]
Page = Annotated[str, Meta(max_length=50_000)]


class MapSpot(msgspec.Struct, frozen=True):
    """A place that the map labels."""

    name: Annotated[str, Meta(min_length=1, max_length=80)]
    lat: Annotated[float, Meta(ge=-90, le=90)]
    lon: Annotated[float, Meta(ge=-180, le=180)]


MapSpots = Annotated[list[MapSpot], Meta(max_length=500)]


class NamedSpot(MapSpot, frozen=True):
    pinned: bool


class NamedSpots(msgspec.Struct, frozen=True):
    spots: list[NamedSpot]


class SiteOptions(msgspec.Struct, frozen=True, kw_only=True):
    """All settings that admins can change, with defaults and limits."""

    account_mode: AccountMode = "invite"
    # Plain text with paragraphs; empty means not set.
    notice_de: Notice = ""
    notice_en: Notice = ""
    imprint_de: Page = ""
    imprint_en: Page = ""
    privacy_de: Page = ""
    privacy_en: Page = ""
    favorites_limit: Annotated[int, Meta(ge=1, le=1000)] = 50
    backups_kept: Annotated[int, Meta(ge=1, le=100)] = 5
    # Unix seconds; new runs are not fetched automatically before then.
    map_postponed_until: Annotated[int, Meta(ge=0, le=2**40)] = 0
    # Ensembles that are fetched.
    ensembles: Annotated[list[EnsembleId], Meta(max_length=4)] = []
    map_spots: MapSpots = []
    map_pinned: MapSpots = []


class BothLanguages(msgspec.Struct, frozen=True):
    de: str
    en: str


class Site(msgspec.Struct, frozen=True, omit_defaults=True):
    """What the UI needs first; `imprint` and `privacy` say whether the text exists.

    `mail`: the site can send e-mail.
    """

    mode: AccountMode
    imprint: bool
    privacy: bool
    mail: bool
    notice: BothLanguages | None = None


class StoredSetting(msgspec.Struct, frozen=True):
    """A changed setting; `changed_by` is an account id."""

    key: str
    value: Any
    changed_at: int
    changed_by: int | None
