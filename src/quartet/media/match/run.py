"""One matching: asks each catalog once for what many files have in common."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import NamedTuple

import msgspec

from quartet.kernel.errors import AppError, problem_of
from quartet.media.catalog.service import Catalog
from quartet.media.catalog.types import Candidate, Kind, Order, Provider, ProviderName
from quartet.media.match.episodes import EpisodeList
from quartet.media.match.groups import kind_of, override_key
from quartet.media.match.scoring import Scored, clear, ranked
from quartet.media.match.types import (
    Alternative,
    Match,
    MatchOptions,
    Override,
    OverrideKey,
    Reason,
)
from quartet.media.names.types import Ids, Parsed

_MOST_ALTERNATIVES = 6
# A name that says neither movie nor episode is never moved unasked.
_UNKNOWN_KIND = 0.6
_FITS_WELL = 0.8
_LOOKED_AT = 3
_ENOUGH_FAILURES = 10


class _Known(NamedTuple):
    """The outcome of one search, for all files that share it."""

    candidate: Candidate
    confidence: float
    reasons: tuple[Reason, ...]
    alternatives: tuple[Alternative, ...] = ()
    overridden: bool = False


class Run:
    def __init__(
        self,
        catalog: Catalog,
        options: MatchOptions,
        order: Order,
        learned: Mapping[OverrideKey, Override],
    ) -> None:
        self._catalog = catalog
        self._options = options
        self._order: Order = order
        self._learned = learned
        # In a row, for movies and series; a provider that is down is not waited for each time.
        self._failures: dict[Kind, list[Match]] = {}
        self._lists: dict[tuple[ProviderName, str], asyncio.Task[EpisodeList]] = {}

    async def group(self, items: Sequence[Parsed]) -> list[Match]:
        """Items that one search answers; a failure leaves all of them to a person."""
        failures = self._failures.setdefault(kind_of(items[0]), [])
        if len(failures) >= _ENOUGH_FAILURES:
            return [failures[-1] for _ in items]
        try:
            known = await self._identify(items[0])
            if not isinstance(known, _Known):
                return [Match(reasons=(known,)) for _ in items]
            found = [await self._finish(parsed, known) for parsed in items]
        except AppError as error:
            failures.append(Match(reasons=("provider_failed",), error=problem_of(error)))
            return [failures[-1] for _ in items]
        failures.clear()
        return found

    async def chosen(self, parsed: Parsed, kind: Kind, name: ProviderName, id: str) -> Match:
        provider = await self._catalog.provider(kind, name)
        candidate = await _by_id(provider, kind)(id)
        if candidate is None:
            raise AppError(404, "catalog_entry_not_found", provider=name, id=id)
        return await self._finish(parsed, _Known(candidate, 1.0, ("chosen",)))

    async def _identify(self, parsed: Parsed) -> "_Known | Reason":
        kind = kind_of(parsed)
        override = self._learned.get(override_key(parsed, kind))
        if override:
            return await self._override(kind, override)
        wanted = self._options.movie_provider if kind == "movie" else self._options.series_provider
        provider = await self._catalog.provider(kind, wanted)
        if parsed.ids != Ids():
            found = await provider.find(kind, parsed.ids)
            if found:
                return _Known(found, 1.0, ("by_id",))
        if not parsed.title:
            return "no_title"
        return _known(parsed, await _searched(provider, kind, parsed))

    async def _override(self, kind: Kind, override: Override) -> "_Known | Reason":
        provider = await self._catalog.provider(kind, override.provider)
        candidate = await _by_id(provider, kind)(override.external_id)
        if candidate is None:
            return "nothing_found"
        return _Known(candidate, 1.0, ("learned",), overridden=True)

    async def _finish(self, parsed: Parsed, known: _Known) -> Match:
        match = Match(
            best=known.candidate,
            alternatives=known.alternatives,
            confidence=round(known.confidence, 4),
            reasons=known.reasons,
            overridden=known.overridden,
        )
        if known.candidate.kind == "movie":
            return match
        listed = await self._episode_list(known.candidate)
        numbered = listed.find(parsed)
        return msgspec.structs.replace(
            match,
            episodes=numbered.episodes,
            confidence=round(known.confidence * numbered.factor, 4),
            reasons=(*known.reasons, *numbered.reasons),
        )

    async def _episode_list(self, series: Candidate) -> EpisodeList:
        """Groups of one series share the list, also while it is still on its way."""
        key = (series.provider, series.id)
        if key not in self._lists:
            self._lists[key] = asyncio.ensure_future(self._fetch(series))
        return await asyncio.shield(self._lists[key])

    async def _fetch(self, series: Candidate) -> EpisodeList:
        provider = await self._catalog.provider("series", series.provider)
        return EpisodeList(await provider.episodes(series.id, self._order))


async def _searched(provider: Provider, kind: Kind, parsed: Parsed) -> list[Scored]:
    """By every title the name gives, with its year first, until one fits well."""
    search = provider.search_movie if kind == "movie" else provider.search_series
    years = dict.fromkeys([parsed.year, None])
    candidates: dict[str, Candidate] = {}
    found: list[Scored] = []
    for title in (parsed.title, *parsed.other_titles):
        for year in years:
            for candidate in await search(title or "", year):
                candidates.setdefault(candidate.id, candidate)
            found = ranked(parsed, candidates.values())
            if found and found[0].score >= _FITS_WELL:
                return found
    return await _looked_closer(provider, kind, parsed, list(candidates.values()))


async def _looked_closer(
    provider: Provider, kind: Kind, parsed: Parsed, candidates: list[Candidate]
) -> list[Scored]:
    """What a provider found first may have the wanted title in another language."""
    whole = {candidate.id: candidate for candidate in candidates}
    for candidate in candidates[:_LOOKED_AT]:
        if not candidate.other_titles:
            whole[candidate.id] = await _by_id(provider, kind)(candidate.id) or candidate
    return ranked(parsed, whole.values())


def _known(parsed: Parsed, found: list[Scored]) -> "_Known | Reason":
    if not found:
        return "nothing_found"
    score, reasons = clear(found)
    sure, doubts = _name_factor(parsed, found[0])
    others = tuple(
        Alternative(each.candidate, round(each.score, 4))
        for each in found[1 : _MOST_ALTERNATIVES + 1]
    )
    return _Known(found[0].candidate, score * sure, (*reasons, *doubts), others)


def _name_factor(parsed: Parsed, best: Scored) -> tuple[float, tuple[Reason, ...]]:
    """What the parser's own doubt takes away.

    Little when the catalog knows exactly this title and year: that confirms the reading.
    """
    if parsed.kind.value == "unknown":
        return _UNKNOWN_KIND, ("kind_unknown",)
    confirmed = best.reasons == ("title_exact", "year_exact") or (
        parsed.kind.value == "episode" and best.reasons[0] == "title_exact"
    )
    doubt = 1 - parsed.kind.confidence
    factor = 1 - doubt * (0.15 if confirmed else 0.4)
    return factor, (("name_unsure",) if doubt > 0.5 else ())


def _by_id(provider: Provider, kind: Kind) -> Callable[[str], Awaitable[Candidate | None]]:
    return provider.movie if kind == "movie" else provider.series
