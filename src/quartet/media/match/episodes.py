"""Finds the episodes of a file in the episode list of its series.

The numbers of a name can often be read in several ways; the list decides which one exists.
"""

import datetime
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from msgspec.structs import replace

from quartet.media.catalog.title_folding import fold_title, strip_article
from quartet.media.catalog.types import Episode
from quartet.media.match.types import Reason
from quartet.media.names.types import Parsed

_EPISODE_UNKNOWN_FACTOR = 0.7
_NO_EPISODE_FACTOR = 0.5
# With several seasons, absolute numbers are ambiguous.
_ABSOLUTE_FACTOR = 0.85
# Another reading than the likeliest one, but the only one that exists.
_OTHER_READING_FACTOR = 0.97
_UNDECIDED_FACTOR = 0.8
_TITLE_FACTOR = 0.95
_SIMILAR_TITLE_FACTOR = 0.85
_TITLE_ELSEWHERE_FACTOR = 0.8
# A special whose number the catalog cannot confirm.
_SPECIAL_FACTOR = 0.9
_LEAST_ALIKE = 88
# A shorter title may match by chance.
_SHORTEST_TITLE = 4


class EpisodeMatch(NamedTuple):
    episodes: tuple[Episode, ...]
    # Multiplied with the confidence.
    factor: float
    reasons: tuple[Reason, ...] = ()

    @property
    def is_complete(self) -> bool:
        return bool(self.episodes) and "episode_unknown" not in self.reasons


class Numbers(NamedTuple):
    """One reading of the numbers of a name."""

    season: int | None
    episodes: tuple[int, ...]
    date: datetime.date | None = None


class EpisodeList:
    """The episodes of one series, indexed for many lookups.

    Without `numbers_specials`, the numbers of season 0 are not those that releases use.
    """

    def __init__(self, episodes: Iterable[Episode], *, numbers_specials: bool = True) -> None:
        found = list(episodes)
        self._numbers_specials = numbers_specials and any(each.season == 0 for each in found)
        self._by_number = {(each.season, each.episode): each for each in found}
        self._by_absolute = {each.absolute: each for each in found if each.absolute}
        self._by_date: dict[str, list[Episode]] = {}
        self._by_title: dict[str, list[Episode]] = {}
        for each in found:
            if each.air_date:
                self._by_date.setdefault(each.air_date, []).append(each)
            if each.title:
                self._by_title.setdefault(_plain(each.title), []).append(each)
        self._seasons = sorted({each.season for each in found if each.season > 0})

    def find(self, parsed: Parsed) -> EpisodeMatch:
        """Return the episodes of the reading that exists, or those with the title in the name."""
        if parsed.corrected:
            return self._read_certain(Numbers(parsed.season, parsed.episodes))
        titled = self._by_own_title(parsed)
        if parsed.season == 0 and parsed.episodes and not self._numbers_specials:
            return _unconfirmed_special(parsed, titled)
        if parsed.special and parsed.season is None and parsed.episodes and not parsed.date:
            return self._own_count_special(parsed, titled)
        numbered = [one for one in readings(parsed) if one.episodes or one.date]
        if not numbered:
            return titled or EpisodeMatch((), _NO_EPISODE_FACTOR, ("no_episode",))
        first, *others = numbered
        best = self._read(first)
        existing = [found for one in others if (found := self._read(one)).is_complete]
        existing = [one for one in existing if not set(one.episodes) <= set(best.episodes)]
        if best.is_complete:
            return self._confirmed(best, existing, titled)
        if titled and titled.factor == _TITLE_FACTOR:
            return titled
        if len({one.episodes for one in existing}) == 1:
            factor = min(existing[0].factor, _OTHER_READING_FACTOR)
            return existing[0]._replace(factor=factor, reasons=("numbers_by_catalog",))
        return titled or best

    def _confirmed(
        self, best: EpisodeMatch, existing: list[EpisodeMatch], titled: EpisodeMatch | None
    ) -> EpisodeMatch:
        """Return the likeliest reading, unless the title in the name decides for another one."""
        if titled is None or set(titled.episodes) <= set(best.episodes):
            certain = titled is not None
            if not existing or certain:
                return best._replace(factor=1.0) if certain else best
            factor = min(best.factor, _UNDECIDED_FACTOR)
            return best._replace(factor=factor, reasons=(*best.reasons, "numbers_ambiguous"))
        if any(one.episodes == titled.episodes for one in existing):
            return titled._replace(factor=1.0, reasons=("numbers_by_catalog",))
        if titled.factor == _TITLE_FACTOR:
            factor = min(best.factor, _TITLE_ELSEWHERE_FACTOR)
            return best._replace(factor=factor, reasons=(*best.reasons, "episode_title_elsewhere"))
        return best

    def _own_count_special(self, parsed: Parsed, titled: EpisodeMatch | None) -> EpisodeMatch:
        """`Title - OVA 2`, `Title SP2`: no episodes; catalogs count specials differently."""
        if titled and titled.episodes[0].season == 0:
            return titled
        found = self._read_certain(Numbers(0, parsed.episodes))
        episodes = found.episodes if found.is_complete and self._numbers_specials else ()
        return EpisodeMatch(episodes, _UNDECIDED_FACTOR, ("special_uncertain",))

    def _read_certain(self, numbers: Numbers) -> EpisodeMatch:
        """Return the episodes with these numbers, which are absolute without a season."""
        if not numbers.episodes:
            return EpisodeMatch((), _NO_EPISODE_FACTOR, ("no_episode",))
        if numbers.season is None:
            found = [self._by_absolute.get(number) for number in numbers.episodes]
        else:
            found = [self._by_number.get((numbers.season, number)) for number in numbers.episodes]
        return _episode_match(found, len(numbers.episodes))

    def _read(self, numbers: Numbers) -> EpisodeMatch:
        if numbers.date is not None and not numbers.episodes:
            aired = self._by_date.get(numbers.date.isoformat(), [])
            return _episode_match(aired, max(1, len(aired)))
        found = self._read_certain(numbers)
        if numbers.season is not None or not found.episodes:
            return found
        if not self._is_ambiguous(numbers.episodes[0]):
            return found
        factor = found.factor * _ABSOLUTE_FACTOR
        return found._replace(factor=factor, reasons=(*found.reasons, "absolute_number"))

    def _is_ambiguous(self, absolute: int) -> bool:
        """Return True if a later season has an episode with this number too."""
        counted = self._by_absolute.get(absolute)
        same = (self._by_number.get((season, absolute)) for season in self._seasons)
        return any(each is not None and each != counted for each in same)

    def _by_own_title(self, parsed: Parsed) -> EpisodeMatch | None:
        """Match by the title of the episode, within its season if that is known."""
        wanted = _plain(parsed.episode_title or "")
        if len(wanted) < _SHORTEST_TITLE:
            return None
        exact = self._in_season(self._by_title.get(wanted, []), parsed)
        if len(exact) == 1:
            return EpisodeMatch((exact[0],), _TITLE_FACTOR, ("by_episode_title",))
        if exact or parsed.episodes:
            return None
        from rapidfuzz import fuzz, process

        similar = process.extract(
            wanted, self._by_title.keys(), scorer=fuzz.ratio, score_cutoff=_LEAST_ALIKE, limit=2
        )
        found = [each for name, _, _ in similar for each in self._by_title[name]]
        found = self._in_season(found, parsed)
        if len(found) != 1:
            return None
        return EpisodeMatch((found[0],), _SIMILAR_TITLE_FACTOR, ("by_episode_title",))

    def _in_season(self, episodes: Sequence[Episode], parsed: Parsed) -> list[Episode]:
        if parsed.season is None or parsed.episodes:
            return list(episodes)
        return [each for each in episodes if each.season == parsed.season]


