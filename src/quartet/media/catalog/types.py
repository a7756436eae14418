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
    # The movies it belongs to, such as a trilogy.
    collection: str | None = None
    # The most important first; search results of some catalogs have none.
    genres: tuple[str, ...] = ()


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


class Actor(msgspec.Struct, frozen=True):
    name: str
    role: str | None = None
    # The address of a picture.
    picture: str | None = None


class EpisodeDetails(msgspec.Struct, frozen=True, kw_only=True):
    id: str | None = None
    plot: str | None = None
    # In minutes.
    runtime: int | None = None
    # 0 to 10
    rating: float | None = None
    directors: tuple[str, ...] = ()
    writers: tuple[str, ...] = ()


class Details(msgspec.Struct, frozen=True, kw_only=True):
    """What a catalog tells about a movie or series beyond what identifies it."""

    pictures: Pictures = Pictures()
    plot: str | None = None
    tagline: str | None = None
    # In minutes.
    runtime: int | None = None
    # The date of the first release or episode.
    premiered: str | None = None
    # The age rating, with its country unless that is the United States.
    certification: str | None = None
    # Only of series: whether there will be more episodes.
    continuing: bool | None = None
    # 0 to 10
    rating: float | None = None
    votes: int | None = None
    collection: str | None = None
    genres: tuple[str, ...] = ()
    countries: tuple[str, ...] = ()
    studios: tuple[str, ...] = ()
    directors: tuple[str, ...] = ()
    writers: tuple[str, ...] = ()
    actors: tuple[Actor, ...] = ()
    # By season and episode.
    episodes: dict[tuple[int, int], EpisodeDetails] = {}


@runtime_checkable
class DetailsProvider(Protocol):
    """A catalog that knows more than what identifies a title."""

    async def details(self, kind: Kind, id: str, widths: PictureWidths, order: Order) -> Details:
        """Return texts in the chosen language, and pictures no wider than wanted.

        Episodes have the numbers of `order`.
        """


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
