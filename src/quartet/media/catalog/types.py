from typing import Protocol, runtime_checkable

import msgspec

from quartet.media.names.types import Ids
from quartet.media.types import Kind, Order, ProviderName


class Candidate(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """A movie or series from a catalog."""

    provider: ProviderName
    id: str
    kind: Kind
    title: str
    original_title: str | None = None
    other_titles: tuple[str, ...] = ()
    year: int | None = None
    # Two-letter codes of the countries of origin.
    countries: tuple[str, ...] = ()
    poster: str | None = None
    episode_count: int | None = None
    ids: Ids = Ids()
    # 0 to 10
    rating: float | None = None


class Episode(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    season: int
    episode: int
    # Absolute numbering, without specials.
    absolute: int | None = None
    title: str = ""
    air_date: str | None = None


class Pictures(msgspec.Struct, frozen=True, kw_only=True):
    """The addresses of the pictures of a movie or series."""

    poster: str | None = None
    fanart: str | None = None
    logo: str | None = None
    # The posters of the seasons by season number.
    seasons: dict[int, str] = {}
    # Stills by season and episode.
    episodes: dict[tuple[int, int], str] = {}


class PictureWidths(msgspec.Struct, frozen=True):
    """The largest widths that a library wants, in pixels."""

    poster: int = 780
    fanart: int = 1280


@runtime_checkable
class PictureProvider(Protocol):
    """A catalog with more pictures than posters."""

    async def pictures(self, kind: Kind, id: str, widths: PictureWidths) -> Pictures:
        """Return pictures in the chosen language and no wider than wanted, if there are any."""


class Provider(Protocol):
    """A catalog. Unknown titles give an empty result, failures raise an `AppError`."""

    name: ProviderName

    async def search_movie(self, title: str, year: int | None) -> list[Candidate]: ...

    async def search_series(self, title: str, year: int | None) -> list[Candidate]: ...

    async def movie(self, id: str) -> Candidate | None: ...

    async def series(self, id: str) -> Candidate | None: ...

    async def find(self, kind: Kind, ids: Ids) -> Candidate | None:
        """Find an entry by another catalog's id, if supported."""

    async def episodes(self, id: str, order: Order) -> list[Episode]: ...


class ProviderInfo(msgspec.Struct, frozen=True, rename="camel"):
    name: ProviderName
    kinds: tuple[Kind, ...]
    orders: tuple[Order, ...]
    needs_key: bool
    # Needs no key, or has one.
    ready: bool
