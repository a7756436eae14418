"""The Movie Database, with the user's own key (version 3) or token (version 4)."""

import re
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

import msgspec

from quartet.kernel.batches import in_batches
from quartet.kernel.errors import AppError
from quartet.media.catalog.absolute_numbers import with_absolute_numbers
from quartet.media.catalog.provider_client import DETAILS_AGE, SEARCH_AGE, ProviderClient, year_in
from quartet.media.catalog.tmdb_answers import (
    Found,
    Group,
    Groups,
    TmdbDetails,
    TmdbEntry,
    TmdbEpisode,
    TmdbEpisodes,
    TmdbPage,
)
from quartet.media.catalog.tmdb_details import MOVIE_PARTS, SERIES_PARTS, details
from quartet.media.catalog.tmdb_pictures import IMAGES
from quartet.media.catalog.types import Candidate, Details, Episode, PictureWidths
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
        page = await self._fetch("/search/movie", TmdbPage, query, SEARCH_AGE)
        return [_candidate("movie", entry) for entry in page.results] if page else []

    async def search_series(self, title: str, year: int | None) -> list[Candidate]:
        query = {"query": title, "include_adult": "false"}
        if year:
            query["first_air_date_year"] = str(year)
        page = await self._fetch("/search/tv", TmdbPage, query, SEARCH_AGE)
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
                found = await self._fetch(f"/find/{value}", Found, query)
                found = found or Found()
                entries = found.movie_results if kind == "movie" else found.tv_results
                if entries:
                    return _candidate(kind, entries[0])
        return None

    async def episodes(self, id: str, order: Order) -> list[Episode]:
        grouped = await self._grouped(id, order) if order != "aired" else []
        if grouped and order == "absolute":
            return [
                msgspec.structs.replace(_episode(episode), absolute=place)
                for place, episode in enumerate(grouped, start=1)
            ]
        episodes = grouped or await self._translated(id, _has_name)
        return with_absolute_numbers(_episode(episode) for episode in episodes)

    async def details(self, kind: Kind, id: str, widths: PictureWidths, order: Order) -> Details:
        path = f"/movie/{id}" if kind == "movie" else f"/tv/{id}"
        entry = await self._fetch_details(kind, path)
        if entry is None:
            return Details()
        episodes: list[TmdbEpisode] = []
        if kind == "series":
            # The absolute order keeps the numbers of the aired one.
            grouped = await self._grouped(id, order) if order == "dvd" else []
            episodes = grouped or await self._translated(id, _is_complete)
        return details(entry, episodes, self._language, widths)

    async def _fetch_details(self, kind: Kind, path: str) -> TmdbDetails | None:
        """Return the details with pictures in the chosen language, in English or without text."""
        query = {
            "append_to_response": MOVIE_PARTS if kind == "movie" else SERIES_PARTS,
            "include_image_language": f"{self._language[:2]},en,null",
        }
        entry = await self._fetch(path, TmdbDetails, query)
        if entry is None or entry.overview or self._is_english:
            return entry
        english = await self._fetch(path, TmdbDetails, {"language": "en-US"}) or entry
        return msgspec.structs.replace(
            entry, overview=english.overview, tagline=entry.tagline or english.tagline
        )

    async def _translated(
        self, id: str, is_complete: Callable[[TmdbEpisode], bool]
    ) -> list[TmdbEpisode]:
        """Return the aired episodes; texts that are not translated are in English."""
        episodes = await self._aired(id, self._language)
        if self._is_english or all(is_complete(episode) for episode in episodes):
            return episodes
        english = {
            (episode.season_number, episode.episode_number): episode
            for episode in await self._aired(id, "en-US")
        }
        return [
            _completed(one, english.get((one.season_number, one.episode_number), one))
            for one in episodes
        ]

    @property
    def _is_english(self) -> bool:
        return self._language.lower().startswith("en")

    async def _entry(self, kind: Kind, path: str, id: str) -> Candidate | None:
        query = {"append_to_response": "external_ids,alternative_titles"}
        entry = await self._fetch(f"{path}{id}", TmdbEntry, query) if id.isdecimal() else None
        return _candidate(kind, entry) if entry else None

    async def _aired(self, id: str, language: str) -> list[TmdbEpisode]:
        entry = await self._fetch(f"/tv/{id}", TmdbEntry, {"language": language})
        numbers = [season.season_number for season in entry.seasons] if entry else []
        episodes: list[TmdbEpisode] = []
        for some in in_batches(numbers, _MOST_APPENDED):
            # One request returns several seasons, each under its own name.
            names = [f"season/{season}" for season in some]
            query = {"language": language, "append_to_response": ",".join(names)}
            answer = await self._fetch_seasons(id, query, names)
            for name in names:
                episodes += _convert(answer.get(name, {})).episodes
        return episodes

    async def _fetch_seasons(
        self, id: str, query: Mapping[str, str], names: list[str]
    ) -> dict[str, Any]:
        """An answer without any season is a failure; do not remember it as an empty list."""

        def is_complete(answer: dict[str, Any]) -> bool:
            return any(name in answer for name in names)

        answer = await self._fetch(f"/tv/{id}", dict[str, Any], query, keep=is_complete)
        if answer is not None and not is_complete(answer):
            raise AppError(502, "provider_failed", provider=self.name, status=200)
        return answer or {}

    async def _grouped(self, id: str, order: Order) -> list[TmdbEpisode]:
        """Return the episodes in another order: by absolute numbers, or numbered as on DVD."""
        groups = await self._fetch(f"/tv/{id}/episode_groups", Groups)
        wanted = _GROUP_TYPES[order]
        chosen = next((g.id for g in groups.results if g.type == wanted), None) if groups else None
        group = await self._fetch(f"/tv/episode_group/{chosen}", Group) if chosen else None
        if group is None:
            return []
        parts = sorted(group.groups, key=lambda part: part.order)
        if order == "absolute":
            return [episode for part in parts if part.order for episode in part.episodes]
        return [
            msgspec.structs.replace(
                episode, season_number=part.order, episode_number=episode.order + 1
            )
            for part in parts
            for episode in part.episodes
        ]

    async def _fetch(
        self,
        path: str,
        shape: type[T],
        query: Mapping[str, str] | None = None,
        age: int = DETAILS_AGE,
        keep: Callable[[T], bool] = lambda _answer: True,
    ) -> T | None:
        if not self._key:
            raise AppError(400, "provider_key_missing", provider=self.name)
        query = {"language": self._language, **(query or {})}
        # Version 4 tokens are JWTs, which always start like this.
        if self._key.startswith("eyJ"):
            headers = {"Authorization": f"Bearer {self._key}"}
            return await self._client.fetch(
                path, shape, query=query, headers=headers, age=age, keep=keep
            )
        secrets = {"api_key": self._key}
        return await self._client.fetch(
            path, shape, query=query, secrets=secrets, age=age, keep=keep
        )


def _convert(value: Any) -> TmdbEpisodes:
    try:
        return msgspec.convert(value, TmdbEpisodes)
    except msgspec.ValidationError:
        raise AppError(502, "provider_failed", provider="tmdb", status=200) from None


def _candidate(kind: Kind, entry: TmdbEntry) -> Candidate:
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
        collection=entry.belongs_to_collection.name if entry.belongs_to_collection else None,
        genres=tuple(genre.name for genre in entry.genres),
    )


def _episode(given: TmdbEpisode) -> Episode:
    return Episode(
        season=given.season_number,
        episode=given.episode_number,
        title=given.name or "",
        air_date=given.air_date or None,
    )


def _has_name(episode: TmdbEpisode) -> bool:
    return bool(episode.name) and not _PLACEHOLDER.fullmatch((episode.name or "").strip())


def _is_complete(episode: TmdbEpisode) -> bool:
    return _has_name(episode) and bool(episode.overview)


def _completed(episode: TmdbEpisode, english: TmdbEpisode) -> TmdbEpisode:
    return msgspec.structs.replace(
        episode,
        name=episode.name if _has_name(episode) else english.name,
        overview=episode.overview or english.overview,
    )
