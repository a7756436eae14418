"""OMDb: movies and series by IMDb id, with a free key."""

from collections.abc import AsyncIterator, Mapping
from typing import TypeVar

import msgspec

from quartet.kernel.errors import AppError
from quartet.media.catalog.absolute_numbers import with_absolute_numbers
from quartet.media.catalog.omdb_details import OmdbTitle, details, known, rating
from quartet.media.catalog.provider_client import DETAILS_AGE, SEARCH_AGE, ProviderClient, year_in
from quartet.media.catalog.types import Candidate, Details, Episode, EpisodeDetails, PictureWidths
from quartet.media.names.types import Ids
from quartet.media.types import Kind, Order, ProviderName

T = TypeVar("T", bound="_OmdbAnswer | OmdbTitle")

ADDRESS = "https://www.omdbapi.com"
PER_SECOND = 5
_MOST_SEASONS = 60


class _OmdbAnswer(msgspec.Struct, frozen=True, rename="pascal"):
    response: str = "True"
    error: str = ""


class _OmdbHit(_OmdbAnswer, frozen=True, rename="pascal"):
    title: str = ""
    year: str = ""
    imdb_id: str = msgspec.field(name="imdbID", default="")
    poster: str = "N/A"
    imdb_rating: str = msgspec.field(name="imdbRating", default="N/A")
    total_seasons: str = msgspec.field(name="totalSeasons", default="0")
    # Not in search results.
    genre: str = "N/A"


class _OmdbSearch(_OmdbAnswer, frozen=True, rename="pascal"):
    search: list[_OmdbHit] = []


class _OmdbEpisode(msgspec.Struct, frozen=True, rename="pascal"):
    title: str = ""
    released: str = "N/A"
    episode: str = ""
    imdb_rating: str = msgspec.field(name="imdbRating", default="N/A")


class _OmdbSeason(_OmdbAnswer, frozen=True, rename="pascal"):
    episodes: list[_OmdbEpisode] = []


class Omdb:
    name: ProviderName = "omdb"

    def __init__(self, client: ProviderClient, key: str | None) -> None:
        self._client = client
        self._key = key

    async def search_movie(self, title: str, year: int | None) -> list[Candidate]:
        return await self._search("movie", title, year)

    async def search_series(self, title: str, year: int | None) -> list[Candidate]:
        return await self._search("series", title, year)

    async def movie(self, id: str) -> Candidate | None:
        return await self._one("movie", id)

    async def series(self, id: str) -> Candidate | None:
        return await self._one("series", id)

    async def find(self, kind: Kind, ids: Ids) -> Candidate | None:
        return await self._one(kind, ids.imdb) if ids.imdb else None

    async def episodes(self, id: str, order: Order) -> list[Episode]:
        """OMDb has only one order and no specials."""
        found = [_episode(season, each) async for season, each in self._every_episode(id)]
        return with_absolute_numbers(found)

    async def details(self, kind: Kind, id: str, widths: PictureWidths, order: Order) -> Details:
        """Plots of episodes would take a request each, of which a free key has few."""
        given = await self._fetch({"i": id, "type": kind, "plot": "full"}, OmdbTitle)
        if given is None:
            return Details()
        ratings = {
            (season, int(each.episode)): EpisodeDetails(rating=rating(each.imdb_rating))
            async for season, each in self._every_episode(id if kind == "series" else None)
        }
        return details(given, ratings)

    async def _every_episode(self, id: str | None) -> AsyncIterator[tuple[int, _OmdbEpisode]]:
        series = await self._fetch({"i": id}, _OmdbHit) if id else None
        count = int(series.total_seasons) if series and series.total_seasons.isdecimal() else 0
        for season in range(1, min(count, _MOST_SEASONS) + 1):
            answer = await self._fetch({"i": id or "", "Season": str(season)}, _OmdbSeason)
            for each in answer.episodes if answer else []:
                if each.episode.isdecimal():
                    yield season, each

    async def _search(self, kind: Kind, title: str, year: int | None) -> list[Candidate]:
        query = {"s": title, "type": kind} | ({"y": str(year)} if year else {})
        answer = await self._fetch(query, _OmdbSearch, SEARCH_AGE)
        return [_candidate(kind, hit) for hit in answer.search] if answer else []

    async def _one(self, kind: Kind, id: str) -> Candidate | None:
        hit = await self._fetch({"i": id, "type": kind}, _OmdbHit)
        return _candidate(kind, hit) if hit and hit.imdb_id else None

    async def _fetch(
        self, query: Mapping[str, str], shape: type[T], age: int = DETAILS_AGE
    ) -> T | None:
        if not self._key:
            raise AppError(400, "provider_key_missing", provider=self.name)
        secrets = {"apikey": self._key}
        answer = await self._client.fetch(
            "/", shape, query=query, secrets=secrets, age=age, keep=_is_answer
        )
        if answer is None or answer.response == "True":
            return answer
        if _is_answer(answer):
            return None
        raise AppError(502, "provider_failed", provider=self.name, status=200)


def _is_answer(answer: "_OmdbAnswer | OmdbTitle") -> bool:
    """OMDb reports failures with status 200 too; only these messages mean "not found"."""
    error = answer.error.lower()
    return answer.response == "True" or "not found" in error or "incorrect imdb id" in error


def _candidate(kind: Kind, hit: _OmdbHit) -> Candidate:
    return Candidate(
        provider="omdb",
        id=hit.imdb_id,
        kind=kind,
        title=hit.title,
        year=year_in(hit.year),
        poster=known(hit.poster),
        ids=Ids(hit.imdb_id),
        rating=rating(hit.imdb_rating),
        genres=tuple(filter(None, (known(hit.genre) or "").split(", "))),
    )


def _episode(season: int, given: _OmdbEpisode) -> Episode:
    return Episode(
        season=season,
        episode=int(given.episode),
        title=given.title,
        air_date=known(given.released),
    )
