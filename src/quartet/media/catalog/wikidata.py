"""Wikidata: movies without a key, under a free licence."""

import msgspec

from quartet.media.catalog.provider_client import DETAILS_AGE, SEARCH_AGE, ProviderClient, year_in
from quartet.media.catalog.types import Candidate, Episode
from quartet.media.names.types import Ids
from quartet.media.types import Kind, Order, ProviderName

ADDRESS = "https://query.wikidata.org"
PER_SECOND = 2

# Q11424 is "film", P577 the publication date, P345 and P4947 the IMDb and TMDB ids.
_QUERY = """
SELECT ?item ?itemLabel (SAMPLE(?title) AS ?original) (MIN(YEAR(?date)) AS ?year)
  (SAMPLE(?imdb) AS ?imdbId) (SAMPLE(?tmdb) AS ?tmdbId) WHERE {
  %(which)s
  ?item wdt:P31/wdt:P279* wd:Q11424 .
  OPTIONAL { ?item wdt:P577 ?date . }
  OPTIONAL { ?item wdt:P1476 ?title . }
  OPTIONAL { ?item wdt:P345 ?imdb . }
  OPTIONAL { ?item wdt:P4947 ?tmdb . }
  SERVICE wikibase:label { bd:serviceParam wikibase:language "%(language)s,en,mul" . }
} GROUP BY ?item ?itemLabel LIMIT 10
"""
_SEARCH = """
SERVICE wikibase:mwapi {
  bd:serviceParam wikibase:endpoint "www.wikidata.org" ; wikibase:api "EntitySearch" ;
    mwapi:search "%(title)s" ; mwapi:language "%(language)s" .
  ?item wikibase:apiOutputItem mwapi:item .
}
"""


class _Value(msgspec.Struct, frozen=True):
    value: str = ""


class _Row(msgspec.Struct, frozen=True, rename="camel"):
    item: _Value
    item_label: _Value = _Value()
    original: _Value = _Value()
    year: _Value = _Value()
    imdb_id: _Value = _Value()
    tmdb_id: _Value = _Value()


class _Rows(msgspec.Struct, frozen=True):
    bindings: list[_Row]


class _WikidataAnswer(msgspec.Struct, frozen=True):
    results: _Rows


class Wikidata:
    name: ProviderName = "wikidata"

    def __init__(self, client: ProviderClient, language: str) -> None:
        self._client = client
        self._language = _code(language)

    async def search_movie(self, title: str, year: int | None) -> list[Candidate]:
        words = {"title": _quoted(title), "language": self._language}
        return await self._fetch(_SEARCH % words, SEARCH_AGE)

    async def search_series(self, title: str, year: int | None) -> list[Candidate]:
        return []

    async def movie(self, id: str) -> Candidate | None:
        if not (id[:1] == "Q" and id[1:].isascii() and id[1:].isdecimal()):
            return None
        return _first(await self._fetch(f"VALUES ?item {{ wd:{id} }}"))

    async def series(self, id: str) -> Candidate | None:
        return None

    async def find(self, kind: Kind, ids: Ids) -> Candidate | None:
        if kind == "series":
            return None
        for value, name in ((ids.imdb, "P345"), (ids.tmdb, "P4947")):
            if value:
                found = await self._fetch(f'?item wdt:{name} "{_quoted(str(value))}" .')
                if found:
                    return found[0]
        return None

    async def episodes(self, id: str, order: Order) -> list[Episode]:
        return []

    async def _fetch(self, which: str, age: int = DETAILS_AGE) -> list[Candidate]:
        question = _QUERY % {"which": which, "language": self._language}
        query = {"query": question, "format": "json"}
        answer = await self._client.fetch("/sparql", _WikidataAnswer, query=query, age=age)
        return [_candidate(row) for row in answer.results.bindings] if answer else []


def _first(found: list[Candidate]) -> Candidate | None:
    return found[0] if found else None


def _candidate(row: _Row) -> Candidate:
    tmdb = row.tmdb_id.value
    return Candidate(
        provider="wikidata",
        id=row.item.value.rpartition("/")[2],
        kind="movie",
        title=row.item_label.value or row.original.value,
        original_title=row.original.value or None,
        year=year_in(row.year.value),
        ids=Ids(row.imdb_id.value or None, int(tmdb) if tmdb.isdecimal() else None),
    )


def _code(language: str) -> str:
    code = language[:2].lower()
    return code if code.isascii() and code.isalpha() else "en"


def _quoted(text: str) -> str:
    """Escape a text for a SPARQL string."""
    text = text.replace("\\", "\\\\").replace('"', '\\"')
    return "".join(character if character.isprintable() else " " for character in text)
