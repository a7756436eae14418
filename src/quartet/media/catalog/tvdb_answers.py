"""The answers of TheTVDB, with the fields that are used."""

from typing import Generic, TypeVar

import msgspec

T = TypeVar("T")


class TvdbData(msgspec.Struct, Generic[T], frozen=True):
    data: T


class TvdbToken(msgspec.Struct, frozen=True):
    token: str


class Remote(msgspec.Struct, frozen=True, rename="camel"):
    id: str
    source_name: str | None = None


class TvdbHit(msgspec.Struct, frozen=True):
    tvdb_id: str
    name: str = ""
    year: str | None = None
    image_url: str | None = None
    translations: dict[str, str] = {}
    aliases: list[str] = []
    remote_ids: list[Remote] | None = None


class TvdbNamed(msgspec.Struct, frozen=True):
    name: str


class Translation(msgspec.Struct, frozen=True):
    language: str
    name: str | None = None
    overview: str | None = None
    tagline: str | None = None


class Translations(msgspec.Struct, frozen=True, rename="camel"):
    name_translations: list[Translation] | None = None
    overview_translations: list[Translation] | None = None


class Record(msgspec.Struct, frozen=True, rename="camel"):
    id: int
    name: str = ""
    year: str | None = None
    image: str | None = None
    aliases: list[TvdbNamed] | None = None
    remote_ids: list[Remote] | None = None
    translations: Translations | None = None
    genres: list[TvdbNamed] | None = None


class TvdbArtwork(msgspec.Struct, frozen=True):
    image: str
    type: int
    language: str | None = None
    width: int = 0
    score: float = 0


class Status(msgspec.Struct, frozen=True):
    name: str | None = None


class AgeRating(msgspec.Struct, frozen=True):
    name: str
    country: str


class TvdbRelease(msgspec.Struct, frozen=True):
    date: str | None = None


class Character(msgspec.Struct, frozen=True, rename="camel"):
    """A person with a role, or with a job such as Director."""

    person_name: str | None = None
    name: str | None = None
    people_type: str | None = None
    image: str | None = None
    person_img_url: str | None = msgspec.field(name="personImgURL", default=None)
    sort: int | None = None


class Companies(msgspec.Struct, frozen=True):
    """The companies of a movie."""

    studio: list[TvdbNamed] | None = None
    production: list[TvdbNamed] | None = None


class TvdbDetails(msgspec.Struct, frozen=True, rename="camel"):
    artworks: list[TvdbArtwork] | None = None
    overview: str | None = None
    translations: Translations | None = None
    # Of a series and of a movie, in minutes.
    average_runtime: int | None = None
    runtime: int | None = None
    first_aired: str | None = None
    first_release: TvdbRelease | None = msgspec.field(name="first_release", default=None)
    status: Status | None = None
    genres: list[TvdbNamed] | None = None
    content_ratings: list[AgeRating] | None = None
    characters: list[Character] | None = None
    original_network: TvdbNamed | None = None
    # A list for series.
    companies: Companies | list[TvdbNamed] | None = None


class RemoteIdResult(msgspec.Struct, frozen=True):
    series: Record | None = None
    movie: Record | None = None


class TvdbEpisode(msgspec.Struct, frozen=True, rename="camel"):
    id: int | None = None
    season_number: int = 0
    number: int = 0
    name: str | None = None
    aired: str | None = None
    absolute_number: int | None = None
    overview: str | None = None
    runtime: int | None = None
    image: str | None = None


class TvdbEpisodes(msgspec.Struct, frozen=True):
    episodes: list[TvdbEpisode] = []


class Links(msgspec.Struct, frozen=True):
    next: str | None = None


class EpisodePage(msgspec.Struct, frozen=True):
    data: TvdbEpisodes
    links: Links = Links()
