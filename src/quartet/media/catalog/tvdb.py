"""TheTVDB, version 4, with the user's key and, if required, a subscriber PIN."""

from collections.abc import Mapping
from typing import Generic, TypeVar

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
from quartet.media.catalog.types import Candidate, Episode, Pictures, PictureWidths
from quartet.media.names.types import Ids
from quartet.media.types import Kind, Order, ProviderName

T = TypeVar("T")

ADDRESS = "https://api4.thetvdb.com/v4"
PER_SECOND = 10
_TOKEN_AGE = 20 * 24 * HOUR
_MOST_PAGES = 40
# Numbers of TheTVDB for posters and backgrounds.
_ARTWORK_TYPES: dict[Kind, tuple[int, int]] = {"series": (2, 3), "movie": (14, 15)}
_ORDERS = {"aired": "official", "dvd": "dvd", "absolute": "absolute"}
_LANGUAGES = {
    "ar": "ara", "cs": "ces", "da": "dan", "de": "deu", "el": "ell", "en": "eng", "es": "spa",
    "fi": "fin", "fr": "fra", "he": "heb", "hu": "hun", "it": "ita", "ja": "jpn", "ko": "kor",
    "nl": "nld", "no": "nor", "pl": "pol", "pt": "por", "ro": "ron", "ru": "rus", "sv": "swe",
    "tr": "tur", "uk": "ukr", "zh": "zho",
}  # fmt: skip


class _TvdbData(msgspec.Struct, Generic[T], frozen=True):
    data: T


class _Token(msgspec.Struct, frozen=True):
    token: str


class _Remote(msgspec.Struct, frozen=True, rename="camel"):
    id: str
    source_name: str | None = None


class _TvdbHit(msgspec.Struct, frozen=True):
    tvdb_id: str
    name: str = ""
    year: str | None = None
    image_url: str | None = None
    translations: dict[str, str] = {}
    aliases: list[str] = []
    remote_ids: list[_Remote] | None = None


class _Alias(msgspec.Struct, frozen=True):
    name: str


class _Translation(msgspec.Struct, frozen=True):
    language: str
    name: str | None = None


class _Translations(msgspec.Struct, frozen=True, rename="camel"):
    name_translations: list[_Translation] | None = None


class _Record(msgspec.Struct, frozen=True, rename="camel"):
    id: int
    name: str = ""
    year: str | None = None
    image: str | None = None
    aliases: list[_Alias] | None = None
    remote_ids: list[_Remote] | None = None
    translations: _Translations | None = None


class _Artwork(msgspec.Struct, frozen=True):
    image: str
    type: int
    language: str | None = None
    width: int = 0
    score: float = 0


class _Artworks(msgspec.Struct, frozen=True):
    artworks: list[_Artwork] | None = None


class _RemoteIdResult(msgspec.Struct, frozen=True):
    series: _Record | None = None
    movie: _Record | None = None


class _TvdbEpisode(msgspec.Struct, frozen=True, rename="camel"):
    season_number: int = 0
    number: int = 0
    name: str | None = None
    aired: str | None = None
    absolute_number: int | None = None


class _TvdbEpisodes(msgspec.Struct, frozen=True):
    episodes: list[_TvdbEpisode] = []


class _Links(msgspec.Struct, frozen=True):
    next: str | None = None


class _EpisodePage(msgspec.Struct, frozen=True):
    data: _TvdbEpisodes
    links: _Links = _Links()


class Tvdb:
    name: ProviderName = "tvdb"

    def __init__(
        self, client: ProviderClient, key: str | None, pin: str | None, language: str
    ) -> None:
        self._client = client
        self._key = key
        self._pin = pin
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
        answer = await self._fetch(path, _TvdbData[list[_RemoteIdResult]])
        for entry in answer.data if answer else []:
            record = entry.movie if kind == "movie" else entry.series
            if record:
                return self._candidate(kind, record)
        return None

    async def episodes(self, id: str, order: Order) -> list[Episode]:
        found: list[_TvdbEpisode] = []
        path = f"/series/{id}/episodes/{_ORDERS[order]}/{self._language}"
        for page in range(_MOST_PAGES):
            answer = await self._fetch(path, _EpisodePage, {"page": str(page)})
            found += answer.data.episodes if answer else []
            if answer is None or not answer.links.next:
                break
        if order == "absolute":
            # In this order all episodes are in season 1 and their numbers are absolute.
            return [_episode(each, absolute=each.number) for each in found]
        return with_absolute_numbers(
            _episode(each, absolute=each.absolute_number) for each in found
        )

    async def pictures(self, kind: Kind, id: str, widths: PictureWidths) -> Pictures:
        path = f"/movies/{id}/extended" if kind == "movie" else f"/series/{id}/extended"
        answer = await self._fetch(path, _TvdbData[_Artworks])
        artworks = (answer.data.artworks if answer else None) or []
        poster, fanart = _ARTWORK_TYPES[kind]
        return Pictures(
            poster=self._picture(artworks, poster, widths.poster),
            fanart=self._picture(artworks, fanart, widths.fanart),
        )

    def _picture(self, artworks: list[_Artwork], type: int, most: int) -> str | None:
        """Choose in the chosen language, otherwise in English or without text."""
        same = [one for one in artworks if one.type == type]
        for language in (self._language, "eng", None):
            if spoken := [one for one in same if one.language == language]:
                return _fitting(spoken, most).image
        return None

    async def _search(self, kind: Kind, title: str, year: int | None) -> list[Candidate]:
        query = {"query": title, "type": kind, "limit": "10"}
        if year:
            query["year"] = str(year)
        answer = await self._fetch("/search", _TvdbData[list[_TvdbHit]], query, SEARCH_AGE)
        return [self._hit(kind, hit) for hit in answer.data] if answer else []

    async def _record(self, kind: Kind, path: str, id: str) -> Candidate | None:
        if not id.isdecimal():
            return None
        query = {"meta": "translations", "short": "true"}
        answer = await self._fetch(path, _TvdbData[_Record], query)
        return self._candidate(kind, answer.data) if answer else None

    def _hit(self, kind: Kind, hit: _TvdbHit) -> Candidate:
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

    def _candidate(self, kind: Kind, record: _Record) -> Candidate:
        translations = record.translations or _Translations()
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
            "/login", _TvdbData[_Token], body=login, age=_TOKEN_AGE, fresh=fresh
        )
        if answer is None:
            raise AppError(502, "provider_refused", provider=self.name)
        return {"Authorization": f"Bearer {answer.data.token}"}


def _fitting(artworks: list[_Artwork], most: int) -> _Artwork:
    """Return the widest and best rated that is not wider than wanted, otherwise the narrowest."""
    fit = [one for one in artworks if one.width <= most]
    if fit:
        return max(fit, key=lambda one: (one.width, one.score))
    return min(artworks, key=lambda one: one.width)


def _episode(given: _TvdbEpisode, *, absolute: int | None) -> Episode:
    return Episode(
        season=given.season_number,
        episode=given.number,
        absolute=absolute or None,
        title=given.name or "",
        air_date=given.aired or None,
    )


def _ids(tvdb: int | None, remote: list[_Remote] | None) -> Ids:
    known = {(each.source_name or "").lower(): each.id for each in remote or []}
    tmdb = known.get("themoviedb.com", "")
    return Ids(known.get("imdb"), int(tmdb) if tmdb.isdecimal() else None, tvdb)
