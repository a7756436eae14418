"""Matches many files at once, with one search per title and one episode list per series."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import NamedTuple

import msgspec

from quartet.kernel.errors import AppError, problem_of
from quartet.media.catalog.service import Catalog
from quartet.media.catalog.types import Candidate, Provider
from quartet.media.match.episodes import EpisodeList
from quartet.media.match.scoring import Scored, ranked, score_of_best, tied
from quartet.media.match.search_groups import (
    kind_of,
    other_titles,
    override_key,
    without_label,
)
from quartet.media.match.tied_series import series_with_episodes
from quartet.media.match.titled_episodes import find_series, with_episode_title
from quartet.media.match.types import (
    Alternative,
    Match,
    MatchOptions,
    Override,
    OverrideKey,
    Reason,
)
from quartet.media.names.types import Ids, Parsed
from quartet.media.types import Kind, Order, ProviderName

_MOST_ALTERNATIVES = 6
# A name that is neither a movie nor an episode is never moved without review.
_UNKNOWN_KIND = 0.6
_GOOD_SCORE = 0.8
_MOST_DETAILED = 3
_MAX_FAILURES = 10
# Catalogs whose search results lack external ids.
_SHORT_RESULTS: frozenset[ProviderName] = frozenset(("tmdb", "tvdb", "omdb"))
# Catalogs in which specials have no numbers; those given to them differ from those in names.
_UNNUMBERED_SPECIALS: frozenset[ProviderName] = frozenset(("tvmaze",))


class _Identified(NamedTuple):
    """The result of one search, shared by all files of its group."""

    candidate: Candidate
    confidence: float
    reasons: tuple[Reason, ...]
    alternatives: tuple[Alternative, ...] = ()
    overridden: bool = False
    # The series that fit the title equally well, the chosen one included.
    tied: tuple[Scored, ...] = ()


class BatchMatch:
    def __init__(
        self,
        catalog: Catalog,
        options: MatchOptions,
        order: Order,
        overrides: Mapping[OverrideKey, Override],
    ) -> None:
        self._catalog = catalog
        self._options = options
        self._order: Order = order
        self._overrides = overrides
        # Consecutive failures per kind; after too many, the provider is not asked again.
        self._failures: dict[Kind, list[Match]] = {}
        self._details: dict[tuple[ProviderName, str], asyncio.Task[Candidate]] = {}
        self._lists: dict[tuple[ProviderName, str], asyncio.Task[EpisodeList]] = {}

    async def group(self, items: Sequence[Parsed]) -> list[Match]:
        """Match items that share one search. If it fails, all of them need review."""
        failures = self._failures.setdefault(kind_of(items[0]), [])
        if len(failures) >= _MAX_FAILURES:
            return [failures[-1] for _ in items]
        try:
            identified = await self._identify(items[0])
            if not isinstance(identified, _Identified):
                return [Match(reasons=(identified,)) for _ in items]
            identified = await self._settled(items, identified)
            found = [await self._finish(parsed, identified) for parsed in items]
        except AppError as error:
            failures.append(Match(reasons=("provider_failed",), error=problem_of(error)))
            return [failures[-1] for _ in items]
        failures.clear()
        return found

    async def chosen(
        self, items: Sequence[Parsed], kind: Kind, name: ProviderName, id: str
    ) -> list[Match]:
        provider = await self._catalog.provider(kind, name)
        candidate = await _by_id(provider, kind)(id)
        if candidate is None:
            raise AppError(404, "catalog_entry_not_found", provider=name, id=id)
        identified = _Identified(candidate, 1.0, ("chosen",))
        return [await self._finish(parsed, identified) for parsed in items]

    async def _identify(self, parsed: Parsed) -> "_Identified | Reason":
        kind = kind_of(parsed)
        override = self._overrides.get(override_key(parsed, kind))
        if override:
            return await self._override(kind, override)
        wanted = self._options.movie_provider if kind == "movie" else self._options.series_provider
        provider = await self._catalog.provider(kind, wanted)
        if parsed.ids != Ids():
            found = await provider.find(kind, parsed.ids)
            if found:
                return _Identified(await self._complete(found), 1.0, ("by_id",))
        if not parsed.title:
            return "no_title"
        found_list = await _search(provider, kind, parsed)
        if not found_list or found_list[0].score < _GOOD_SCORE or _is_labelled(parsed, found_list):
            other = await self._other_reading(parsed, found_list)
            if other:
                return other
        identified = _identified(parsed, found_list)
        if not isinstance(identified, _Identified):
            return identified
        return identified._replace(candidate=await self._complete(identified.candidate))

    async def _settled(self, items: Sequence[Parsed], identified: _Identified) -> _Identified:
        """Let the episode lists decide between series with the same title."""
        settled = await series_with_episodes(items, identified.tied, self._episode_list)
        if settled is None:
            return identified
        sure, doubts = _name_factor(items[0], settled)
        rest = {one.candidate.id: _alternative(one) for one in identified.tied}
        rest |= {one.candidate.id: one for one in identified.alternatives}
        others = tuple(one for id, one in rest.items() if id != settled.candidate.id)
        return _Identified(
            await self._complete(settled.candidate),
            settled.score * sure,
            (*settled.reasons, *doubts, "series_by_episodes"),
            others,
        )

    async def _other_reading(self, parsed: Parsed, found: list[Scored]) -> "_Identified | None":
        """Search by the title of another reading, which may be of the other kind."""
        least = max(_GOOD_SCORE, found[0].score if found else 0.0)
        for other in other_titles(parsed):
            kind = kind_of(other)
            wanted = (
                self._options.movie_provider if kind == "movie" else self._options.series_provider
            )
            provider = await self._catalog.provider(kind, wanted)
            scored = await _search(provider, kind, other)
            identified = _identified(other, scored)
            if isinstance(identified, _Identified) and scored[0].score >= least:
                candidate = await self._complete(identified.candidate)
                return identified._replace(candidate=candidate)
        return await self._episode_without_number(parsed)

    async def _episode_without_number(self, parsed: Parsed) -> "_Identified | None":
        provider = await self._catalog.provider("series", self._options.series_provider)
        found = await find_series(provider, parsed, self._episode_list)
        identified = _identified(*found) if found else None
        if not isinstance(identified, _Identified):
            return None
        return identified._replace(candidate=await self._complete(identified.candidate))

    async def _complete(self, candidate: Candidate) -> Candidate:
        """Return the entry with all external ids, fetched once per title.

        They are part of names, so that the same title must always have the same ids.
        """
        if candidate.provider not in _SHORT_RESULTS:
            return candidate
        key = (candidate.provider, candidate.id)
        if key not in self._details:
            self._details[key] = asyncio.ensure_future(self._fetch_details(candidate))
        return await asyncio.shield(self._details[key])

    async def _fetch_details(self, candidate: Candidate) -> Candidate:
        provider = await self._catalog.provider(candidate.kind, candidate.provider)
        return await _by_id(provider, candidate.kind)(candidate.id) or candidate

    async def _override(self, kind: Kind, override: Override) -> "_Identified | Reason":
        provider = await self._catalog.provider(kind, override.provider)
        candidate = await _by_id(provider, kind)(override.external_id)
        if candidate is None:
            return "nothing_found"
        return _Identified(candidate, 1.0, ("learned",), overridden=True)

    async def _finish(self, parsed: Parsed, identified: _Identified) -> Match:
        match = Match(
            best=identified.candidate,
            alternatives=identified.alternatives,
            confidence=round(identified.confidence, 4),
            reasons=identified.reasons,
            overridden=identified.overridden,
        )
        if identified.candidate.kind == "movie" or parsed.extra:
            return match
        listed = await self._episode_list(identified.candidate)
        episode_match = listed.find(with_episode_title(parsed, identified.candidate))
        return msgspec.structs.replace(
            match,
            episodes=episode_match.episodes,
            confidence=round(identified.confidence * episode_match.factor, 4),
            reasons=(*identified.reasons, *episode_match.reasons),
        )

    async def _episode_list(self, series: Candidate) -> EpisodeList:
        """Return the episode list of a series, shared by all groups, also while it is being
        fetched.
        """
        key = (series.provider, series.id)
        if key not in self._lists:
            self._lists[key] = asyncio.ensure_future(self._fetch(series))
        return await asyncio.shield(self._lists[key])

    async def _fetch(self, series: Candidate) -> EpisodeList:
        provider = await self._catalog.provider("series", series.provider)
        listed = await provider.episodes(series.id, self._order)
        return EpisodeList(listed, numbers_specials=series.provider not in _UNNUMBERED_SPECIALS)


async def _search(provider: Provider, kind: Kind, parsed: Parsed) -> list[Scored]:
    """Search by every title in the name, with the year first, until one scores well."""
    search = provider.search_movie if kind == "movie" else provider.search_series
    years = dict.fromkeys([parsed.year, None])
    candidates: dict[str, Candidate] = {}
    found: list[Scored] = []
    for title in (parsed.title, *parsed.other_titles):
        for year in years:
            for candidate in await search(title or "", year):
                candidates.setdefault(candidate.id, candidate)
            found = ranked(parsed, candidates.values())
            if found and found[0].score >= _GOOD_SCORE:
                return found
    return await _rank_with_details(provider, kind, parsed, list(candidates.values()))


async def _rank_with_details(
    provider: Provider, kind: Kind, parsed: Parsed, candidates: list[Candidate]
) -> list[Scored]:
    """Fetch the details of the first candidates: the title may be in another language."""
    whole = {candidate.id: candidate for candidate in candidates}
    for candidate in candidates[:_MOST_DETAILED]:
        if not candidate.other_titles:
            whole[candidate.id] = await _by_id(provider, kind)(candidate.id) or candidate
    return ranked(parsed, whole.values())


def _identified(parsed: Parsed, found: list[Scored]) -> "_Identified | Reason":
    if not found:
        return "nothing_found"
    score, reasons = score_of_best(found)
    sure, doubts = _name_factor(parsed, found[0])
    others = tuple(_alternative(each) for each in found[1 : _MOST_ALTERNATIVES + 1])
    equal = tied(found) if found[0].candidate.kind == "series" else ()
    return _Identified(found[0].candidate, score * sure, (*reasons, *doubts), others, tied=equal)


def _alternative(scored: Scored) -> Alternative:
    return Alternative(scored.candidate, round(scored.score, 4))


def _name_factor(parsed: Parsed, best: Scored) -> tuple[float, tuple[Reason, ...]]:
    """Return the factor for the parser's own doubt.

    The doubt counts less if the catalog has exactly this title and year, which confirms the parse.
    """
    if parsed.kind.value == "unknown":
        return _UNKNOWN_KIND, ("kind_unknown",)
    confirmed = best.reasons == ("title_exact", "year_exact") or (
        parsed.kind.value == "episode" and best.reasons[0] == "title_exact"
    )
    doubt = 1 - parsed.kind.confidence
    factor = 1 - doubt * (0.15 if confirmed else 0.4)
    return factor, (("name_unsure",) if doubt > 0.5 else ())


def _is_labelled(parsed: Parsed, found: Sequence[Scored]) -> bool:
    """`Some Show - OVA 2`: the catalog resembles it, but has it without the label."""
    return found[0].reasons[0] != "title_exact" and without_label(parsed) is not None


def _by_id(provider: Provider, kind: Kind) -> Callable[[str], Awaitable[Candidate | None]]:
    return provider.movie if kind == "movie" else provider.series
