"""The Movie Database, with the user's own key (version 3) or token (version 4)."""

import re
from collections.abc import Mapping
from typing import Any, TypeVar

import msgspec

from quartet.kernel.batches import in_batches
from quartet.kernel.errors import AppError
from quartet.media.catalog.absolute_numbers import with_absolute_numbers
from quartet.media.catalog.provider_client import DETAILS_AGE, SEARCH_AGE, ProviderClient, year_in
from quartet.media.catalog.tmdb_pictures import (
    BACKDROP_WIDTHS,
    IMAGES,
    LOGO_WIDTHS,
    POSTER_WIDTHS,
    STILL_WIDTHS,
    Image,
    best_logo,
    sized,
)
from quartet.media.catalog.types import Candidate, Episode, Pictures, PictureWidths
from quartet.media.names.types import Ids
from quartet.media.types import Kind, Order, ProviderName

T = TypeVar("T")

ADDRESS = "https://api.themoviedb.org/3"
PER_SECOND = 40
_POSTERS = f"{IMAGES}w342"
_MOST_APPENDED = 20
_GROUP_TYPES = {"absolute": 2, "dvd": 3}
_PLACEHOLDER = re.compile(
    r"(episode|folge|épisode|episodio|episódio|aflevering|avsnitt|odcinek|эпизод|серия)\s*\d+"
    r"|第\s*\d+\s*[集話话回]|\d+\.\s*(bölüm|epizód|rész)",
    re.IGNORECASE,
)


class _External(msgspec.Struct, frozen=True):
    imdb_id: str | None = None
    tvdb_id: int | None = None


class _Named(msgspec.Struct, frozen=True):
    title: str = ""
    name: str = ""


class _Alternatives(msgspec.Struct, frozen=True):
    titles: list[_Named] = []
    results: list[_Named] = []


class _TmdbSeason(msgspec.Struct, frozen=True):
    season_number: int
    poster_path: str | None = None


class _Images(msgspec.Struct, frozen=True):
    logos: list[Image] = []
    posters: list[Image] = []
    backdrops: list[Image] = []


class _Entry(msgspec.Struct, frozen=True):
    """A movie (title, release_date) or a series (name, first_air_date)."""

    id: int
    title: str = ""
    name: str = ""
    original_title: str | None = None
    original_name: str | None = None
    release_date: str | None = None
    first_air_date: str | None = None
    poster_path: str | None = None
    vote_average: float | None = None
    number_of_episodes: int | None = None
    origin_country: list[str] = []
    external_ids: _External = _External()
    alternative_titles: _Alternatives = _Alternatives()
    seasons: list[_TmdbSeason] = []
    backdrop_path: str | None = None
    images: _Images = _Images()


class _TmdbPage(msgspec.Struct, frozen=True):
    results: list[_Entry]


class _Found(msgspec.Struct, frozen=True):
    movie_results: list[_Entry] = []
    tv_results: list[_Entry] = []


class _TmdbEpisode(msgspec.Struct, frozen=True):
    season_number: int
    episode_number: int
    name: str | None = None
    air_date: str | None = None
    still_path: str | None = None
    order: int = 0


class _TmdbEpisodes(msgspec.Struct, frozen=True):
    episodes: list[_TmdbEpisode] = []
    order: int = 0


class _GroupInfo(msgspec.Struct, frozen=True):
    id: str
    type: int


class _Groups(msgspec.Struct, frozen=True):
    results: list[_GroupInfo] = []


class _Group(msgspec.Struct, frozen=True):
    groups: list[_TmdbEpisodes] = []


