"""TheTVDB, version 4, with the user's key and, if required, a subscriber PIN."""

from collections.abc import Callable, Mapping
from typing import TypeVar

import msgspec

from quartet.kernel.errors import AppError
from quartet.media.catalog.absolute_numbers import with_absolute_numbers
from quartet.media.catalog.provider_client import (
    DETAILS_AGE,
    HOUR,
    SEARCH_AGE,
    ProviderClient,
    year_in,
)
from quartet.media.catalog.tvdb_answers import (
    EpisodePage,
    Record,
    Remote,
    RemoteIdResult,
    Translations,
    TvdbData,
    TvdbDetails,
    TvdbEpisode,
    TvdbHit,
    TvdbToken,
)
from quartet.media.catalog.tvdb_details import details
from quartet.media.catalog.types import Candidate, Details, Episode, PictureWidths
from quartet.media.names.types import Ids
from quartet.media.types import Kind, Order, ProviderName

T = TypeVar("T")

ADDRESS = "https://api4.thetvdb.com/v4"
PER_SECOND = 10
_TOKEN_AGE = 20 * 24 * HOUR
_MOST_PAGES = 40
_ORDERS = {"aired": "official", "dvd": "dvd", "absolute": "absolute"}
_LANGUAGES = {
    "ar": "ara", "cs": "ces", "da": "dan", "de": "deu", "el": "ell", "en": "eng", "es": "spa",
    "fi": "fin", "fr": "fra", "he": "heb", "hu": "hun", "it": "ita", "ja": "jpn", "ko": "kor",
    "nl": "nld", "no": "nor", "pl": "pol", "pt": "por", "ro": "ron", "ru": "rus", "sv": "swe",
    "tr": "tur", "uk": "ukr", "zh": "zho",
}  # fmt: skip


