"""OMDb: movies and series by the ids of IMDb, with a free key."""

from collections.abc import Mapping
from typing import TypeVar

import msgspec

from quartet.kernel.errors import AppError
from quartet.media.catalog.counting import counted
from quartet.media.catalog.source import DETAILS_AGE, SEARCH_AGE, Source, year_in
from quartet.media.catalog.types import Candidate, Episode, Kind, Order, ProviderName
from quartet.media.names.types import Ids

T = TypeVar("T", bound="_Answer")

ADDRESS = "https://www.omdbapi.com"
PER_SECOND = 5
_MOST_SEASONS = 60


class _Answer(msgspec.Struct, frozen=True, rename="pascal"):
    response: str = "True"
    error: str = ""


class _Hit(_Answer, frozen=True, rename="pascal"):
    title: str = ""
    year: str = ""
    imdb_id: str = msgspec.field(name="imdbID", default="")
    poster: str = "N/A"
    imdb_rating: str = msgspec.field(name="imdbRating", default="N/A")
    total_seasons: str = msgspec.field(name="totalSeasons", default="0")


class _Search(_Answer, frozen=True, rename="pascal"):
    search: list[_Hit] = []


class _Episode(msgspec.Struct, frozen=True, rename="pascal"):
    title: str = ""
    released: str = "N/A"
    episode: str = ""


class _Season(_Answer, frozen=True, rename="pascal"):
    episodes: list[_Episode] = []


class Omdb:
    name: ProviderName = "omdb"

    def __init__(self, source: Source, key: str | None) -> None:
        self._source = source
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
        """It knows one order only, and no specials."""
        series = await self._ask({"i": id}, _Hit)
        count = int(series.total_seasons) if series and series.total_seasons.isdecimal() else 0
        found: list[Episode] = []
        for season in range(1, min(count, _MOST_SEASONS) + 1):
            answer = await self._ask({"i": id, "Season": str(season)}, _Season)
            found += [
                _episode(season, each)
                for each in (answer.episodes if answer else [])
                if each.episode.isdecimal()
            ]
        return counted(found)

    async def _search(self, kind: Kind, title: str, year: int | None) -> list[Candidate]:
        query = {"s": title, "type": kind} | ({"y": str(year)} if year else {})
        answer = await self._ask(query, _Search, SEARCH_AGE)
        return [_candidate(kind, hit) for hit in answer.search] if answer else []

    async def _one(self, kind: Kind, id: str) -> Candidate | None:
        hit = await self._ask({"i": id, "type": kind}, _Hit)
        return _candidate(kind, hit) if hit and hit.imdb_id else None

    async def _ask(
        self, query: Mapping[str, str], shape: type[T], age: int = DETAILS_AGE
    ) -> T | None:
        if not self._key:
            raise AppError(400, "provider_key_missing", provider=self.name)
        secrets = {"apikey": self._key}
        answer = await self._source.ask(
            "/", shape, query=query, secrets=secrets, age=age, keep=_is_answer
        )
        if answer is None or answer.response == "True":
            return answer
        if _is_answer(answer):
            return None
        raise AppError(502, "provider_failed", provider=self.name, status=200)


def _is_answer(answer: _Answer) -> bool:
    """Failures come with status 200 as well; only these say that there is no such title."""
    error = answer.error.lower()
    return answer.response == "True" or "not found" in error or "incorrect imdb id" in error


def _candidate(kind: Kind, hit: _Hit) -> Candidate:
    return Candidate(
        provider="omdb",
        id=hit.imdb_id,
        kind=kind,
        title=hit.title,
        year=year_in(hit.year),
        poster=_given(hit.poster),
        ids=Ids(hit.imdb_id),
        rating=float(hit.imdb_rating) if hit.imdb_rating.replace(".", "").isdecimal() else None,
    )


def _episode(season: int, given: _Episode) -> Episode:
    return Episode(
        season=season,
        episode=int(given.episode),
        title=given.title,
        air_date=_given(given.released),
    )


def _given(text: str) -> str | None:
    return None if text in ("N/A", "") else text
