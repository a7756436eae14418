"""AniList: anime by titles in every script, without a key. Has no episode titles."""

from collections.abc import Mapping

import msgspec

from quartet.kernel.errors import AppError
from quartet.media.catalog.anilist_details import FIELDS, AniListDetails, details
from quartet.media.catalog.provider_client import DETAILS_AGE, SEARCH_AGE, ProviderClient
from quartet.media.catalog.types import Candidate, Details, Episode, PictureWidths
from quartet.media.names.types import Ids
from quartet.media.types import Kind, Order, ProviderName

ADDRESS = "https://graphql.anilist.co"
PER_SECOND = 0.5
_FIELDS = """
id format episodes averageScore synonyms genres
title { romaji english native } startDate { year } coverImage { large }
"""
_SEARCH = f"""
query ($title: String, $formats: [MediaFormat]) {{
  Page(perPage: 10) {{
    media(search: $title, type: ANIME, format_in: $formats) {{ {_FIELDS} }}
  }}
}}
"""
_ONE = f"query ($id: Int) {{ Page {{ media(id: $id, type: ANIME) {{ {_FIELDS} }} }} }}"
_DETAILS = f"query ($id: Int) {{ Page {{ media(id: $id, type: ANIME) {{ {FIELDS} }} }} }}"
_FORMATS = {"movie": ["MOVIE"], "series": ["TV", "TV_SHORT", "OVA", "ONA", "SPECIAL"]}
_MOST_EPISODES = 5000


class _Title(msgspec.Struct, frozen=True):
    romaji: str | None = None
    english: str | None = None
    native: str | None = None


class _AnilistDate(msgspec.Struct, frozen=True):
    year: int | None = None


class _Cover(msgspec.Struct, frozen=True):
    large: str | None = None


class _Media(msgspec.Struct, frozen=True, rename="camel"):
    id: int
    title: _Title
    format: str | None = None
    episodes: int | None = None
    average_score: int | None = None
    synonyms: list[str] | None = None
    genres: list[str] | None = None
    start_date: _AnilistDate = _AnilistDate()
    cover_image: _Cover = _Cover()


class _AniListPage(msgspec.Struct, frozen=True):
    media: list[_Media] = []


class _AniListData(msgspec.Struct, frozen=True, rename="pascal"):
    page: _AniListPage | None = None


class _AniListAnswer(msgspec.Struct, frozen=True):
    data: _AniListData | None = None


class _DetailsPage(msgspec.Struct, frozen=True):
    media: list[AniListDetails] = []


class _DetailsData(msgspec.Struct, frozen=True, rename="pascal"):
    page: _DetailsPage | None = None


class _DetailsAnswer(msgspec.Struct, frozen=True):
    data: _DetailsData | None = None


class AniList:
    name: ProviderName = "anilist"

    def __init__(self, client: ProviderClient, language: str) -> None:
        self._client = client
        self._language = language[:2].lower()

    async def search_movie(self, title: str, year: int | None) -> list[Candidate]:
        return await self._search("movie", title)

    async def search_series(self, title: str, year: int | None) -> list[Candidate]:
        return await self._search("series", title)

    async def movie(self, id: str) -> Candidate | None:
        return await self._one("movie", id)

    async def series(self, id: str) -> Candidate | None:
        return await self._one("series", id)

    async def find(self, kind: Kind, ids: Ids) -> Candidate | None:
        return None

    async def episodes(self, id: str, order: Order) -> list[Episode]:
        series = await self.series(id)
        count = min(series.episode_count or 0, _MOST_EPISODES) if series else 0
        return [Episode(season=1, episode=n, absolute=n) for n in range(1, count + 1)]

    async def details(self, kind: Kind, id: str, widths: PictureWidths, order: Order) -> Details:
        if not id.isdecimal():
            return Details()
        body = {"query": _DETAILS, "variables": {"id": int(id)}}
        answer = await self._client.fetch("", _DetailsAnswer, body=body, keep=_has_data)
        page = answer.data.page if answer and answer.data else None
        if not page or not page.media:
            return Details()
        return details(page.media[0], is_series=kind == "series")

    async def _search(self, kind: Kind, title: str) -> list[Candidate]:
        variables = {"title": title, "formats": _FORMATS[kind]}
        found = await self._media(_SEARCH, variables, SEARCH_AGE)
        return [self._candidate(kind, media) for media in found]

    async def _one(self, kind: Kind, id: str) -> Candidate | None:
        found = await self._media(_ONE, {"id": int(id)}) if id.isdecimal() else []
        return self._candidate(kind, found[0]) if found else None

    async def _media(
        self, question: str, variables: Mapping[str, object], age: int = DETAILS_AGE
    ) -> list[_Media]:
        body = {"query": question, "variables": variables}
        answer = await self._client.fetch("", _AniListAnswer, body=body, age=age, keep=_has_data)
        if answer is None:
            return []
        if not answer.data or not answer.data.page:
            raise AppError(502, "provider_failed", provider=self.name, status=200)
        return answer.data.page.media

    def _candidate(self, kind: Kind, media: _Media) -> Candidate:
        title = media.title
        names = [title.english, title.romaji, title.native]
        if self._language == "ja":
            names.reverse()
        known = [name for name in names if name]
        return Candidate(
            provider="anilist",
            id=str(media.id),
            kind=kind,
            title=known[0] if known else str(media.id),
            original_title=title.native,
            other_titles=tuple(dict.fromkeys([*known, *(media.synonyms or [])])),
            year=media.start_date.year,
            poster=media.cover_image.large,
            episode_count=media.episodes,
            rating=None if media.average_score is None else media.average_score / 10,
            genres=tuple(media.genres or ()),
        )


def _has_data(answer: "_AniListAnswer | _DetailsAnswer") -> bool:
    return answer.data is not None