class Tvdb:
    name: ProviderName = "tvdb"

    def __init__(
        self, client: ProviderClient, key: str | None, pin: str | None, language: str
    ) -> None:
        self._client = client
        self._key = key
        self._pin = pin
        self._region = language
        self._language = _LANGUAGES.get(language[:2].lower(), "eng")

    async def search_movie(self, title: str, year: int | None) -> list[Candidate]:
        return await self._search("movie", title, year)

    async def search_series(self, title: str, year: int | None) -> list[Candidate]:
        return await self._search("series", title, year)

    async def movie(self, id: str) -> Candidate | None:
        return await self._record("movie", f"/movies/{id}/extended", id)

    async def series(self, id: str) -> Candidate | None:
        return await self._record("series", f"/series/{id}/extended", id)

    async def find(self, kind: Kind, ids: Ids) -> Candidate | None:
        if ids.tvdb:
            return await (self.movie if kind == "movie" else self.series)(str(ids.tvdb))
        if not ids.imdb:
            return None
        path = f"/search/remoteid/{ids.imdb}"
        answer = await self._fetch(path, TvdbData[list[RemoteIdResult]])
        for entry in answer.data if answer else []:
            record = entry.movie if kind == "movie" else entry.series
            if record:
                return self._candidate(kind, record)
        return None

    async def episodes(self, id: str, order: Order) -> list[Episode]:
        found = await self._translated(id, order, lambda each: bool(each.name))
        if order == "absolute":
            # In this order all episodes are in season 1 and their numbers are absolute.
            return [_episode(each, absolute=each.number) for each in found]
        return with_absolute_numbers(
            _episode(each, absolute=each.absolute_number) for each in found
        )

    async def details(self, kind: Kind, id: str, widths: PictureWidths, order: Order) -> Details:
        path = f"/movies/{id}/extended" if kind == "movie" else f"/series/{id}/extended"
        answer = await self._fetch(path, TvdbData[TvdbDetails], {"meta": "translations"})
        if answer is None:
            return Details()
        episodes: list[TvdbEpisode] = []
        if kind == "series":
            episodes = await self._translated(id, order, lambda each: bool(each.overview))
        return details(kind, answer.data, episodes, self._region, self._language, widths)

    async def _translated(
        self, id: str, order: Order, is_complete: Callable[[TvdbEpisode], bool]
    ) -> list[TvdbEpisode]:
        """Return the episodes; texts that are not translated are in English."""
        episodes = await self._listed(id, order, self._language)
        if self._language == "eng" or (episodes and all(map(is_complete, episodes))):
            return episodes
        english = await self._listed(id, order, "eng")
        by_number = {(each.season_number, each.number): each for each in english}
        return [
            _completed(each, by_number.get((each.season_number, each.number), each))
            for each in episodes or english
        ]

    async def _listed(self, id: str, order: Order, language: str) -> list[TvdbEpisode]:
        found: list[TvdbEpisode] = []
        path = f"/series/{id}/episodes/{_ORDERS[order]}/{language}"
        for page in range(_MOST_PAGES):
            answer = await self._fetch(path, EpisodePage, {"page": str(page)})
            found += answer.data.episodes if answer else []
            if answer is None or not answer.links.next:
                break
        return found

    async def _search(self, kind: Kind, title: str, year: int | None) -> list[Candidate]:
        query = {"query": title, "type": kind, "limit": "10"}
        if year:
            query["year"] = str(year)
        answer = await self._fetch("/search", TvdbData[list[TvdbHit]], query, SEARCH_AGE)
        return [self._hit(kind, hit) for hit in answer.data] if answer else []

    async def _record(self, kind: Kind, path: str, id: str) -> Candidate | None:
        if not id.isdecimal():
            return None
        query = {"meta": "translations", "short": "true"}
        answer = await self._fetch(path, TvdbData[Record], query)
        return self._candidate(kind, answer.data) if answer else None

    def _hit(self, kind: Kind, hit: TvdbHit) -> Candidate:
        return Candidate(
            provider="tvdb",
            id=hit.tvdb_id,
            kind=kind,
            title=hit.translations.get(self._language) or hit.name,
            original_title=hit.name,
            other_titles=tuple(dict.fromkeys([*hit.translations.values(), *hit.aliases])),
            year=year_in(hit.year),
            poster=hit.image_url,
            ids=_ids(int(hit.tvdb_id) if hit.tvdb_id.isdecimal() else None, hit.remote_ids),
        )

    def _candidate(self, kind: Kind, record: Record) -> Candidate:
        translations = record.translations or Translations()
        names = {each.language: each.name for each in translations.name_translations or []}
        others = [alias.name for alias in record.aliases or []]
        return Candidate(
            provider="tvdb",
            id=str(record.id),
            kind=kind,
            title=names.get(self._language) or record.name,
            original_title=record.name,
            other_titles=tuple(dict.fromkeys([*filter(None, names.values()), *others])),
            year=year_in(record.year),
            poster=record.image,
            ids=_ids(record.id, record.remote_ids),
            genres=tuple(genre.name for genre in record.genres or []),
        )

    async def _fetch(
        self,
        path: str,
        shape: type[T],
        query: Mapping[str, str] | None = None,
        age: int = DETAILS_AGE,
    ) -> T | None:
        try:
            headers = await self._login()
            return await self._client.fetch(path, shape, query=query, headers=headers, age=age)
        except AppError as error:
            if error.code != "provider_refused":
                raise
        # A token may expire early.
        headers = await self._login(fresh=True)
        return await self._client.fetch(path, shape, query=query, headers=headers, age=age)

    async def _login(self, *, fresh: bool = False) -> dict[str, str]:
        if not self._key:
            raise AppError(400, "provider_key_missing", provider=self.name)
        login = {"apikey": self._key} | ({"pin": self._pin} if self._pin else {})
        answer = await self._client.fetch(
            "/login", TvdbData[TvdbToken], body=login, age=_TOKEN_AGE, fresh=fresh
        )
        if answer is None:
            raise AppError(502, "provider_refused", provider=self.name)
        return {"Authorization": f"Bearer {answer.data.token}"}


def _completed(episode: TvdbEpisode, english: TvdbEpisode) -> TvdbEpisode:
    return msgspec.structs.replace(
        episode,
        name=episode.name or english.name,
        overview=episode.overview or english.overview,
    )


def _episode(given: TvdbEpisode, *, absolute: int | None) -> Episode:
    return Episode(
        season=given.season_number,
        episode=given.number,
        absolute=absolute or None,
        title=given.name or "",
        air_date=given.aired or None,
    )


def _ids(tvdb: int | None, remote: list[Remote] | None) -> Ids:
    known = {(each.source_name or "").lower(): each.id for each in remote or []}
    tmdb = known.get("themoviedb.com", "")
    return Ids(known.get("imdb"), int(tmdb) if tmdb.isdecimal() else None, tvdb)
