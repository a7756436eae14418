from typing import Annotated, Literal

import msgspec

from quartet.media.catalog.types import Order, ProviderName

Share = Annotated[float, msgspec.Meta(ge=0, le=1)]
Secret = Annotated[str, msgspec.Meta(max_length=1000)]
Language = Annotated[str, msgspec.Meta(pattern=r"^[a-z]{2}(-[A-Z]{2})?$")]
SeriesProvider = Literal["tmdb", "tvmaze", "tvdb", "anilist", "omdb", "demo"]
MovieProvider = Literal["tmdb", "tvdb", "anilist", "omdb", "wikidata", "demo"]
Address = Annotated[str, msgspec.Meta(max_length=500, pattern=r"^https?://[^\s]+$")]


class Keys(msgspec.Struct, frozen=True, rename="camel", kw_only=True):
    """Keys of the catalogs. Shown masked; sent empty or masked they stay, `-` removes one."""

    tmdb: Secret = ""
    tvdb: Secret = ""
    tvdb_pin: Secret = ""
    omdb: Secret = ""


class ChosenFormats(msgspec.Struct, frozen=True):
    movie: str = "jellyfin-movie"
    series: str = "jellyfin-series"


class Options(msgspec.Struct, frozen=True, rename="camel", kw_only=True):
    """What people change while it runs."""

    # Of titles, as `de` or `pt-BR`.
    language: Language = "en-US"
    order: Order = "aired"
    series_provider: SeriesProvider = "tvmaze"
    movie_provider: MovieProvider = "wikidata"
    formats: ChosenFormats = ChosenFormats()
    # At least as sure as this, a file is moved without being asked about.
    auto_threshold: Share = 0.9
    # Less sure than this, a match is not even suggested. A title that several films have is a
    # little surer, even without a year.
    suggest_threshold: Share = 0.5
    keys: Keys = Keys()
    # Where a catalog lives, if not at its usual place.
    addresses: dict[ProviderName, Address] = {}
