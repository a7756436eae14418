"""TVmaze: series without a key."""

from collections.abc import Iterator

from msgspec.structs import replace

from quartet.media.catalog.absolute_numbers import with_absolute_numbers
from quartet.media.catalog.provider_client import SEARCH_AGE, ProviderClient, year_in
from quartet.media.catalog.tvmaze_answers import (
    Aka,
    Alternate,
    AlternateList,
    ShowImage,
    TvMazeDetails,
    TvMazeEpisode,
    TvMazeHit,
    TvmazeShow,
)
from quartet.media.catalog.tvmaze_details import details
from quartet.media.catalog.types import Candidate, Details, Episode, PictureWidths
from quartet.media.names.types import Ids
from quartet.media.types import Kind, Order, ProviderName

ADDRESS = "https://api.tvmaze.com"
PER_SECOND = 2


class TvMaze:
    name: ProviderName = "tvmaze"

    def __init__(self, source: ProviderClient) -> None:
        self._client = source

    async def search_movie(self, title: str, year: int | None) -> list[Candidate]:
        return []

    async def search_series(self, title: str, year: int | None) -> list[Candidate]:
        query = {"q": title}
        hits = await self._client.fetch(
            "/search/shows", list[TvMazeHit], query=query, age=SEARCH_AGE
        )
        return [_candidate(hit.show) for hit in hits or []]

    async def movie(self, id: str) -> Candidate | None:
        return None

    async def series(self, id: str) -> Candidate | None:
        show = await self._client.fetch(f"/shows/{id}", TvmazeShow) if id.isdecimal() else None
        if show is None:
            return None
        akas = await self._client.fetch(f"/shows/{id}/akas", list[Aka])
        return _candidate(show, tuple(aka.name for aka in akas or []))

    async def find(self, kind: Kind, ids: Ids) -> Candidate | None:
        if kind == "movie":
            return None
        for value, source in ((ids.tvdb, "thetvdb"), (ids.imdb, "imdb")):
            if value:
                query = {source: str(value)}
                show = await self._client.fetch("/lookup/shows", TvmazeShow, query=query)
                if show:
                    return _candidate(show)
        return None

    async def episodes(self, id: str, order: Order) -> list[Episode]:
        return with_absolute_numbers(_episode(each) for each in await self._listed(id, order))

    async def details(self, kind: Kind, id: str, widths: PictureWidths, order: Order) -> Details:
        show = await self._client.fetch(f"/shows/{id}", TvMazeDetails, query={"embed": "cast"})
        images = await self._client.fetch(f"/shows/{id}/images", list[ShowImage])
        return details(show or TvMazeDetails(), images or [], await self._listed(id, order), widths)

    async def _listed(self, id: str, order: Order) -> list[TvMazeEpisode]:
        if order == "dvd" and (listed := await self._dvd(id)):
            return listed
        query = {"specials": "1"}
        episodes = await self._client.fetch(
            f"/shows/{id}/episodes", list[TvMazeEpisode], query=query
        )
        return _numbered(episodes or [])

    async def _dvd(self, id: str) -> list[TvMazeEpisode]:
        lists = await self._client.fetch(f"/shows/{id}/alternatelists", list[AlternateList])
        chosen = next((entry.id for entry in lists or [] if entry.dvd_release), None)
        if chosen is None:
            return []
        path, query = f"/alternatelists/{chosen}/alternateepisodes", {"embed": "episodes"}
        entries = await self._client.fetch(path, list[Alternate], query=query)
        return [_aired(entry) for entry in entries or [] if entry.number is not None]


def _aired(entry: Alternate) -> TvMazeEpisode:
    """Return the episode that was aired, or the first of several, with the number of the entry."""
    aired = entry.embedded.episodes
    name = " & ".join(episode.name for episode in aired if episode.name) or entry.name
    first = aired[0] if aired else TvMazeEpisode(entry.season)
    return replace(first, season=entry.season, number=entry.number, name=name)


def _numbered(episodes: list[TvMazeEpisode]) -> list[TvMazeEpisode]:
    """Specials have no number in TVmaze; number them by air date as season 0."""
    regular = [episode for episode in episodes if episode.number is not None]
    specials = sorted(
        (episode for episode in episodes if episode.number is None),
        key=lambda episode: episode.airdate or "9",
    )
    return regular + [replace(e, season=0, number=n) for n, e in enumerate(specials, start=1)]


def _episode(about: TvMazeEpisode) -> Episode:
    return Episode(
        season=about.season,
        episode=about.number or 0,
        title=about.name or "",
        air_date=about.airdate or None,
    )


def _candidate(show: TvmazeShow, others: tuple[str, ...] = ()) -> Candidate:
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
        genres=tuple(show.genres),
    )


def _countries(show: TvmazeShow) -> Iterator[str]:
    for channel in (show.network, show.web_channel):
        if channel and channel.country:
            yield channel.country.code
