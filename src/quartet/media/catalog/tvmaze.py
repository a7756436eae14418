"""TVmaze: series without a key."""

from collections.abc import Iterator

import msgspec

from quartet.media.catalog.absolute_numbers import with_absolute_numbers
from quartet.media.catalog.picture_sizes import OfferedSize, fitting
from quartet.media.catalog.provider_client import SEARCH_AGE, ProviderClient, year_in
from quartet.media.catalog.types import Candidate, Episode, Pictures, PictureWidths
from quartet.media.names.types import Ids
from quartet.media.types import Kind, Order, ProviderName

ADDRESS = "https://api.tvmaze.com"
PER_SECOND = 2


class _Externals(msgspec.Struct, frozen=True):
    imdb: str | None = None
    thetvdb: int | None = None


class _Image(msgspec.Struct, frozen=True):
    medium: str | None = None


class _Size(msgspec.Struct, frozen=True):
    url: str
    width: int = 0


class _ShowImage(msgspec.Struct, frozen=True):
    """A picture in several sizes; of each type the main one comes from TVmaze's page."""

    type: str | None = None
    main: bool = False
    resolutions: dict[str, _Size] = {}


class _Rating(msgspec.Struct, frozen=True):
    average: float | None = None


class _Country(msgspec.Struct, frozen=True):
    code: str


class _Channel(msgspec.Struct, frozen=True):
    country: _Country | None = None


class _Show(msgspec.Struct, frozen=True):
    id: int
    name: str
    premiered: str | None = None
    image: _Image | None = None
    externals: _Externals = _Externals()
    rating: _Rating = _Rating()
    network: _Channel | None = None
    web_channel: _Channel | None = msgspec.field(name="webChannel", default=None)


class _TvMazeHit(msgspec.Struct, frozen=True):
    show: _Show


class _Aka(msgspec.Struct, frozen=True):
    name: str


class _TvMazeEpisode(msgspec.Struct, frozen=True):
    season: int
    number: int | None = None
    name: str | None = None
    airdate: str | None = None


class _List(msgspec.Struct, frozen=True):
    id: int
    dvd_release: bool | None = None


class _Embedded(msgspec.Struct, frozen=True):
    episodes: list[_TvMazeEpisode] = []


class _Alternate(msgspec.Struct, frozen=True):
    season: int
    number: int | None = None
    name: str | None = None
    embedded: _Embedded = msgspec.field(name="_embedded", default=_Embedded())


class TvMaze:
    name: ProviderName = "tvmaze"

    def __init__(self, source: ProviderClient) -> None:
        self._client = source

    async def search_movie(self, title: str, year: int | None) -> list[Candidate]:
        return []

    async def search_series(self, title: str, year: int | None) -> list[Candidate]:
        query = {"q": title}
        hits = await self._client.fetch(
            "/search/shows", list[_TvMazeHit], query=query, age=SEARCH_AGE
        )
        return [_candidate(hit.show) for hit in hits or []]

    async def movie(self, id: str) -> Candidate | None:
        return None

    async def series(self, id: str) -> Candidate | None:
        show = await self._client.fetch(f"/shows/{id}", _Show) if id.isdecimal() else None
        if show is None:
            return None
        akas = await self._client.fetch(f"/shows/{id}/akas", list[_Aka])
        return _candidate(show, tuple(aka.name for aka in akas or []))

    async def find(self, kind: Kind, ids: Ids) -> Candidate | None:
        if kind == "movie":
            return None
        for value, source in ((ids.tvdb, "thetvdb"), (ids.imdb, "imdb")):
            if value:
                query = {source: str(value)}
                show = await self._client.fetch("/lookup/shows", _Show, query=query)
                if show:
                    return _candidate(show)
        return None

    async def episodes(self, id: str, order: Order) -> list[Episode]:
        if order == "dvd" and (listed := await self._dvd(id)):
            return listed
        query = {"specials": "1"}
        episodes = await self._client.fetch(
            f"/shows/{id}/episodes", list[_TvMazeEpisode], query=query
        )
        return with_absolute_numbers(_numbered(episodes or []))

    async def pictures(self, kind: Kind, id: str, widths: PictureWidths) -> Pictures:
        images = await self._client.fetch(f"/shows/{id}/images", list[_ShowImage]) or []
        return Pictures(
            poster=_chosen(images, "poster", widths.poster),
            fanart=_chosen(images, "background", widths.fanart),
        )

    async def _dvd(self, id: str) -> list[Episode]:
        lists = await self._client.fetch(f"/shows/{id}/alternatelists", list[_List])
        chosen = next((entry.id for entry in lists or [] if entry.dvd_release), None)
        if chosen is None:
            return []
        path, query = f"/alternatelists/{chosen}/alternateepisodes", {"embed": "episodes"}
        entries = await self._client.fetch(path, list[_Alternate], query=query)
        return with_absolute_numbers(
            _episode(entry.season, entry.number, _aired(entry))
            for entry in entries or []
            if entry.number is not None
        )


def _chosen(images: list[_ShowImage], kind: str, most: int) -> str | None:
    same = [image for image in images if image.type == kind]
    best = max(same, key=lambda image: image.main, default=_ShowImage())
    return fitting([OfferedSize(one.width, one.url) for one in best.resolutions.values()], most)


def _aired(entry: _Alternate) -> _TvMazeEpisode:
    aired = entry.embedded.episodes
    name = " & ".join(episode.name for episode in aired if episode.name) or entry.name
    return _TvMazeEpisode(entry.season, entry.number, name, aired[0].airdate if aired else None)


def _numbered(episodes: list[_TvMazeEpisode]) -> list[Episode]:
    """Specials have no number in TVmaze; number them by air date as season 0."""
    regular = [_episode(e.season, e.number, e) for e in episodes if e.number is not None]
    specials = sorted(
        (episode for episode in episodes if episode.number is None),
        key=lambda episode: episode.airdate or "9",
    )
    return regular + [_episode(0, place, e) for place, e in enumerate(specials, start=1)]


def _episode(season: int, number: int | None, about: _TvMazeEpisode) -> Episode:
    return Episode(
        season=season,
        episode=number or 0,
        title=about.name or "",
        air_date=about.airdate or None,
    )


def _candidate(show: _Show, others: tuple[str, ...] = ()) -> Candidate:
    return Candidate(
        provider="tvmaze",
        id=str(show.id),
        kind="series",
        title=show.name,
        other_titles=others,
        year=year_in(show.premiered),
        countries=tuple(_countries(show)),
        poster=show.image.medium if show.image else None,
        ids=Ids(show.externals.imdb, None, show.externals.thetvdb),
        rating=show.rating.average,
    )


def _countries(show: _Show) -> Iterator[str]:
    for channel in (show.network, show.web_channel):
        if channel and channel.country:
            yield channel.country.code