class Tmdb:
    name: ProviderName = "tmdb"

    def __init__(self, source: ProviderClient, key: str | None, language: str) -> None:
        self._client = source
        self._key = key
        self._language = language

    async def search_movie(self, title: str, year: int | None) -> list[Candidate]:
        query = {"query": title, "include_adult": "false"}
        if year:
            query["year"] = str(year)
        page = await self._fetch("/search/movie", _TmdbPage, query, SEARCH_AGE)
        return [_candidate("movie", entry) for entry in page.results] if page else []

    async def search_series(self, title: str, year: int | None) -> list[Candidate]:
        query = {"query": title, "include_adult": "false"}
        if year:
            query["first_air_date_year"] = str(year)
        page = await self._fetch("/search/tv", _TmdbPage, query, SEARCH_AGE)
        return [_candidate("series", entry) for entry in page.results] if page else []

    async def movie(self, id: str) -> Candidate | None:
        return await self._entry("movie", "/movie/", id)

    async def series(self, id: str) -> Candidate | None:
        return await self._entry("series", "/tv/", id)

    async def find(self, kind: Kind, ids: Ids) -> Candidate | None:
        if ids.tmdb:
            return await (self.movie if kind == "movie" else self.series)(str(ids.tmdb))
        for value, source in ((ids.imdb, "imdb_id"), (ids.tvdb, "tvdb_id")):
            if value:
                query = {"external_source": source}
                found = await self._fetch(f"/find/{value}", _Found, query)
                found = found or _Found()
                entries = found.movie_results if kind == "movie" else found.tv_results
                if entries:
                    return _candidate(kind, entries[0])
        return None

    async def episodes(self, id: str, order: Order) -> list[Episode]:
        if order != "aired":
            grouped = await self._grouped(id, order)
            if grouped:
                return grouped
        episodes = await self._aired(id, self._language)
        if any(_is_placeholder(episode) for episode in episodes) and not self._is_english:
            english = {
                (episode.season_number, episode.episode_number): episode
                for episode in await self._aired(id, "en-US")
            }
            episodes = [
                english.get((episode.season_number, episode.episode_number), episode)
                if _is_placeholder(episode)
                else episode
                for episode in episodes
            ]
        return with_absolute_numbers(_episode(episode) for episode in episodes)

    async def pictures(self, kind: Kind, id: str, widths: PictureWidths) -> Pictures:
        """Return pictures in the chosen language, otherwise in English or without text."""
        language = self._language[:2]
        query = {"append_to_response": "images", "include_image_language": f"{language},en,null"}
        path = "/movie/" if kind == "movie" else "/tv/"
        entry = await self._fetch(f"{path}{id}", _Entry, query)
        if entry is None:
            return Pictures()
        episodes = await self._aired(id, self._language) if kind == "series" else []
        images, poster, fanart = entry.images, widths.poster, widths.fanart
        seasons = {
            one.season_number: sized(one.poster_path, POSTER_WIDTHS, poster)
            for one in entry.seasons
        }
        stills = {
            (one.season_number, one.episode_number): sized(one.still_path, STILL_WIDTHS, fanart)
            for one in episodes
        }
        return Pictures(
            poster=sized(entry.poster_path, POSTER_WIDTHS, poster, images.posters),
            fanart=sized(entry.backdrop_path, BACKDROP_WIDTHS, fanart, images.backdrops),
            logo=sized(best_logo(images.logos, language), LOGO_WIDTHS, fanart),
            seasons={season: url for season, url in seasons.items() if url},
            episodes={numbers: url for numbers, url in stills.items() if url},
        )

    @property
    def _is_english(self) -> bool:
        return self._language.lower().startswith("en")

    async def _entry(self, kind: Kind, path: str, id: str) -> Candidate | None:
        query = {"append_to_response": "external_ids,alternative_titles"}
        entry = await self._fetch(f"{path}{id}", _Entry, query) if id.isdecimal() else None
        return _candidate(kind, entry) if entry else None

    async def _aired(self, id: str, language: str) -> list[_TmdbEpisode]:
        entry = await self._fetch(f"/tv/{id}", _Entry, {"language": language})
        numbers = [season.season_number for season in entry.seasons] if entry else []
        episodes: list[_TmdbEpisode] = []
        for some in in_batches(numbers, _MOST_APPENDED):
            # One request returns several seasons, each under its own name.
            names = [f"season/{season}" for season in some]
            query = {"language": language, "append_to_response": ",".join(names)}
            answer = await self._fetch(f"/tv/{id}", dict[str, Any], query) or {}
            for name in names:
                episodes += _convert(answer.get(name, {})).episodes
        return episodes

    async def _grouped(self, id: str, order: Order) -> list[Episode]:
        groups = await self._fetch(f"/tv/{id}/episode_groups", _Groups)
        wanted = _GROUP_TYPES[order]
        chosen = next((g.id for g in groups.results if g.type == wanted), None) if groups else None
        group = await self._fetch(f"/tv/episode_group/{chosen}", _Group) if chosen else None
        if group is None:
            return []
        parts = sorted(group.groups, key=lambda part: part.order)
        if order == "absolute":
            flat = [episode for part in parts if part.order for episode in part.episodes]
            return [
                msgspec.structs.replace(_episode(episode), absolute=place)
                for place, episode in enumerate(flat, start=1)
            ]
        return with_absolute_numbers(
            msgspec.structs.replace(_episode(episode), season=part.order, episode=episode.order + 1)
            for part in parts
            for episode in part.episodes
        )

    async def _fetch(
        self,
        path: str,
        shape: type[T],
        query: Mapping[str, str] | None = None,
        age: int = DETAILS_AGE,
    ) -> T | None:
        if not self._key:
            raise AppError(400, "provider_key_missing", provider=self.name)
        query = {"language": self._language, **(query or {})}
        # Version 4 tokens are JWTs, which always start like this.
        if self._key.startswith("eyJ"):
            headers = {"Authorization": f"Bearer {self._key}"}
            return await self._client.fetch(path, shape, query=query, headers=headers, age=age)
        secrets = {"api_key": self._key}
        return await self._client.fetch(path, shape, query=query, secrets=secrets, age=age)


def _convert(value: Any) -> _TmdbEpisodes:
    try:
        return msgspec.convert(value, _TmdbEpisodes)
    except msgspec.ValidationError:
        raise AppError(502, "provider_failed", provider="tmdb", status=200) from None


def _candidate(kind: Kind, entry: _Entry) -> Candidate:
    others = [*entry.alternative_titles.titles, *entry.alternative_titles.results]
    return Candidate(
        provider="tmdb",
        id=str(entry.id),
        kind=kind,
        title=entry.title or entry.name,
        original_title=entry.original_title or entry.original_name,
        other_titles=tuple(other.title or other.name for other in others),
        year=year_in(entry.release_date or entry.first_air_date),
        countries=tuple(entry.origin_country),
        poster=_POSTERS + entry.poster_path if entry.poster_path else None,
        episode_count=entry.number_of_episodes,
        ids=Ids(entry.external_ids.imdb_id or None, entry.id, entry.external_ids.tvdb_id),
        rating=entry.vote_average,
    )


def _episode(given: _TmdbEpisode) -> Episode:
    return Episode(
        season=given.season_number,
        episode=given.episode_number,
        title=given.name or "",
        air_date=given.air_date or None,
    )


def _is_placeholder(episode: _TmdbEpisode) -> bool:
    return not episode.name or bool(_PLACEHOLDER.fullmatch(episode.name.strip()))
