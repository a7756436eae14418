from typing import Annotated, Literal

import msgspec

from quartet.media.types import LookupName, Order

Share = Annotated[float, msgspec.Meta(ge=0, le=1)]
Secret = Annotated[str, msgspec.Meta(max_length=1000)]
Language = Annotated[str, msgspec.Meta(pattern=r"^[a-z]{2}(-[A-Z]{2})?$")]
SeriesProvider = Literal["tmdb", "tvmaze", "tvdb", "anilist", "omdb", "demo"]
MovieProvider = Literal["tmdb", "tvdb", "anilist", "omdb", "wikidata", "demo"]
Address = Annotated[str, msgspec.Meta(max_length=500, pattern=r"^https?://[^\s]+$")]


# Extras are filed next to their movie or series, left in place, or not listed at all.
ExtrasPolicy = Literal["file", "leave", "skip"]
# Whether source folders that contain only junk are removed after a move.
JunkPolicy = Literal["remove", "keep"]


class Keys(msgspec.Struct, frozen=True, rename="camel", kw_only=True):
    """Keys of catalogs and accounts, masked in responses.

    An empty or masked value keeps the key, `-` removes it.
    """

    tmdb: Secret = ""
    tvdb: Secret = ""
    tvdb_pin: Secret = ""
    omdb: Secret = ""
    # An account of OpenSubtitles.com, for subtitles.
    opensubtitles_user: Secret = ""
    opensubtitles_password: Secret = ""
    opensubtitles_key: Secret = ""
    # An application key of AcoustID, which recognises music by its sound.
    acoustid: Secret = ""


class ChosenFormats(msgspec.Struct, frozen=True):
    movie: str = "jellyfin-movie"
    series: str = "jellyfin-series"
    music: str = "albums"
    photos: str = "months"


class Options(msgspec.Struct, frozen=True, rename="camel", kw_only=True):
    """Settings that can be changed at runtime."""

    # Language of titles, such as `de` or `pt-BR`.
    language: Language = "en-US"
    order: Order = "aired"
    series_provider: SeriesProvider = "tvmaze"
    movie_provider: MovieProvider = "wikidata"
    formats: ChosenFormats = ChosenFormats()
    # Files with at least this confidence are moved without review.
    auto_threshold: Share = 0.9
    # Matches below this confidence are not suggested. A title shared by several movies scores
    # slightly higher, even without a year.
    suggest_threshold: Share = 0.5
    extras: ExtrasPolicy = "file"
    junk: JunkPolicy = "remove"
    keys: Keys = Keys()
    # Addresses of catalogs, if not the default ones.
    addresses: dict[LookupName, Address] = {}
    # Whether missing tags of music are looked up.
    musicbrainz: bool = False


class NewOptions(Options, frozen=True, rename="camel", kw_only=True, forbid_unknown_fields=True):
    """Options of a request: a misspelt name would reset the option to its default."""