def _unconfirmed_special(parsed: Parsed, titled: EpisodeMatch | None) -> EpisodeMatch:
    """Keep the number of the name, with the title of the catalog if that has this special."""
    if titled is None:
        return EpisodeMatch((), _SPECIAL_FACTOR, ("special_number",))
    (found,) = titled.episodes
    if found.season > 0:
        reasons: tuple[Reason, ...] = ("special_number", "episode_title_elsewhere")
        return EpisodeMatch((), _TITLE_ELSEWHERE_FACTOR, reasons)
    if len(parsed.episodes) > 1:
        return EpisodeMatch((), _SPECIAL_FACTOR, ("special_number",))
    named = replace(found, episode=parsed.episodes[0])
    return EpisodeMatch((named,), 1.0, ("by_episode_title",))


def readings(parsed: Parsed) -> list[Numbers]:
    """Return all readings of the numbers in a name, the likeliest first."""
    found = dict.fromkeys(_readings(parsed))
    return list(found)


def _readings(parsed: Parsed) -> Iterator[Numbers]:
    own = parsed.episodes or (() if parsed.absolute is None else (parsed.absolute,))
    yield Numbers(parsed.season, own if len(parsed.seasons) < 2 else (), parsed.date)
    if parsed.date and parsed.episodes:
        # A station's own numbering may differ from the catalog's; the date does not.
        yield Numbers(None, (), parsed.date)
    if parsed.date and parsed.date.day <= 12 and not parsed.episodes:
        # Day and month may be swapped.
        swapped = parsed.date.replace(month=parsed.date.day, day=parsed.date.month)
        yield Numbers(None, (), swapped)
    for other in parsed.other_readings:
        if other.kind == "episode" and len(other.seasons) < 2:
            yield Numbers(next(iter(other.seasons), None), other.episodes, other.date)
    if parsed.season is None and own:
        yield from _split(own)
        # A mini-series, or the first season.
        yield Numbers(1, own)
    elif parsed.season and own and min(own) > 99:
        yield Numbers(None, own)


def _split(numbers: tuple[int, ...]) -> Iterator[Numbers]:
    """Read `105` and `10112` as season and episode, and `10708` also as two episodes."""
    if min(numbers) <= 100:
        return
    # Three digits for an episode are only usual after a season with two.
    for base in (100, 1000) if min(numbers) > 9999 else (100,):
        seasons = {number // base for number in numbers}
        episodes = tuple(number % base for number in numbers)
        if len(seasons) == 1 and min(seasons) > 0 and min(episodes) > 0:
            yield Numbers(seasons.pop(), episodes)
    season, both = divmod(numbers[0], 10_000)
    first, second = divmod(both, 100)
    if season and first and second == first + 1:
        yield Numbers(season, (first, second))


def _plain(title: str) -> str:
    return strip_article(fold_title(title)).replace(" and ", " ")


def _episode_match(found: Sequence[Episode | None], wanted: int) -> EpisodeMatch:
    known = tuple(each for each in found if each)
    if len(known) == wanted:
        return EpisodeMatch(known, 1.0)
    return EpisodeMatch(known, _EPISODE_UNKNOWN_FACTOR, ("episode_unknown",))
