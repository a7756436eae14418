from typing import Literal, Protocol

import msgspec

from quartet.media.names.types import Ids

Kind = Literal["movie", "series"]
Order = Literal["aired", "dvd", "absolute"]
ProviderName = Literal["tmdb", "tvmaze", "tvdb", "anilist", "omdb", "wikidata", "demo"]


class Candidate(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """A movie or series of a catalog."""

    provider: ProviderName
    id: str
    kind: Kind
    title: str
    original_title: str | None = None
    other_titles: tuple[str, ...] = ()
    year: int | None = None
    # Two letters each: where it was made.
    countries: tuple[str, ...] = ()
    poster: str | None = None
    episode_count: int | None = None
    ids: Ids = Ids()
    # 0..10
    rating: float | None = None


class Episode(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    season: int
    episode: int
    # Counted from the first of the series, without specials.
    absolute: int | None = None
    title: str = ""
    air_date: str | None = None


class Provider(Protocol):
    """A catalog. What it does not know is an empty answer; a failure is an `AppError`."""

    name: ProviderName

    async def search_movie(self, title: str, year: int | None) -> list[Candidate]: ...

    async def search_series(self, title: str, year: int | None) -> list[Candidate]: ...

    async def movie(self, id: str) -> Candidate | None: ...

    async def series(self, id: str) -> Candidate | None: ...

    async def find(self, kind: Kind, ids: Ids) -> Candidate | None:
        """By the id of another catalog, where it knows those."""

    async def episodes(self, id: str, order: Order) -> list[Episode]: ...


class ProviderInfo(msgspec.Struct, frozen=True, rename="camel"):
    name: ProviderName
    kinds: tuple[Kind, ...]
    orders: tuple[Order, ...]
    needs_key: bool
    # It can be asked: it needs no key, or there is one.
    ready: bool
